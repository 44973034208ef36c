import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { BenchDatabase, BenchEnvironment } from '#e2e/bench/environment/environment.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'

const run = promisify(execFile)
const DEBIAN_FOLDER = '/usr/lib/postgresql'

type PgbenchResult = { ratePerSecond: number; clients: number; latencyMs: number }

/** Returns the file of one of PostgreSQL's programs, from the path or from where Debian installs it; undefined if it is not installed. */
export async function findPostgresProgram(name: string): Promise<string | undefined> {
  const versions = (await readdir(DEBIAN_FOLDER).catch(() => [])).sort((left, right) => Number(right) - Number(left))
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...versions.map((version) => path.join(DEBIAN_FOLDER, version, 'bin'))]
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
}

type PgbenchRun = {
  program: string
  environment: BenchEnvironment
  database: BenchDatabase
  script: string
  seconds: number
  clientCounts: number[]
}

/** Runs a script with several numbers of clients, over the socket file and with prepared statements. Returns the best result. */
export async function runPgbench(options: PgbenchRun): Promise<PgbenchResult> {
  const file = path.join(options.environment.folder, 'script.sql')
  await writeFile(file, options.script)
  let best: PgbenchResult = { ratePerSecond: 0, clients: 0, latencyMs: 0 }
  for (const clients of options.clientCounts) {
    const result = await runOnce(options, file, clients)
    if (result.ratePerSecond > best.ratePerSecond) best = result
  }
  return best
}

async function runOnce({ program, environment, database, seconds }: PgbenchRun, file: string, clients: number): Promise<PgbenchResult> {
  const { username, password } = new URL(database.url)
  const args = [
    '--no-vacuum',
    '--protocol=prepared',
    `--file=${file}`,
    `--client=${clients}`,
    '--jobs=1',
    `--time=${Math.max(1, Math.round(seconds))}`,
    `--host=${environment.socketFolder}`,
    `--port=${environment.postgres.port}`,
    `--username=${username}`,
    database.name,
  ]
  const { stdout } = await run(program, args, { env: { ...process.env, PGPASSWORD: password }, maxBuffer: 16 * 1024 * 1024 })
  const ratePerSecond = Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1] ?? 0)
  const latencyMs = Number(/latency average = ([\d.]+)/.exec(stdout)?.[1] ?? 0)
  if (ratePerSecond === 0) throw new Error(`pgbench measured nothing: ${stdout.slice(0, 500)}`)
  return { ratePerSecond, clients, latencyMs }
}

const CHOICES = `\\set app random(100000000000, 100000000999)
\\set place random(1, ${OPERATOR_CODES.length})
\\set amount random(25, 150) * 20000
\\set phone random(237670000000, 237679999999)
`
const APPLICATION = `('00000000-0000-4000-8000-' || :app)::uuid`
const OPERATOR = `(array[${OPERATOR_CODES.map((code) => `'${code}'`).join(',')}])[:place]`
const CURRENCY = `(array[${OPERATOR_CODES.map((code) => `'${OPERATORS[code].country.currency}'`).join(',')}])[:place]`
const HELD = '(:amount::bigint * 203 / 200)'

/** The rows of one deposit, one commit each, in plain statements as an engineer would write them: seven round trips. */
export const PLAIN_SCRIPT = `${CHOICES}begin;
update application_counters
  set transaction_count = transaction_count + 1, pending_count = pending_count + 1, change_number = change_number + 1
  where application_id = ${APPLICATION} returning transaction_count as sequence, uuidv7() as id \\gset
update ledger_balances set deposit_minor = deposit_minor - ${HELD}, held_minor = held_minor + ${HELD}
  where application_id = ${APPLICATION} and operator = ${OPERATOR} and deposit_minor >= ${HELD};
insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency, amount_minor,
    fee_system_minor, fee_app_minor, held_minor, customer_name, phone_number, webhook_url, pay_token, source, api_user_id, created_at)
  values (${APPLICATION}, :id, :sequence, gen_random_uuid(), 'DEPOSIT', 'PENDING', ${OPERATOR}, ${CURRENCY}, :amount,
    :amount::bigint / 100, :amount::bigint / 200, ${HELD}, 'Clarisse Mbarga Essomba', :phone,
    'https://hooks.partner.example/payments/results', gen_random_uuid(), 'api', ${APPLICATION}, now());
insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, held_minor, at)
  values (${APPLICATION}, :id, 'hold', ${OPERATOR}, ${CURRENCY}, -${HELD}, ${HELD}, now());
insert into operator_work (application_id, transaction_id, operator, state, next_at) values (${APPLICATION}, :id, ${OPERATOR}, 'queued', now());
insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
  values (${APPLICATION}, current_date, ${OPERATOR}, 'DEPOSIT', 'PENDING', 1, :amount)
  on conflict (application_id, day, operator, type, status) do update
    set transaction_count = transaction_days.transaction_count + 1, amount_minor = transaction_days.amount_minor + excluded.amount_minor;
commit;
`

/** The same through the service's own statement, one deposit per call: one round trip. */
export const ONE_CALL_SCRIPT = `${CHOICES}select * from start_transactions(array[${APPLICATION}], json_build_array(json_build_object(
  'item_index', 0, 'application_id', ${APPLICATION}, 'application_index', 1, 'transaction_id', uuidv7(), 'external_id', gen_random_uuid(),
  'type', 'DEPOSIT', 'operator', ${OPERATOR}, 'currency', ${CURRENCY}, 'customer_name', 'Clarisse Mbarga Essomba', 'phone_number', :phone::text,
  'amount_minor', :amount::bigint, 'fee_system_minor', :amount::bigint / 100, 'fee_app_minor', :amount::bigint / 200,
  'webhook_url', 'https://hooks.partner.example/payments/results', 'pay_token', gen_random_uuid(), 'source', 'api',
  'api_user_id', ${APPLICATION})), false);
`
