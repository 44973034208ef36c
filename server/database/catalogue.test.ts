import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/**
 * Tables that a sharded installation keeps whole on every node, because they stay small; each with the reason why it may
 * be keyed by something else than its application. Any other table has volume.
 */
const REFERENCE_TABLES: Record<string, string> = {
  applications: 'one row per application, in the memory of every process',
  api_keys: 'a few rows per application, in the memory of every process; a key is found by its digest alone',
  api_users: 'a few rows per application; a partner signs in by user name alone',
  people: 'one row per person, who may belong to several applications',
  recovery_codes: 'ten rows per person',
  ended_sessions: 'one row per session that was signed out within the last twelve hours; a person may belong to several applications',
  person_invitations: 'one row per person who was invited; found by the digest of the link, before anybody has signed in',
  person_sessions: 'one row per browser in which a person is signed in; a person may belong to several applications',
  sign_in_networks: 'at most twenty rows per name that signs in; looked up before anybody has signed in',
  sign_in_throttles: 'one row per name or address that failed lately; belongs to no application yet',
  application_versions: 'one row per application: which of them changed',
  readiness: 'one row: shows that a commit ends',
  scheduled_tasks: 'one row per task of the worker role',
  processes: 'one row per process that runs',
  backup_notes: 'two rows: the last backup, the last restore test',
  schema_release: 'one row: which release keeps the schema',
  schema_migrations: 'one row per migration',
  schema_functions: 'one row per function file',
  installation: 'one row: whether this database belongs to a sandbox or to production',
  secrets_keys: 'one row per key that secrets are encrypted with',
  retention_marks: 'one row per kind of row that is removed when it is old',
  operator_settings: 'one row per operator and protocol: an operator account belongs to the installation',
  operator_access_tokens: 'one row per account at an operator',
  operator_circuits: 'two rows per operator: whether submissions reach it',
  operator_availability: 'one row per change of availability of an operator and direction within a month',
  operator_balances: 'one row per operator: what it reports as our balance',
  operator_floats: 'one row per operator: whether its account covers the deposits that wait',
  operator_float_sent: 'at most 16 rows per operator: how much was claimed to be sent',
  operator_flows: 'one row per operator and hour within a month',
  customer_code_numbers: 'one row per operator and number that was asked for a code within a day: codes count over all applications',
  notices: 'one row per event that people are told of; a sign-in belongs to no application',
  notice_messages: 'one row per mail or browser notification to a person, who may belong to several applications',
  notice_browsers: 'at most ten rows per person, who may belong to several applications',
  push_keys: 'one row: the key pair of the installation',
  notice_preferences: 'a few rows per person',
  notice_times: 'one row per person',
  link_mails: 'one row per link that is mailed within a month; a password belongs to no application',
  password_resets: 'one row per person whose password was reset and who has not chosen a new one; found by the digest of the link',
  passkeys: 'at most ten rows per person; a sign-in finds its person by the key alone',
  passkey_challenges: 'one row per sign-in or set-up with a passkey within five minutes',
  person_devices: 'one row per browser and network from which a person signs in',
  sandbox_mails: 'only in a sandbox: the mails that it would have sent',
  ledger_seal: 'one row: up to when postings are summed by day',
}

/** Rows that are written once: no role that may write in the database can change or remove them. */
const APPEND_ONLY_TABLES = [
  'ledger_postings',
  'transaction_events',
  'approval_decisions',
  'audit_entries',
  'operator_contradictions',
  'shared_operator_references',
  'statement_lines',
  'match_events',
  'exception_events',
  'matching_rules',
  'journal_mappings',
  'journal_entries',
  'journal_lines',
  'beneficiary_numbers',
]

type Key = { table_name: string; key_name: string; is_primary: boolean; first_column: string | null }

const TABLES_SQL = `select c.relname as table_name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`

async function readTables(): Promise<string[]> {
  const { rows } = await database.pool.query<{ table_name: string }>(TABLES_SQL)
  return rows.map((row) => row.table_name)
}

/** Every primary key, unique constraint and unique index with its first column; null where that is an expression. */
async function readKeys(): Promise<Key[]> {
  const { rows } = await database.pool.query<Key>(
    `select c.relname as table_name, k.relname as key_name, i.indisprimary as is_primary, a.attname as first_column
       from pg_index i
       join pg_class c on c.oid = i.indrelid
       join pg_class k on k.oid = i.indexrelid
       left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] and a.attnum > 0
       where c.relnamespace = 'public'::regnamespace and i.indisunique order by 1, 2`,
  )
  return rows
}

/** Finds whatever keeps these tables from being sharded by application. */
function findBreaches(tables: readonly string[], keys: readonly Key[]): string[] {
  const withVolume = tables.filter((table) => !Object.hasOwn(REFERENCE_TABLES, table))
  const withoutKey = withVolume.filter((table) => !keys.some((key) => key.table_name === table && key.is_primary))
  const wrongKeys = keys.filter((key) => withVolume.includes(key.table_name) && key.first_column !== 'application_id')
  return [
    ...withoutKey.map((table) => `${table} has no primary key`),
    ...wrongKeys.map((key) => `${key.key_name} of ${key.table_name} begins with ${key.first_column}`),
  ]
}

test('application_id comes first in every primary key, unique constraint and unique index of a table with volume', async () => {
  assert.deepEqual(findBreaches(await readTables(), await readKeys()), [])
})

test('named: every key of a table with volume that does not begin with application_id', async () => {
  await database.pool.query(`
    create table breach_without_key (application_id uuid not null);
    create table breach_in_primary_key (id uuid primary key, application_id uuid not null);
    create table breach_in_index (application_id uuid, place integer, id uuid, primary key (application_id, place));
    create unique index breach_in_index_id on breach_in_index (id, application_id);
    create unique index breach_in_index_expression on breach_in_index (lower(id::text), application_id)`)
  try {
    assert.deepEqual(findBreaches(await readTables(), await readKeys()), [
      'breach_without_key has no primary key',
      'breach_in_index_expression of breach_in_index begins with null',
      'breach_in_index_id of breach_in_index begins with id',
      'breach_in_primary_key_pkey of breach_in_primary_key begins with id',
    ])
  } finally {
    await database.pool.query('drop table breach_without_key, breach_in_primary_key, breach_in_index')
  }
})

test('exists: every table in the list of reference tables', async () => {
  const tables = await readTables()
  assert.deepEqual(
    Object.keys(REFERENCE_TABLES).filter((table) => !tables.includes(table)),
    [],
  )
})

test('no foreign key in a table with volume, because each would cost a look-up and a lock on the hot path', async () => {
  const { rows } = await database.pool.query<{ table_name: string; target: string }>(
    `select c.conrelid::regclass::text as table_name, c.confrelid::regclass::text as target from pg_constraint c
       where c.contype = 'f' and c.connamespace = 'public'::regnamespace`,
  )
  const hot = [
    'transactions',
    'transaction_events',
    'ledger_balances',
    'ledger_postings',
    'transaction_days',
    'transaction_day_edges',
    'day_zones',
    'operator_work',
    'operator_attempts',
    'webhook_deliveries',
    'webhook_attempts',
  ]
  assert.deepEqual(
    rows.filter((row) => hot.includes(row.table_name)),
    [],
  )
})

for (const table of APPEND_ONLY_TABLES) {
  test(`refused: update, delete and truncate of ${table}, also in a session that replicates`, async () => {
    const { rows } = await database.pool.query<{ name: string; enabled: string; events: string; orientation: string }>(
      `select t.tgname as name, t.tgenabled::text as enabled, pg_get_triggerdef(t.oid) as events, t.tgfoid::regproc::text as orientation
         from pg_trigger t where t.tgrelid = $1::regclass and not t.tgisinternal`,
      [table],
    )
    for (const event of ['UPDATE', 'DELETE', 'TRUNCATE']) {
      const guard = rows.find((row) => row.orientation === 'refuse_change' && new RegExp(`BEFORE [A-Z ]*${event}`).test(row.events))
      assert.ok(guard, `${event} of ${table} is not guarded`)
      assert.equal(guard.enabled, 'A', `${guard.name} can be switched off by session_replication_role`)
    }
    await assert.rejects(database.pool.query(`truncate ${table}`), /never changed or removed/)
  })
}

for (const change of ['api_user_id = gen_random_uuid()', 'needed_approval = true']) {
  test(`refused: ${change} of a transaction, which says who created it and how, also in a session that replicates`, async () => {
    const applicationId = await makeApplication(database.pool)
    await takeIn(database.pool, [anIntakeItem(applicationId)])
    const { rows } = await database.pool.query<{ enabled: string }>(
      "select tgenabled::text as enabled from pg_trigger where tgrelid = 'transactions'::regclass and tgname = 'refuse_change'",
    )
    assert.deepEqual(rows, [{ enabled: 'A' }])
    await assert.rejects(
      database.pool.query(`update transactions set ${change} where application_id = $1`, [applicationId]),
      /never changed or removed/,
    )
  })
}

test('logged: every table except the counts of failed sign-ins, which may be lost', async () => {
  const { rows } = await database.pool.query<{ relname: string }>(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence <> 'p'`,
  )
  assert.deepEqual(
    rows.map((row) => row.relname),
    ['sign_in_throttles'],
  )
})

test('a search_path of its own and no schema name in every function', async () => {
  const { rows } = await database.pool.query<{ name: string; settings: string[] | null; source: string }>(
    `select p.proname as name, p.proconfig as settings, p.prosrc as source from pg_proc p
       where p.pronamespace = 'public'::regnamespace
         and not exists (select 1 from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
       order by 1`,
  )
  assert.ok(rows.length > 15)
  // A setting would keep these from being inlined, into an index and into the batches that move money; they read no table.
  const checked = rows.filter((row) => !['webhook_receiver', 'posting_amounts', 'is_in_account', 'agreed_fee'].includes(row.name))
  assert.deepEqual(
    checked.filter((row) => !row.settings?.some((setting) => setting.startsWith('search_path='))).map((row) => row.name),
    [],
  )
  assert.deepEqual(
    rows.filter((row) => /\bpublic\./.test(row.source)).map((row) => row.name),
    [],
  )
})

test('nested loops over indexes only in every function that joins the rows of a batch to a table', async () => {
  // A plan that was made while a table was small reads all of it for a hash, and is kept while the table grows by a million rows.
  const { rows } = await database.pool.query<{ name: string; settings: string[] }>(
    `select p.proname as name, p.proconfig as settings from pg_proc p
       where p.pronamespace = 'public'::regnamespace and 'enable_seqscan=off' = any (p.proconfig)
         and p.prosrc ~ '(json_to_recordset|unnest)' and p.prosrc ~ '(join|update|delete from) [a-z_]+ ' and p.proname <> all ($1)
       order by 1`,
    // Each of their statements reads a slice of one index.
    [['claim_webhooks', 'recent_webhook_targets']],
  )
  assert.ok(rows.length > 8)
  for (const setting of ['enable_hashjoin=off', 'enable_mergejoin=off'])
    assert.deepEqual(
      rows.filter(({ settings }) => !settings.includes(setting)).map(({ name }) => name),
      [],
      setting,
    )
})
