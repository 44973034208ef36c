import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { ExternalRows } from './external-rows.ts'

/** At most this many rows travel in one statement: a few hundred kilobytes of JSON. */
const ROWS_MAX = 2_000

/** True if the database holds no application: only then is a sandbox seeded. */
export async function hasNoApplication(queryable: Queryable): Promise<boolean> {
  const { rows } = await queryable.query<{ is_empty: boolean }>('select not exists (select 1 from applications) as is_empty')
  return rows[0]?.is_empty ?? false
}

/** Takes the lock under which one process seeds, until the end of the transaction. */
export async function lockSeeding(queryable: Queryable): Promise<void> {
  await queryable.query('select pg_advisory_xact_lock(7304114803)')
}

/** Sets the instant that the history has reached, until the end of the transaction. See database/sql/service-time.sql. */
export async function setSimulatedTime(queryable: Queryable, atMs: number): Promise<void> {
  await queryable.query({
    name: 'set_simulated_time',
    text: "select set_config('countersign.simulated_time', $1, true)",
    values: [new Date(atMs).toISOString()],
  })
}

/** The deposit balances of an application, in hundredths. */
export async function selectDepositBalances(queryable: Queryable, applicationId: string): Promise<Map<OperatorCode, bigint>> {
  const { rows } = await queryable.query<{ operator: OperatorCode; depositMinor: bigint }>(
    'select operator, deposit_minor as "depositMinor" from ledger_balances where application_id = $1',
    [applicationId],
  )
  return new Map(rows.map((row) => [row.operator, row.depositMinor]))
}

export type ApprovalTerms = { steps: number[]; needsCode: boolean; apiMayDecide: boolean; expiresAt: Date }

/** The approval terms of transactions that wait, by id. */
export async function selectApprovalTerms(
  queryable: Queryable,
  applicationId: string,
  transactionIds: string[],
): Promise<Map<string, ApprovalTerms>> {
  const { rows } = await queryable.query<ApprovalTerms & { transactionId: string }>(
    `select transaction_id as "transactionId", steps, needs_code as "needsCode", api_may_decide as "apiMayDecide", expires_at as "expiresAt"
       from approval_items where application_id = $1 and transaction_id = any ($2::uuid[])`,
    [applicationId, transactionIds],
  )
  return new Map(rows.map(({ transactionId, ...terms }) => [transactionId, terms]))
}

/** Which of these the balance did not cover. */
export async function selectUnfunded(queryable: Queryable, applicationId: string, transactionIds: string[]): Promise<Set<string>> {
  const { rows } = await queryable.query<{ transactionId: string }>(
    `select transaction_id as "transactionId" from transactions
       where application_id = $1 and transaction_id = any ($2::uuid[]) and type = 'DEPOSIT' and held_minor = 0`,
    [applicationId, transactionIds],
  )
  return new Set(rows.map((row) => row.transactionId))
}

/** Writes what was exchanged with operators, receivers and checkers, and brings open work and deliveries into the state it leads to. */
export async function writeExternalRows(queryable: Queryable, rows: ExternalRows): Promise<void> {
  for (const table of ['approval_decisions', 'operator_attempts', 'webhook_attempts'] as const) {
    const columns = Object.keys(rows[table][0] ?? {}).join(', ')
    // Table and columns are names from the types of the rows, never input.
    await forEachChunk(
      queryable,
      rows[table],
      `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
    )
  }
  await forEachChunk(
    queryable,
    rows.operator_work,
    `update operator_work w
       set state = r.state, next_at = r.next_at, attempts = r.attempts, queries = r.queries, submissions = r.submissions,
           accepted_at = r.accepted_at, unconfirmed_since = r.unconfirmed_since, last_answer = r.last_answer
       from json_populate_recordset(null::operator_work, $1) r
       where w.application_id = r.application_id and w.transaction_id = r.transaction_id`,
  )
  await forEachChunk(
    queryable,
    rows.webhook_deliveries,
    `update webhook_deliveries d set state = r.state, attempts = r.attempts, next_at = r.next_at, finished_at = r.finished_at
       from json_populate_recordset(null::webhook_deliveries, $1) r
       where d.application_id = r.application_id and d.transaction_id = r.transaction_id`,
  )
}

/** Records that the operator, when queried, repeated that a failed transaction succeeded; nothing is left to query. */
export async function confirmContradiction(queryable: Queryable, applicationId: string, transactionId: string): Promise<void> {
  await queryable.query(
    `with answered as (delete from contradiction_queries where application_id = $1 and transaction_id = $2)
     insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
       values ($1, $2, 2, 'query', 'succeeded', 'FAILED', 200, '{"status":"SUCCESS"}', clock_timestamp())`,
    [applicationId, transactionId],
  )
}

/** Dates what was set up by commands, in a database that holds nothing else, to the beginning of the history. */
export async function backdateSetup(queryable: Queryable, atMs: number): Promise<void> {
  const at = new Date(atMs)
  for (const table of ['applications', 'api_keys', 'api_users', 'ip_allow_entries', 'webhook_secrets', 'people', 'memberships'])
    await queryable.query(`update ${table} set created_at = $1`, [at])
  await queryable.query('update approval_policies set proposed_at = $1, activated_at = $1', [at])
}

/** Collects the statistics of the tables that were filled, so that the first queries are planned for their sizes. */
export async function analyse(queryable: Queryable): Promise<void> {
  await queryable.query(
    'analyze transactions, transaction_events, ledger_postings, transaction_days, approval_items, approval_decisions, operator_attempts, webhook_deliveries, webhook_attempts',
  )
}

async function forEachChunk(queryable: Queryable, rows: readonly object[], statement: string): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_MAX)
    await queryable.query(statement, [JSON.stringify(rows.slice(start, start + ROWS_MAX))])
}
