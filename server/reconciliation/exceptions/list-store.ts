import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import {
  EXCEPTION_CLASSES,
  type ExceptionClass,
  type ExceptionEventDto,
  type ExceptionOutcome,
  type OperatorAnswer,
} from '#lib/reconciliation/exceptions.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import type { ExceptionFilter } from '#lib/schemas/exceptions.ts'
import type { Queryable } from '#server/database/pool.ts'

export type ExceptionRow = {
  exceptionId: string
  class: ExceptionClass
  operator: OperatorCode
  type: TransactionType
  wallet: string | null
  day: string | null
  amountMinor: bigint
  openedAt: Date
  ownerId: string | null
  ownerName: string | null
  outcome: ExceptionOutcome | null
  closedAt: Date | null
  lineId: bigint | null
  ledger: string | null
  transactionId: string | null
  application: string | null
  reference: string | null
  phone: string | null
}

const COLUMNS = `e.exception_id as "exceptionId", e.class, e.operator, e.type, e.wallet, e.local_day::text as day, e.amount_minor as "amountMinor",
  e.opened_at as "openedAt", e.owner_id as "ownerId", o.name as "ownerName", e.outcome, e.closed_at as "closedAt", e.line_id as "lineId",
  e.matched_application_id as ledger, e.transaction_id as "transactionId", a.name as application,
  coalesce(l.operator_id, t.operator_reference, e.transaction_id::text) as reference, coalesce(l.phone_forms[1], t.phone_number) as phone`
const JOINED = `left join people o on o.person_id = e.owner_id
  left join statement_lines l on l.application_id = e.application_id and l.line_id = e.line_id
  left join transactions t on t.application_id = e.matched_application_id and t.transaction_id = e.transaction_id
  left join applications a on a.application_id = e.matched_application_id`

type Asked = { applicationId: string; filter: ExceptionFilter; viewerId: string; openedBefore: Date | null }

/** Whether an exception fits the filter: $1 to $7. Without a statement its wallet follows from the operator and the direction. */
const FITS = `e.application_id = $1 and e.class <> 'unconfirmed' and (e.outcome is null) = ($2 = 'open')
  and ($3::text is null or case $3 when 'nobody' then e.owner_id is null else e.owner_id = $4 end)
  and ($5::timestamptz is null or e.opened_at <= $5)
  and ($6::text is null or e.wallet = $6 or e.wallet is null and e.operator = $7 and ($8 = 'both' or lower(e.type) = $8))`

function valuesOf({ applicationId, filter, viewerId, openedBefore }: Asked): unknown[] {
  const { owner, wallet } = filter
  const found = wallet === null ? undefined : findWallet(wallet)
  const ownerId = owner === 'me' ? viewerId : owner === 'nobody' ? null : owner
  return [applicationId, filter.state, owner, ownerId, openedBefore, wallet, found?.operator ?? null, found?.account ?? null]
}

/** A page of exceptions: open ones with the gravest and then the oldest first, closed ones with the newest first. */
export async function selectExceptions(queryable: Queryable, asked: Asked, size: number): Promise<ExceptionRow[]> {
  const { rows } = await queryable.query<ExceptionRow>(
    `with page as materialized (
       select e.*, array_position($9::text[], e.class) as gravity from exceptions e where ${FITS}
        order by e.closed_at desc nulls last, gravity, e.opened_at, e.exception_id limit $10 offset $11)
     select ${COLUMNS} from page e ${JOINED} order by e.closed_at desc nulls last, e.gravity, e.opened_at, e.exception_id`,
    [...valuesOf(asked), EXCEPTION_CLASSES, size, asked.filter.page * size],
  )
  return rows
}

/** How many exceptions fit the filter. */
export async function countExceptions(queryable: Queryable, asked: Asked): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>(`select count(*) as count from exceptions e where ${FITS}`, valuesOf(asked))
  return Number(rows[0]?.count ?? 0n)
}

/** One exception; undefined if there is none. */
export async function findException(queryable: Queryable, applicationId: string, exceptionId: string): Promise<ExceptionRow | undefined> {
  const { rows } = await queryable.query<ExceptionRow>(
    `select ${COLUMNS} from exceptions e ${JOINED} where e.application_id = $1 and e.exception_id = $2`,
    [applicationId, exceptionId],
  )
  return rows[0]
}

/** The exception of an application about one of its own transactions; undefined if it never had one. */
export async function findExceptionOf(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ exceptionId: string; ownerName: string | null } | undefined> {
  const { rows } = await queryable.query<{ exceptionId: string; ownerName: string | null }>({
    name: 'find_exception_of',
    text: `select e.exception_id as "exceptionId", o.name as "ownerName" from exceptions e left join people o on o.person_id = e.owner_id
      where e.application_id = $1 and e.subject = format('transaction %s %s', $1::uuid, $2::uuid)`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

type EventRow = Omit<ExceptionEventDto, 'at'> & { at: Date }

/** The events of an exception, in order. */
export async function listExceptionEvents(queryable: Queryable, applicationId: string, exceptionId: string): Promise<EventRow[]> {
  const { rows } = await queryable.query<EventRow>(
    `select v.event, v.class, case when v.event = 'handed_over' then o.name end as owner, v.outcome, p.name as person, v.note, v.at
       from exception_events v left join people p on p.person_id = v.person_id left join people o on o.person_id = v.owner_id
      where v.application_id = $1 and v.exception_id = $2 order by v.event_id`,
    [applicationId, exceptionId],
  )
  return rows
}

type LineRow = {
  lineId: bigint
  at: Date
  grossMinor: bigint
  feeMinor: bigint
  phone: string | null
  operatorId: string | null
  type: string
  status: string
  fileId: string
  fileName: string
}

/** The line of a statement, with the file that brought it. */
export async function findLine(queryable: Queryable, applicationId: string, lineId: bigint): Promise<LineRow | undefined> {
  const { rows } = await queryable.query<LineRow>(
    `select l.line_id as "lineId", l.at, l.gross_minor as "grossMinor", l.fee_minor + l.tax_minor as "feeMinor", l.phone_forms[1] as phone,
            l.operator_id as "operatorId", l.type, l.status, l.file_id as "fileId", f.file_name as "fileName"
       from statement_lines l join statement_files f using (application_id, file_id)
      where l.application_id = $1 and l.line_id = $2`,
    [applicationId, lineId],
  )
  return rows[0]
}

type TransactionEvidence = {
  type: TransactionType
  status: string
  at: Date
  isFinal: boolean
  amountMinor: bigint
  phone: string
  reference: string | null
  application: string
  slug: string
  said: OperatorAnswer | null
  saidAt: Date | null
  changeId: string | null
  kind: 'late' | 'reverse' | 'concede' | null
}

/** The transaction of an exception, the operator's last answer against its result, and the newest adjustment of it that two people have made. */
export async function findTransactionEvidence(
  queryable: Queryable,
  ledger: string,
  transactionId: string,
): Promise<TransactionEvidence | undefined> {
  const { rows } = await queryable.query<TransactionEvidence>(
    `select t.type, t.status, coalesce(t.final_at, t.created_at) as at, t.final_at is not null as "isFinal", t.amount_minor as "amountMinor",
            t.phone_number as phone, t.operator_reference as reference, a.name as application, a.slug, c.said, c.at as "saidAt",
            p.change_id as "changeId", p.kind
       from transactions t join applications a using (application_id)
       left join lateral (select c.said, c.at from operator_contradictions c
                           where c.application_id = t.application_id and c.transaction_id = t.transaction_id order by c.number desc limit 1) c on true
       left join lateral (select p.change_id, p.kind from ledger_postings p
                           where p.application_id = t.application_id and p.subject_id = t.transaction_id
                             and p.kind in ('late', 'reverse', 'concede') order by p.at desc limit 1) p on true
      where t.application_id = $1 and t.transaction_id = $2`,
    [ledger, transactionId],
  )
  return rows[0]
}
