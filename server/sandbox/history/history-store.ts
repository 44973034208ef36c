import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import type { HistoryRows, MovedRow, PostingRow, TransactionRow } from './history-rows.ts'

/** At most this many rows travel in one statement: a few hundred kilobytes of JSON. */
const ROWS_MAX = 2_000

/** A transaction that is about to be started at an instant of the history. */
type Weighed = Pick<
  IntakeItem,
  'transactionId' | 'type' | 'makerId' | 'source' | 'phoneNumber' | 'amountMinor' | 'batchSumMinor' | 'bands'
> & { at: string }

/** Which approval bands apply to these transactions, in order of time, after everything that is stored. By id; no entry: none applies. */
export async function weighAll(queryable: Queryable, applicationId: string, items: readonly Weighed[]): Promise<Map<string, ApprovalBand>> {
  const { rows } = await queryable.query<{ transactionId: string; band: ApprovalBand }>(
    `select w."transactionId", w.band
       from (select i."transactionId", approval_band_for($1, i.type, i."makerId", i.source, i.forms, i."amountMinor", coalesce(i."batchSumMinor", 0),
                      coalesce(sum(i."amountMinor") over earlier, 0)::bigint, i.bands, i.at) as band
               from json_to_recordset($2) as i ("transactionId" uuid, type text, "makerId" uuid, source text, forms text[], "amountMinor" bigint,
                 "batchSumMinor" bigint, bands jsonb, at timestamptz)
               window earlier as (partition by i.type, i."makerId", i.source, i.forms[1] order by i.at rows between unbounded preceding and 1 preceding)
            ) w
       where w.band is not null`,
    [
      applicationId,
      encode(
        items.filter((item) => item.bands !== null).map(({ phoneNumber, ...item }) => ({ ...item, forms: phoneNumberForms(phoneNumber) })),
      ),
    ],
  )
  return new Map(rows.map((row) => [row.transactionId, row.band]))
}

/** Stores transactions as they were started. */
export async function insertTransactions(queryable: Queryable, rows: readonly TransactionRow[]): Promise<void> {
  await insertRows(queryable, 'transactions', rows)
}

/** Brings stored transactions into the state that they reached. */
export async function updateTransactions(queryable: Queryable, rows: readonly MovedRow[]): Promise<void> {
  await queryable.query(
    `update transactions t
       set status = r.status, version = r.version, held_minor = r.held_minor, message = r.message, checker_id = r.checker_id,
           operator_reference = r.operator_reference, operator_reference_other = r.operator_reference_other,
           final_at = r.final_at
       from json_populate_recordset(null::transactions, $1) r
       where t.application_id = r.application_id and t.transaction_id = r.transaction_id`,
    [encode(rows)],
  )
}

/** Stores what accompanies the transactions: their events, postings and approvals, open work, and what was exchanged with others. */
export async function insertHistory(queryable: Queryable, { postings, ...tables }: HistoryRows): Promise<void> {
  for (const [table, rows] of Object.entries(tables)) await insertRows(queryable, table, rows)
  await insertPostings(queryable, postings)
}

/** Inserts postings without their amounts: posting_amounts computes what each enters on each account. */
async function insertPostings(queryable: Queryable, rows: readonly PostingRow[]): Promise<void> {
  await forEachChunk(
    queryable,
    rows,
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, held_minor, fees_minor,
         clearing_minor, revenue_minor, reason, at)
       select r.application_id, r.subject_id, r.kind, r.operator, r.currency, p.collect_minor, p.deposit_minor, p.held_minor, p.fees_minor,
              p.clearing_minor, p.revenue_minor, r.reason, r.at
         from json_to_recordset($1) as r (application_id uuid, subject_id uuid, kind text, operator text, currency text, type text,
           amount_minor bigint, fee_system_minor bigint, fee_app_minor bigint, reason text, at timestamptz)
         cross join lateral posting_amounts(r.kind, r.type, r.amount_minor, r.fee_system_minor, r.fee_app_minor) p`,
  )
}

/** Sums up what was stored of an application that had no transactions: its balances, roll-ups, counters and the days of its time zone. */
export async function sumUp(queryable: Queryable, applicationId: string): Promise<void> {
  const statements = [
    `update ledger_balances b
       set collect_minor = p.collect_minor, deposit_minor = p.deposit_minor, held_minor = p.held_minor, fees_minor = p.fees_minor,
           clearing_minor = p.clearing_minor, revenue_minor = p.revenue_minor
       from (select operator, sum(collect_minor) as collect_minor, sum(deposit_minor) as deposit_minor, sum(held_minor) as held_minor,
                    sum(fees_minor) as fees_minor, sum(clearing_minor) as clearing_minor, sum(revenue_minor) as revenue_minor
               from ledger_postings where application_id = $1 group by operator) p
       where b.application_id = $1 and b.operator = p.operator`,
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select $1, (created_at at time zone 'UTC')::date, operator, type, status, count(*), sum(amount_minor)
         from transactions where application_id = $1 group by 2, 3, 4, 5`,
    `update application_counters c
       set transaction_count = t.all_of_them, pending_count = t.pending, pending_approval_count = t.waiting, success_count = t.succeeded,
           failed_count = t.failed, change_number = c.change_number + 1
       from (select count(*) as all_of_them, count(*) filter (where status = 'PENDING') as pending,
                    count(*) filter (where status = 'PENDING_APPROVAL') as waiting, count(*) filter (where status = 'SUCCESS') as succeeded,
                    count(*) filter (where status = 'FAILED') as failed
               from transactions where application_id = $1) t
       where c.application_id = $1`,
    `insert into transaction_day_marks (application_id, created_until, success_until, failed_until)
       select c.application_id, c.transaction_count, c.success_count, c.failed_count from application_counters c where c.application_id = $1`,
    `update day_zones z set counted_from = c.transaction_count + 1
       from application_counters c where z.application_id = $1 and c.application_id = $1`,
    'select count_day_edges(application_id, time_zone, counted_from) from day_zones where application_id = $1',
  ]
  for (const statement of statements) await queryable.query(statement, [applicationId])
}

export type StagedEntry = {
  application_id: string
  sequence: bigint
  at: Date
  actor_kind: AuditActor['kind']
  actor_id: string | null
  action: string
  subject: string
  details: AuditDetails
  address: string | null
  previous_hash: Buffer
  hash: Buffer
}

/**
 * Hides the audit record behind an empty table of the same name, which only this session sees: PostgreSQL looks for a table among the
 * temporary ones first. Entries that commands append go there, until `takeStagedAudit`. The record itself accepts no change and needs none.
 */
export async function stageAudit(trx: Queryable): Promise<void> {
  await trx.query('create temporary table audit_entries (like audit_entries) on commit drop')
}

/** Returns what was appended since `stageAudit`, in order, and shows the record again. */
export async function takeStagedAudit(trx: Queryable): Promise<StagedEntry[]> {
  const { rows } = await trx.query<StagedEntry>('select * from pg_temp.audit_entries order by application_id, sequence')
  await trx.query('drop table pg_temp.audit_entries')
  return rows
}

/** The last entry of a chain; undefined: it is empty. */
export async function readLastEntry(trx: Queryable, applicationId: string): Promise<Pick<StagedEntry, 'sequence' | 'hash'> | undefined> {
  const { rows } = await trx.query<Pick<StagedEntry, 'sequence' | 'hash'>>(
    'select sequence, hash from audit_entries where application_id = $1 order by sequence desc limit 1',
    [applicationId],
  )
  return rows[0]
}

/** Adds entries that carry their place and digest to the record. */
export async function insertAudit(trx: Queryable, entries: readonly StagedEntry[]): Promise<void> {
  const bytes = (digest: Buffer) => `\\x${digest.toString('hex')}`
  await insertRows(
    trx,
    'audit_entries',
    entries.map((entry) => ({ ...entry, previous_hash: bytes(entry.previous_hash), hash: bytes(entry.hash) })),
  )
}

/** Table and columns are names from the types of the rows, never input. */
async function insertRows(queryable: Queryable, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  await forEachChunk(
    queryable,
    rows,
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
  )
}

async function forEachChunk(queryable: Queryable, rows: readonly object[], statement: string): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_MAX)
    await queryable.query(statement, [encode(rows.slice(start, start + ROWS_MAX))])
}

/** JSON has no form of its own for a bigint; PostgreSQL reads its digits. */
function encode(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
