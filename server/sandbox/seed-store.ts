import type { Queryable } from '#server/database/pool.ts'
import type { SeedRows } from './seed-rows.ts'

/** So many rows travel in one statement: a few hundred kilobytes of JSON. */
const ROWS_MAX = 2_000

/** True when nobody has made an application here yet: only then may the sandbox be seeded. */
export async function hasNoApplication(queryable: Queryable): Promise<boolean> {
  const { rows } = await queryable.query<{ is_empty: boolean }>('select not exists (select 1 from applications) as is_empty')
  return rows[0]?.is_empty ?? false
}

/** Takes the lock under which one process seeds, to the end of the transaction. */
export async function lockSeeding(queryable: Queryable): Promise<void> {
  await queryable.query('select pg_advisory_xact_lock(7304114803)')
}

/** Writes one application's history and brings its balances, roll-ups and counters into line with it. */
export async function insertHistory(queryable: Queryable, applicationId: string, rows: SeedRows): Promise<void> {
  for (const table of Object.keys(rows) as (keyof SeedRows)[]) await insertRows(queryable, table, rows[table])
  await queryable.query(
    `update ledger_balances b
       set collect_minor = b.collect_minor + p.collect, deposit_minor = b.deposit_minor + p.deposit, held_minor = b.held_minor + p.held,
           fees_minor = b.fees_minor + p.fees, clearing_minor = b.clearing_minor + p.clearing, revenue_minor = b.revenue_minor + p.revenue
       from (select operator, sum(collect_minor)::bigint as collect, sum(deposit_minor)::bigint as deposit, sum(held_minor)::bigint as held,
                    sum(fees_minor)::bigint as fees, sum(clearing_minor)::bigint as clearing, sum(revenue_minor)::bigint as revenue
               from ledger_postings where application_id = $1 group by operator) p
       where b.application_id = $1 and b.operator = p.operator`,
    [applicationId],
  )
  await queryable.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select application_id, (created_at at time zone 'UTC')::date, operator, type, status, count(*), sum(amount_minor)
         from transactions where application_id = $1 group by 1, 2, 3, 4, 5`,
    [applicationId],
  )
  await queryable.query(
    `update application_counters c
       set transaction_count = t.total, pending_count = t.pending, pending_approval_count = t.waiting, success_count = t.succeeded,
           failed_count = t.failed, change_number = c.change_number + 1
       from (select count(*) as total, count(*) filter (where status = 'PENDING') as pending, count(*) filter (where status = 'PENDING_APPROVAL') as waiting,
                    count(*) filter (where status = 'SUCCESS') as succeeded, count(*) filter (where status = 'FAILED') as failed
               from transactions where application_id = $1) t
       where c.application_id = $1`,
    [applicationId],
  )
}

/** Gives the tables their statistics, so that the first queries are planned for what is there. */
export async function analyse(queryable: Queryable): Promise<void> {
  await queryable.query(
    'analyze transactions, transaction_events, ledger_postings, transaction_days, approval_items, approval_decisions, operator_attempts, webhook_deliveries, webhook_attempts',
  )
}

async function insertRows<Table extends keyof SeedRows>(queryable: Queryable, table: Table, rows: SeedRows[Table]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  for (let start = 0; start < rows.length; start += ROWS_MAX) {
    // Table and columns are names from the types above, never input.
    await queryable.query(`insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(rows.slice(start, start + ROWS_MAX)),
    ])
  }
}
