import type { MadeRow } from '#e2e/attack/case.ts'
import type { Pool } from '#server/database/pool.ts'
import { checkMarkedRows, isExplained, OWN_ROWS, OWN_TRANSACTIONS } from './marked-rows.ts'

/** The changes that a table may see while only refused requests, transfers, sign-ins and look-ups are sent. */
type Rule =
  /** Every new row is checked by name: `checkRows`. */
  | 'named'
  /** Rows about a transaction; the transaction itself is checked. */
  | 'of transactions'
  /** The bytes of an export, whose row and audit entry are checked. */
  | 'of exports'
  /** Sums that `npm run verify` recounts from the rows that are checked. */
  | 'recounted'
  /** Lists that a scheduled task makes of the transactions, which are checked, and how far it has come. */
  | 'derived'
  /** Written for refused requests on purpose. */
  | 'counts attempts'
  /** The time of somebody's last activity. */
  | 'about looking'

/** Tables that are not listed here must not change: a new table fails until it is added here. */
const RULES: Readonly<Record<string, Rule>> = {
  transactions: 'named',
  refresh_tokens: 'named',
  audit_entries: 'named',
  exports: 'named',
  export_pieces: 'of exports',
  transaction_events: 'of transactions',
  ledger_postings: 'of transactions',
  operator_work: 'of transactions',
  operator_attempts: 'of transactions',
  webhook_deliveries: 'of transactions',
  webhook_attempts: 'of transactions',
  approval_items: 'of transactions',
  transaction_origins: 'of transactions',
  dismissed_returns: 'derived',
  transaction_refunds: 'of transactions',
  payment_link_payments: 'of transactions',
  application_counters: 'recounted',
  ledger_balances: 'recounted',
  transaction_days: 'recounted',
  transaction_day_marks: 'derived',
  transaction_day_edges: 'recounted',
  ledger_days: 'recounted',
  ledger_day_edges: 'recounted',
  ledger_seal: 'recounted',
  sealed_totals: 'recounted',
  application_seals: 'recounted',
  sealed_operator_months: 'recounted',
  customers: 'derived',
  customer_words: 'derived',
  customer_marks: 'derived',
  operator_references: 'derived',
  operator_tokens: 'derived',
  operator_reference_marks: 'derived',
  operator_access_tokens: 'derived',
  contradiction_queries: 'of transactions',
  second_look_marks: 'derived',
  customer_code_numbers: 'of transactions',
  scheduled_tasks: 'derived',
  // Written for transactions to which an operator gave one reference, as the operator that returns garbage does.
  shared_operator_references: 'of transactions',
  operator_circuits: 'derived',
  operator_availability: 'derived',
  operator_outcomes: 'derived',
  operator_outcome_marks: 'derived',
  operator_flows: 'derived',
  operator_balances: 'derived',
  operator_balance_polls: 'derived',
  operator_floats: 'derived',
  operator_float_sent: 'of transactions',
  // The outbox of e-mails and browser notifications, and the mailbox of the sandbox.
  notices: 'derived',
  notice_messages: 'derived',
  push_keys: 'derived',
  sandbox_mails: 'derived',
  monthly_totals: 'derived',
  person_devices: 'about looking',
  // Each process reports every 15 s.
  processes: 'derived',
  // A minute after the start, the days of the sandbox's statements are compared and exceptions are listed.
  days_to_examine: 'derived',
  wallet_days: 'recounted',
  exceptions: 'derived',
  exception_events: 'derived',
  fee_days: 'derived',
  fee_months: 'derived',
  fee_marks: 'derived',
  retention_marks: 'derived',
  notice_preferences: 'about looking',
  sign_in_throttles: 'counts attempts',
  // Anybody may begin a sign-in; unanswered, it expires.
  passkey_challenges: 'counts attempts',
  api_refusals: 'counts attempts',
  api_requests: 'counts attempts',
  api_key_uses: 'counts attempts',
  // Any request of a signed-in person notes that they are there.
  person_sessions: 'about looking',
  application_sessions: 'about looking',
  person_sightings: 'about looking',
  // Any request for /health/ready.
  readiness: 'about looking',
}

/** Records that are about looking and about trying, or of a task, and belong to no change of anything. */
const HARMLESS_ACTIONS =
  /exceptions\.examined|sign(?:ed)?.?(?:in|out)|password|second.?factor|export|download|synchron|session|refus|token/i

type QuietTables = ReadonlyMap<string, readonly string[]>

type RowSnapshot = {
  startedAt: Date
  quiet: QuietTables
  auditEntries: number
  exports: number
  refreshTokens: number
}

/** The answers that the run received: externalIds by outcome, and accepted requests that write other rows. */
export type Told = {
  accepted: ReadonlySet<string>
  /** Rows of other tables. */
  acceptedRows: readonly MadeRow[]
  /** Nobody was told: the connection broke, or the answer was a 503 that says so. */
  uncertain: ReadonlySet<string>
  acceptedTokens: number
}

export async function snapshotRows(pool: Pool): Promise<RowSnapshot> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  return {
    startedAt: rows[0]?.now ?? new Date(),
    quiet: await readQuietTables(pool),
    auditEntries: await count(pool, 'audit_entries'),
    exports: await count(pool, 'exports'),
    refreshTokens: await count(pool, 'refresh_tokens'),
  }
}

/** Rows that refused requests wrote, and accepted ones that are missing. One sentence each. */
export async function checkRows(pool: Pool, before: RowSnapshot, told: Told): Promise<string[]> {
  return [
    ...(await checkQuietTables(pool, before)),
    ...(await checkTransactions(pool, before, told)),
    ...(await checkMarkedRows(pool, told)),
    ...(await checkOtherRows(pool, before, told)),
  ]
}

async function checkQuietTables(pool: Pool, before: RowSnapshot): Promise<string[]> {
  const after = await readQuietTables(pool)
  return [...new Set([...before.quiet.keys(), ...after.keys()])].flatMap((table) => {
    const [old = [], now = []] = [before.quiet.get(table), after.get(table)]
    const removed = old.filter((row) => !now.includes(row))
    const added = now.filter((row) => !old.includes(row))
    if (removed.length + added.length === 0) return []
    return [`rows of ${table} changed (${describeChange(removed, added)}), and no request was accepted that does that`]
  })
}

/** Returns the changed columns of rows that can be matched, and how many rows were added or removed otherwise. */
function describeChange(removed: readonly string[], added: readonly string[]): string {
  const [old, now] = [removed[0], added[0]].map((row) => (row === undefined ? undefined : (JSON.parse(row) as Record<string, unknown>)))
  if (!old || !now || removed.length !== added.length) return `${added.length} new, ${removed.length} gone`
  const columns = Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(old[name]))
  return `${added.length} rows, in ${columns.join(', ')}`
}

async function checkTransactions(pool: Pool, before: RowSnapshot, told: Told): Promise<string[]> {
  const { rows } = await pool.query<{ external_id: string }>(
    `select external_id from transactions t where created_at >= $1 and not ${OWN_TRANSACTIONS}`,
    [before.startedAt],
  )
  const stored = new Set(rows.map((row) => row.external_id))
  const problems: string[] = []
  for (const id of stored)
    if (!told.accepted.has(id) && !told.uncertain.has(id)) problems.push(`the transaction ${id} exists, and its request was refused`)
  for (const id of told.accepted) if (!stored.has(id)) problems.push(`the transaction ${id} was accepted and does not exist`)
  const { rows: unprovenReceivers } = await pool.query<{ what: string; transaction_id: string }>(
    `select 'event' as what, e.transaction_id from transaction_events e join transactions t using (application_id, transaction_id)
       where e.at >= $1 and t.final_at < $1
     union all
     select 'decision', d.transaction_id from approval_decisions d where d.decided_at >= $1 limit 20`,
    [before.startedAt],
  )
  problems.push(
    ...unprovenReceivers.map(({ what, transaction_id }) => `a new ${what} of ${transaction_id}, which nobody was allowed to touch`),
  )
  return problems
}

async function checkOtherRows(pool: Pool, before: RowSnapshot, told: Told): Promise<string[]> {
  const problems: string[] = []
  const { rows } = await pool.query<{ action: string; count: string }>(
    'select action, count(*) as count from audit_entries where at >= $1 group by action',
    [before.startedAt],
  )
  for (const { action, count: times } of rows)
    if (!HARMLESS_ACTIONS.test(action) && !isExplained(action, Number(times), told))
      problems.push(`${times} audit entries ${action}, and no accepted request explains them`)
  const tokens = (await count(pool, 'refresh_tokens')) - before.refreshTokens
  if (tokens > told.acceptedTokens) problems.push(`${tokens} new refresh tokens, and only ${told.acceptedTokens} were issued`)
  return problems
}

/** How a table is read where a part of its rows may change. The page that sets up a second factor creates a new secret; one in use never changes. */
const READ_AS: Readonly<Record<string, string>> = {
  // Where the rows of a batch ended is stored by a task, and recounted by verify.
  batches: `to_jsonb(t) - 'places'`,
  // Counts of a link change with its payments, and are recounted by verify.
  payment_links: `to_jsonb(t) - '{open_count,paid_count,late_count,collected_minor}'::text[]`,
  people: `case when t.totp_enabled_at is null then to_jsonb(t) - 'totp_secret' else to_jsonb(t) end`,
}

/** Every row of every table without a rule, as JSON: people, keys, rules, settings. None of them has many. */
async function readQuietTables(pool: Pool): Promise<QuietTables> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  const quiet = new Map<string, readonly string[]>()
  for (const { name } of tables) {
    if (RULES[name] !== undefined) continue
    const { rows } = await pool.query<{ row: string }>(
      `select (${READ_AS[name] ?? 'to_jsonb(t)'})::text as row from "${name}" as t where not ${OWN_ROWS[name] ?? 'false'} order by 1`,
    )
    quiet.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return quiet
}

async function count(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`select count(*) as count from ${table}`)
  return Number(rows[0]?.count ?? 0)
}
