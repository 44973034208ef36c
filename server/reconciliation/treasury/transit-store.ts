import type { TransitStep, WithdrawalAccount } from '#lib/finance/treasury-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

type Mark = { step: TransitStep; day: string; reference: string; lineId: bigint | null; by: string | null }

/** A confirmed withdrawal with its marks. */
export type TransitRow = {
  ledgerId: string
  application: string
  changeId: string
  operator: OperatorCode
  account: WithdrawalAccount
  currency: Currency
  amountMinor: bigint
  reference: string
  confirmedAt: Date
  bank: string
  holder: string
  number: string
  marks: Mark[]
}

const TRANSIT = `select f.application_id as "ledgerId", a.name as application, f.change_id as "changeId", f.payload ->> 'operator' as operator,
    f.payload ->> 'account' as account, f.after ->> 'currency' as currency, (f.payload ->> 'amountMinor')::bigint as "amountMinor",
    f.payload ->> 'reference' as reference, f.decided_at as "confirmedAt", b.bank, b.holder, b.number,
    coalesce((select jsonb_agg(jsonb_build_object('step', m.step, 'day', m.day, 'reference', m.reference, 'lineId', m.line_id, 'by', p.name)
                               order by m.at)
                from transit_marks m left join people p on p.person_id = m.person_id
               where m.ledger_id = f.application_id and m.change_id = f.change_id), '[]') as marks
  from proposed_changes f
  join applications a on a.application_id = f.application_id
  join bank_accounts b on b.application_id = f.application_id and b.bank_account_id = (f.payload ->> 'bankAccountId')::uuid
 where f.kind = 'funding.withdrawal' and f.outcome = 'confirmed'`

/** SQL: the withdrawal `f` has arrived or come back. */
const HAS_ENDED = `exists (select from transit_marks e where e.ledger_id = f.application_id and e.change_id = f.change_id and e.step <> 'left')`

/** Withdrawals of one application or (null) of all: those on their way, then those that have ended lately, each newest first. */
export async function listTransit(queryable: Queryable, ledgerId: string | null, endedMax: number): Promise<TransitRow[]> {
  const own = '($1::uuid is null or f.application_id = $1)'
  const order = 'order by f.decided_at desc, f.change_id'
  const { rows: open } = await queryable.query<TransitRow>(`${TRANSIT} and ${own} and not ${HAS_ENDED} ${order}`, [ledgerId])
  const { rows: ended } = await queryable.query<TransitRow>(`${TRANSIT} and ${own} and ${HAS_ENDED} ${order} limit $2`, [
    ledgerId,
    endedMax,
  ])
  return [...open, ...ended]
}

/** One withdrawal; undefined if there is none, or nobody has confirmed it. */
export async function findTransit(queryable: Queryable, ledgerId: string, changeId: string): Promise<TransitRow | undefined> {
  const { rows } = await queryable.query<TransitRow>(`${TRANSIT} and f.application_id = $1 and f.change_id = $2`, [ledgerId, changeId])
  return rows[0]
}

type NewMark = {
  applicationId: string
  ledgerId: string
  changeId: string
  step: TransitStep
  day: string
  reference: string
  personId: string
}

/** False: the step was marked before, or the money has arrived or returned. */
export async function insertMark(trx: TrxClient, mark: NewMark): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, person_id) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [mark.applicationId, mark.ledgerId, mark.changeId, mark.step, mark.day, mark.reference, mark.personId],
  )
  return rowCount === 1
}

/** Takes a mark back; its line is not found for the withdrawal again. False: there is none. */
export async function deleteMark(
  trx: TrxClient,
  { applicationId, ledgerId, changeId, step }: Pick<NewMark, 'applicationId' | 'ledgerId' | 'changeId' | 'step'>,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `with gone as (
       delete from transit_marks where application_id = $1 and ledger_id = $2 and change_id = $3 and step = $4 returning line_id
     ), undone as (
       insert into transit_lines_undone (application_id, ledger_id, change_id, line_id)
         select $1, $2, $3, line_id from gone where line_id is not null on conflict do nothing
     )
     select 1 from gone`,
    [applicationId, ledgerId, changeId, step],
  )
  return rowCount === 1
}

/**
 * The reference of the confirmed correction by which a withdrawal came back: with this key, to the same balance, of the same amount, later, and not the
 * return of another withdrawal. Undefined if there is none.
 */
export async function findReturn(queryable: Queryable, row: TransitRow, referenceKey: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ reference: string }>(
    `select c.payload ->> 'reference' as reference from proposed_changes c
      where c.application_id = $1 and c.kind = 'funding.correction' and c.subject = $2 and c.outcome = 'confirmed' and c.decided_at >= $3
        and c.payload ->> 'operator' = $4 and c.payload ->> 'account' = $5 and c.payload ->> 'amountMinor' = $6
        and not exists (select from transit_marks m where m.ledger_id = $1 and m.step = 'returned' and m.reference = c.payload ->> 'reference')`,
    [row.ledgerId, referenceKey, row.confirmedAt, row.operator, row.account, String(row.amountMinor)],
  )
  return rows[0]?.reference
}

/**
 * Marks withdrawals as having left whose line of the operator can be only one: an own transfer of the exact amount out of the account, from the day
 * before the confirmation to `daysMax` days after it, in no other use, and the only candidate in both directions. A line that may belong to a move
 * between the accounts of the operator is left to people. Returns how many were marked.
 */
export async function insertLineMarks(queryable: Queryable, daysMax: number): Promise<number> {
  const { rowCount } = await queryable.query(
    `with gone as (
       select f.application_id as ledger_id, f.change_id, f.payload ->> 'operator' as operator, f.payload ->> 'account' as account,
              (f.payload ->> 'amountMinor')::bigint as amount_minor, f.decided_at, (f.decided_at at time zone 'UTC')::date as day
         from proposed_changes f
        where f.kind = 'funding.withdrawal' and f.outcome = 'confirmed'
          and not exists (select from transit_marks m where m.ledger_id = f.application_id and m.change_id = f.change_id)
     ), candidates as (
       select g.ledger_id, g.change_id, l.application_id, l.line_id, l.local_day, coalesce(l.operator_id, l.line_key) as reference,
              count(*) over (partition by g.ledger_id, g.change_id) as lines, count(*) over (partition by l.application_id, l.line_id) as withdrawals
         from gone g
         join statement_lines l on l.wallet in (g.operator, g.operator || '-' || g.account) and l.kind = 'transfer'
                               and l.gross_minor = -g.amount_minor
                               and l.local_day between g.day - 1 and g.day + $1::integer
         join applications i on i.application_id = l.application_id and i.runs_installation
        where not exists (select from wallet_postings w where w.application_id = l.application_id and w.line_id = l.line_id)
          and not exists (select from transit_marks m where m.application_id = l.application_id and m.line_id = l.line_id)
          and not exists (select from transit_lines_undone u where u.application_id = l.application_id and u.ledger_id = g.ledger_id
                             and u.change_id = g.change_id and u.line_id = l.line_id)
          and not exists (select from ledger_postings p
                           where p.operator = g.operator and p.kind = 'move' and p.deposit_minor = g.amount_minor
                             and p.at between g.decided_at - ($1 + 1) * interval '1 day' and g.decided_at + ($1 + 1) * interval '1 day')
     )
     insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, line_id)
       select application_id, ledger_id, change_id, 'left', local_day, left(reference, 100), line_id from candidates
        where lines = 1 and withdrawals = 1
     on conflict do nothing`,
    [daysMax],
  )
  return rowCount ?? 0
}
