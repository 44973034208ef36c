import { formatMinor } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { MatchCandidateDto } from '#lib/reconciliation/exceptions.ts'
import type { Queryable } from '#server/database/pool.ts'

/** As many as a person compares. */
const SHOWN_MAX = 6
/** Transactions of one number that are looked at in each application, the newest ones. A number of a test or an agent has thousands. */
const PER_NUMBER_MAX = 200
const NEAR_DAYS = 7

/** Whether a line has a transaction, or a transaction has the line that settles it. */
export async function isMatched(
  queryable: Queryable,
  applicationId: string,
  side: { lineId: bigint } | { ledger: string; transactionId: string },
): Promise<boolean> {
  const { rowCount } =
    'lineId' in side
      ? await queryable.query('select from line_matches where application_id = $1 and line_id = $2 limit 1', [applicationId, side.lineId])
      : await queryable.query(
          `select from line_matches where application_id = $1 and matched_application_id = $2 and transaction_id = $3 and effect = 'settle' limit 1`,
          [applicationId, side.ledger, side.transactionId],
        )
  return rowCount === 1
}

type CandidateRow = Omit<MatchCandidateDto, 'lineId' | 'at' | 'amount' | 'differs'> & {
  lineId: bigint
  at: Date
  amountMinor: bigint
  isSameAmount: boolean
  /** Null: the line has none. */
  isSamePhone: boolean | null
  /** Null: the line or the transaction has none. */
  isSameReference: boolean | null
}

/** SQL: how a line `l` compares with a transaction `t`. */
const COMPARED = `t.amount_minor = abs(l.gross_minor) as "isSameAmount",
  case when cardinality(l.phone_forms) > 0 then t.phone_number = any(l.phone_forms) end as "isSamePhone",
  t.operator_reference = l.operator_id as "isSameReference", abs(extract(epoch from coalesce(t.final_at, t.created_at) - l.at))::float8 as distance`

/** The operator's reference says most; then number and amount together, then one of them; then how far apart in time. */
const LIKELIEST_FIRST = `"isSameReference" is true desc, "isSamePhone" is true and "isSameAmount" desc, "isSamePhone" is true desc, distance,
  "transactionId", "lineId"`

/**
 * Returns transactions without a line that a line without a transaction may belong to: with its operator's reference, with its phone number, or with
 * its amount and an exception because no statement has them. The latter two within a week of the line. All of what the matcher did not pair, because
 * a figure differs or there were several, or because a person took it apart.
 */
export async function listTransactionsOfLine(
  queryable: Queryable,
  { applicationId, lineId, operator }: { applicationId: string; lineId: bigint; operator: OperatorCode },
): Promise<MatchCandidateDto[]> {
  const { rows } = await queryable.query<CandidateRow>(
    `with line as materialized (
       select l.*, case when l.gross_minor > 0 then 'COLLECT' else 'DEPOSIT' end as direction, abs(l.gross_minor) as paid_minor
         from statement_lines l
        where l.application_id = $1 and l.line_id = $2 and l.kind = 'payment'),
     possible as materialized (
       select r.application_id, r.transaction_id from line
         join operator_references r on r.operator = $3 and r.type = line.direction and r.operator_reference = line.operator_id
       union
       select n.application_id, n.transaction_id from line cross join applications a cross join lateral unnest(line.phone_forms) form (phone_number)
        cross join lateral (select t.application_id, t.transaction_id from transactions t
                             where t.application_id = a.application_id and t.phone_number = form.phone_number
                             order by t.sequence desc limit ${PER_NUMBER_MAX}) n
       union
       select e.matched_application_id, e.transaction_id from line
         join exceptions e on e.application_id = $1 and e.operator = $3 and e.type = line.direction and e.amount_minor = line.paid_minor
        where e.class = 'success_absent_there' and e.outcome is null),
     compared as (
       select l.line_id as "lineId", t.transaction_id as "transactionId", a.name as application, coalesce(t.final_at, t.created_at) as at,
              case when t.type = 'COLLECT' then t.amount_minor else -t.amount_minor end as "amountMinor", t.phone_number as phone,
              t.operator_reference as reference, t.status, ${COMPARED}
         from possible p cross join line l
         join transactions t on t.application_id = p.application_id and t.transaction_id = p.transaction_id
         join applications a on a.application_id = t.application_id
        where t.operator = $3 and t.type = l.direction and t.status in ('PENDING', 'SUCCESS', 'FAILED')
          and not exists (select from line_matches m where m.application_id = $1 and m.matched_application_id = t.application_id
                            and m.transaction_id = t.transaction_id and m.effect = 'settle'))
     select * from compared where "isSameReference" or distance <= ${NEAR_DAYS} * 86400 order by ${LIKELIEST_FIRST} limit ${SHOWN_MAX}`,
    [applicationId, lineId, operator],
  )
  return rows.map(toDto)
}

/**
 * Returns the lines that a transaction without a line may belong to, among those that are exceptions because they have no transaction: with its number or
 * its amount, within a week.
 */
export async function listLinesOfTransaction(
  queryable: Queryable,
  { applicationId, ledger, transactionId }: { applicationId: string; ledger: string; transactionId: string },
): Promise<MatchCandidateDto[]> {
  const { rows } = await queryable.query<CandidateRow>(
    `with compared as (
       select l.line_id as "lineId", t.transaction_id as "transactionId", null as application, l.at, l.gross_minor as "amountMinor",
              l.phone_forms[1] as phone, l.operator_id as reference, l.status, ${COMPARED}
         from transactions t
         join exceptions e on e.application_id = $1 and e.operator = t.operator and e.type = t.type and e.class = 'unknown_payment' and e.outcome is null
         join statement_lines l on l.application_id = $1 and l.line_id = e.line_id
        where t.application_id = $2 and t.transaction_id = $3
          and not exists (select from line_matches m where m.application_id = $1 and m.line_id = l.line_id))
     select * from compared where ("isSameAmount" or "isSamePhone" or "isSameReference") and distance <= ${NEAR_DAYS} * 86400
      order by ${LIKELIEST_FIRST} limit ${SHOWN_MAX}`,
    [applicationId, ledger, transactionId],
  )
  return rows.map(toDto)
}

function toDto({ lineId, at, amountMinor, isSameAmount, isSamePhone, isSameReference, ...shown }: CandidateRow): MatchCandidateDto {
  const { transactionId, application, phone, reference, status } = shown
  return {
    ...{ transactionId, application, phone, reference, status },
    lineId: String(lineId),
    at: at.toISOString(),
    amount: formatMinor(amountMinor),
    differs: { amount: !isSameAmount, phone: isSamePhone === false, reference: isSameReference === false },
  }
}
