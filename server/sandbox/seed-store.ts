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

/** What an operator holds of ours, in hundredths. */
export type Opening = { operator: string; collectMinor: bigint; depositMinor: bigint }

/** What the ledger says that each operator holds of ours: nothing that is open has moved money in it. */
export async function readOpenings(queryable: Queryable): Promise<Opening[]> {
  const { rows } = await queryable.query<Opening>(
    `select operator, sum(collect_minor)::bigint as "collectMinor", (-sum(clearing_minor) - sum(collect_minor))::bigint as "depositMinor"
     from ledger_balances group by operator order by operator`,
  )
  return rows
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
           accepted_at = r.accepted_at, unconfirmed_since = r.unconfirmed_since, last_answer = r.last_answer,
           operator_token = r.operator_token, operator_reference = coalesce(r.operator_reference, w.operator_reference)
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
    `with answered as (delete from contradiction_queries where application_id = $1 and transaction_id = $2 and kind = 'contradiction')
     insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
       values ($1, $2, 2, 'query', 'succeeded', 'FAILED', 200, '{"status":"SUCCESS"}', clock_timestamp())`,
    [applicationId, transactionId],
  )
}

/** Leaves the failures of the seeded history out of the second looks: no simulator knows them all, and none is answered differently now. */
export async function passOverSecondLooks(queryable: Queryable): Promise<void> {
  await queryable.query(
    'insert into second_look_marks (application_id, failed_sequence) select application_id, failed_count from application_counters',
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

/** Stores the files that the batches of the history would have come from. Returns how many. */
export async function insertBatches(queryable: Queryable, applicationId: string): Promise<number> {
  const { rowCount } = await queryable.query(
    `with rows as materialized (
       select t.*, row_number() over (partition by t.batch_id order by t.sequence) + 1 as row_number from transactions t
         where t.application_id = $1 and t.source = 'file' and t.batch_id is not null
     ), stored as (
       insert into batch_rows (application_id, batch_id, row_number, cells, operator, phone_number, phone_forms, customer_name, amount_minor,
           fee_minor, external_id, transaction_id)
         select r.application_id, r.batch_id, r.row_number,
                jsonb_build_array(r.phone_number, r.customer_name, trim_scale(r.amount_minor / 100.0)::text, r.operator), r.operator, r.phone_number,
                array[r.phone_number], r.customer_name, r.amount_minor, r.fee_system_minor + r.fee_app_minor, r.external_id, r.transaction_id
           from rows r
     ), sums as materialized (
       select r.batch_id, r.operator, count(*) as count, sum(r.amount_minor) as amount_minor, sum(r.fee_system_minor + r.fee_app_minor) as fee_minor
         from rows r group by r.batch_id, r.operator
     )
     insert into batches (application_id, batch_id, name, type, maker_id, created_by, file_name, file_sha256, state, row_count, headers, columns,
         ready_count, started_count, sums, reading, created_at, changed_at, submitted_at)
       select r.application_id, r.batch_id, 'Salaires ' || to_char(min(r.created_at), 'DD/MM/YYYY'), min(r.type), (array_agg(r.maker_id))[1],
              (array_agg(r.maker_id))[1], 'salaires-' || to_char(min(r.created_at), 'YYYY-MM-DD') || '.csv', sha256(r.batch_id::text::bytea), 'submitted',
              count(*), '["Téléphone","Nom","Montant","Opérateur"]', '{"phone":0,"name":1,"amount":2,"operator":3}', count(*), count(*),
              (select jsonb_agg(jsonb_build_object('operator', s.operator, 'count', s.count, 'amountMinor', s.amount_minor::text,
                 'feeMinor', s.fee_minor::text) order by s.operator) from sums s where s.batch_id = r.batch_id),
              '{"format":"csv","encoding":"utf-8","separator":";","sheet":null,"otherSheets":[],"hiddenRows":0,"rowsAbove":0}',
              min(r.created_at) - interval '20 minutes', min(r.created_at), min(r.created_at)
         from rows r group by r.application_id, r.batch_id`,
    [applicationId],
  )
  return rowCount ?? 0
}
