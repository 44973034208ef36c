import type { RetentionKind } from '#server/config.ts'
import { firstIdAfter } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'

/** A column of a key behind application_id, and a value that sorts before all others. */
type KeyColumn = { name: string; type: 'uuid' | 'integer'; lowest: string }

type RuleOfTransactions = {
  kind: RetentionKind
  table: string
  at: string
  walk: 'transactions'
  key: readonly KeyColumn[]
  condition: string
}
type RuleOfTime = { kind: RetentionKind; table: string; at: string; walk: 'time'; isPerApplication: boolean }

/** A table whose old rows are removed. `at` is the column that says how old a row is. */
export type RetentionRule = RuleOfTransactions | RuleOfTime

const TRANSACTION_ID: KeyColumn = { name: 'transaction_id', type: 'uuid', lowest: '00000000-0000-0000-0000-000000000000' }
const NUMBER: KeyColumn = { name: 'number', type: 'integer', lowest: '-1' }

/**
 * Every table that retention applies to, in order; one line adds another. Transactions, events, the ledger and the audit record are never
 * here. Tables of volume are walked along their primary key: transaction ids are in order of time, so what is old lies at the
 * beginning, and no index on time is needed, which each payment would pay for. `r` is the row and $1 the instant in a condition.
 */
export const RETENTION_RULES: readonly RetentionRule[] = [
  {
    kind: 'attempts',
    table: 'operator_attempts',
    at: 'started_at',
    walk: 'transactions',
    key: [TRANSACTION_ID, NUMBER],
    // While a transaction is PENDING its attempts show what was sent to the operator.
    condition: `not exists (select 1 from operator_work w where w.application_id = r.application_id and w.transaction_id = r.transaction_id)`,
  },
  {
    kind: 'deliveries',
    table: 'webhook_attempts',
    at: 'started_at',
    walk: 'transactions',
    key: [TRANSACTION_ID, NUMBER],
    // A delivery that is due would take a missing attempt for one that a crash cut off.
    condition: `not exists (select 1 from webhook_deliveries d where d.application_id = r.application_id and d.transaction_id = r.transaction_id
      and (d.state = 'due' or d.finished_at >= $1))`,
  },
  {
    kind: 'deliveries',
    table: 'webhook_resends',
    at: 'requested_at',
    walk: 'transactions',
    key: [TRANSACTION_ID, NUMBER],
    condition: `r.outcome is not null`,
  },
  {
    kind: 'deliveries',
    table: 'webhook_deliveries',
    at: 'finished_at',
    walk: 'transactions',
    key: [TRANSACTION_ID],
    condition: `r.state <> 'due'`,
  },
  { kind: 'exports', table: 'export_pieces', at: 'stored_at', walk: 'time', isPerApplication: true },
  { kind: 'exports', table: 'exports', at: 'started_at', walk: 'time', isPerApplication: true },
  { kind: 'statements', table: 'statement_pieces', at: 'stored_at', walk: 'time', isPerApplication: true },
  { kind: 'attachments', table: 'attachment_pieces', at: 'stored_at', walk: 'time', isPerApplication: true },
  { kind: 'throttles', table: 'sign_in_throttles', at: 'last_failure_at', walk: 'time', isPerApplication: false },
]

export async function selectApplicationIds(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>('select application_id as id from applications order by application_id')
  return rows.map((row) => row.id)
}

/** Notes that rows from before an instant may be gone; an instant that was noted before is never taken back. */
export async function setRetentionMark(queryable: Queryable, kind: RetentionKind, before: Date): Promise<void> {
  await queryable.query(
    `insert into retention_marks as m (kind, removed_before) values ($1, $2)
       on conflict (kind) do update set removed_before = greatest(m.removed_before, excluded.removed_before)`,
    [kind, before],
  )
}

export async function selectRetentionMarks(queryable: Queryable): Promise<{ kind: RetentionKind; removedBefore: Date }[]> {
  const { rows } = await queryable.query<{ kind: RetentionKind; removedBefore: Date }>({
    name: 'select_retention_marks',
    text: 'select kind, removed_before as "removedBefore" from retention_marks',
  })
  return rows
}

/** The position of a walk along a primary key: the values of the key's columns behind application_id. */
type Cursor = readonly string[]

export function firstCursor(rule: RuleOfTransactions): Cursor {
  return rule.key.map((column) => column.lowest)
}

/**
 * For one database transaction: along the key and by row addresses, regardless of what the planner assumes about a table that was just
 * filled or emptied; it would otherwise sort all old rows for each batch. A removal that a crash undoes is made again, so no commit waits
 * for the disk.
 */
export async function preferIndexes(trx: Queryable): Promise<void> {
  await trx.query(
    `select set_config(name, 'off', true)
       from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin', 'jit', 'synchronous_commit']) as name`,
  )
}

export type Step = { removed: number; cursor: Cursor | undefined }

/**
 * Looks at the next `limit` rows of an application along the key and removes those that are older than `before` and finished. `cursor`
 * undefined: the walk has ended. Rows that another process is removing are left to it, and none is waited for. Wants `preferIndexes`.
 */
export async function removeOfTransactions(
  queryable: Queryable,
  rule: RuleOfTransactions,
  request: { applicationId: string; cursor: Cursor; before: Date; limit: number },
): Promise<Step> {
  const names = rule.key.map((column) => `r.${column.name}`).join(', ')
  const cursor = rule.key.map((column, place) => `$${place + 5}::${column.type}`).join(', ')
  const { rows } = await queryable.query<{ removed: bigint; looked: bigint; last: string[] | null }>(
    `with looked as materialized (
       select r.ctid as place, r.${rule.at} as at, array[${rule.key.map((column) => `r.${column.name}::text`).join(', ')}] as key
         from ${rule.table} r
         where r.application_id = $2 and (${names}) > (${cursor}) and r.transaction_id < $3::uuid order by r.application_id, ${names} limit $4
     ), old as materialized (
       select r.ctid as place from ${rule.table} r
         where r.ctid = any (array(select l.place from looked l where l.at < $1)) and ${rule.condition} for update of r skip locked
     ), gone as (
       delete from ${rule.table} r where r.ctid = any (array(select o.place from old o)) returning 1
     )
     select (select count(*) from gone) as removed, (select count(*) from looked) as looked,
            (select l.key from looked l offset greatest((select count(*) from looked) - 1, 0) limit 1) as last`,
    [request.before, request.applicationId, firstIdAfter(request.before), request.limit, ...request.cursor],
  )
  const step = rows[0]
  if (!step) throw new Error('A count over nothing is a row too')
  return { removed: Number(step.removed), cursor: Number(step.looked) < request.limit ? undefined : (step.last ?? undefined) }
}

/** Removes at most `limit` rows that are older than `before`, the oldest first; of one application or (null) of a table without any. */
export async function removeByTime(
  queryable: Queryable,
  rule: RuleOfTime,
  { applicationId, before, limit }: { applicationId: string | null; before: Date; limit: number },
): Promise<number> {
  const own = applicationId === null ? '' : 'r.application_id = $3 and'
  const { rowCount } = await queryable.query(
    `delete from ${rule.table} d where d.ctid = any (array(
       select r.ctid from ${rule.table} r where ${own} r.${rule.at} < $1 order by r.${rule.at} limit $2 for update skip locked))`,
    applicationId === null ? [before, limit] : [before, limit, applicationId],
  )
  return rowCount ?? 0
}
