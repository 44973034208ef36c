import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

/** True if the database holds no application: only then is a sandbox seeded. */
export async function hasNoApplication(queryable: Queryable): Promise<boolean> {
  const { rows } = await queryable.query<{ is_empty: boolean }>('select not exists (select 1 from applications) as is_empty')
  return rows[0]?.is_empty ?? false
}

/** Takes the lock under which one process seeds, until the end of the transaction. */
export async function lockSeeding(queryable: Queryable): Promise<void> {
  await queryable.query('select pg_advisory_xact_lock(7304114803)')
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

/** The newest collect of 10,000 or more that can be refunded; undefined if there is none. Hundredths. */
export async function selectRefundableCollect(
  queryable: Queryable,
  applicationId: string,
): Promise<{ transactionId: string; amountMinor: bigint } | undefined> {
  const { rows } = await queryable.query<{ transactionId: string; amountMinor: bigint }>(
    `select transaction_id as "transactionId", amount_minor as "amountMinor" from transactions
      where application_id = $1 and type = 'COLLECT' and status = 'SUCCESS' and amount_minor >= 1000000
        and refund_obstacle(application_id, transaction_id) is null
      order by sequence desc limit 1`,
    [applicationId],
  )
  return rows[0]
}

/** Leaves the failures of the seeded history out of the second looks: no simulator knows them all, and none is answered differently now. */
export async function passOverSecondLooks(queryable: Queryable): Promise<void> {
  await queryable.query(
    'insert into second_look_marks (application_id, failed_sequence) select application_id, failed_count from application_counters',
  )
}

/** Nobody is told of what ended in the history; what still waits is news. */
export async function forgetPastNotices(queryable: Queryable): Promise<void> {
  await queryable.query("delete from notices where cause not in ('approval_waiting', 'change_waiting')")
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
              count(*), '["Téléphone","Nom","Montant","Opérateur"]', '{"phoneNumber":0,"customerName":1,"amount":2,"operator":3}', count(*), count(*),
              (select jsonb_agg(jsonb_build_object('operator', s.operator, 'count', s.count, 'amountMinor', s.amount_minor::text,
                 'feeMinor', s.fee_minor::text) order by s.operator) from sums s where s.batch_id = r.batch_id),
              '{"format":"csv","encoding":"utf-8","separator":";","sheet":null,"otherSheets":[],"hiddenRows":0,"rowsAbove":0}',
              min(r.created_at) - interval '20 minutes', min(r.created_at), min(r.created_at)
         from rows r group by r.application_id, r.batch_id`,
    [applicationId],
  )
  return rowCount ?? 0
}

type WaitingAccount = { operator: OperatorCode; phoneNumber: string; customerName: string; makerId: string }

/** The payments of people that wait at operators which answer about accounts, the newest first: one of each number. */
export async function selectWaitingAccounts(
  queryable: Queryable,
  applicationId: string,
  operators: readonly OperatorCode[],
  limit: number,
): Promise<WaitingAccount[]> {
  const { rows } = await queryable.query<WaitingAccount>(
    `select operator, phone_number as "phoneNumber", (array_agg(customer_name order by sequence desc))[1] as "customerName",
            (array_agg(maker_id order by sequence desc))[1] as "makerId"
       from transactions
      where application_id = $1 and status = 'PENDING_APPROVAL' and maker_id is not null and batch_id is null and operator = any ($2)
      group by operator, phone_number order by max(sequence) desc limit $3`,
    [applicationId, operators, limit],
  )
  return rows
}
