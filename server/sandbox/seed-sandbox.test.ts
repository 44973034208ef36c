import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { type SandboxFile, seedSandbox } from './seed-sandbox.ts'

let database: TestDatabase
const dataDirectory = mkdtempSync(path.join(tmpdir(), 'countersign-seed-'))
const file = path.join(dataDirectory, 'sandbox.json')
const options = () => ({
  pool: database.pool,
  dataDirectory,
  baseUrl: 'http://127.0.0.1:3000',
  simulatorFolder: path.join(dataDirectory, 'simulator'),
  now: new Date(),
})
let tookMs = 0

before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  const startedAt = performance.now()
  assert.equal(await seedSandbox(options()), true)
  tookMs = performance.now() - startedAt
  console.log('SEED', tookMs)
})
after(async () => {
  await database.drop()
  rmSync(dataDirectory, { recursive: true, force: true })
})

async function distinct(column: string, table = 'transactions'): Promise<unknown[]> {
  const { rows } = await database.pool.query<{ value: unknown }>(`select distinct ${column} as value from ${table} order by 1`)
  return rows.map((row) => row.value)
}

test('the books of the seeded history are right to the last unit', async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
})

test('the first start is not held up: seeding takes seconds', () => {
  assert.ok(tookMs < 20_000, `${Math.round(tookMs)} ms`)
})

test('every status, operator, source and failure message is there', async () => {
  assert.deepEqual(await distinct('status'), ['FAILED', 'PENDING', 'PENDING_APPROVAL', 'SUCCESS'])
  assert.deepEqual(await distinct('operator'), OPERATOR_CODES.toSorted())
  assert.deepEqual(await distinct('source'), ['api', 'file', 'person'])
  const messages = await distinct('message')
  for (const message of Object.values(FAILURE_MESSAGES)) assert.ok(messages.includes(message), message)
  assert.deepEqual(await distinct('state', 'operator_work'), ['submitted', 'unconfirmed'])
  assert.deepEqual(await distinct('event', 'transaction_events'), [
    'approved',
    'created',
    'expired',
    'failed',
    'recalled',
    'refused_for_funds',
    'rejected',
    'succeeded',
  ])
})

test('what waits for approval came in under several rules, and some of it has one of two checkers', async () => {
  const { rows } = await database.pool.query<{ waiting: bigint; rules: bigint; partial: bigint }>(
    `select count(*) as waiting, count(distinct i.rule ->> 'name') as rules, count(*) filter (where d.made > 0) as partial
       from transactions t join approval_items i using (application_id, transaction_id)
       cross join lateral (select count(*) as made from approval_decisions a where a.application_id = t.application_id and a.transaction_id = t.transaction_id) d
       where t.status = 'PENDING_APPROVAL' and i.expires_at > now()`,
  )
  assert.ok((rows[0]?.waiting ?? 0n) >= 30n, `waiting: ${rows[0]?.waiting}`)
  assert.ok((rows[0]?.rules ?? 0n) >= 4n, `rules: ${rows[0]?.rules}`)
  assert.ok((rows[0]?.partial ?? 0n) >= 3n, `partial: ${rows[0]?.partial}`)
})

test('sequences follow time', async () => {
  const { rows } = await database.pool.query<{ misplaced: bigint }>(
    `select count(*) as misplaced from (
       select created_at < lag(created_at) over (partition by application_id order by sequence) as a,
              final_at < lag(final_at) over (partition by application_id, status order by final_sequence) as b from transactions) t where a or b`,
  )
  assert.equal(rows[0]?.misplaced, 0n)
})

test('no webhook is left to be sent to an address that somebody made up', async () => {
  assert.deepEqual(await distinct('state', 'webhook_deliveries'), ['delivered', 'exhausted'])
  const { rows } = await database.pool.query<{ count: bigint }>(`select count(*) from transactions where webhook_url !~ '\\.example[:/]'`)
  assert.equal(rows[0]?.count, 0n)
})

test('the secrets are stored in sandbox.json, which only its owner can read', () => {
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const content: SandboxFile = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(Object.keys(content), ['baseUrl', 'applications'])
  const [first, second] = content.applications
  assert.deepEqual(Object.keys(first ?? {}), ['name', 'apiId', 'apiKey', 'username', 'password', 'webhookSecret', 'people'])
  assert.equal(first?.name, 'Kora Stores')
  assert.match(first?.webhookSecret ?? '', /^whsec_/)
  const roles = (people: { roles: string[] }[] = []) => people.map((person) => person.roles.join('+'))
  assert.deepEqual(roles(first?.people), ['maker', 'maker', 'checker', 'checker', 'finance', 'administrator', 'maker+checker'])
  assert.deepEqual(roles(second?.people), ['maker', 'checker', 'finance', 'administrator'])
  for (const { people } of content.applications) for (const person of people) assert.equal(person.password.length, 20, person.email)
})

test('a database that holds applications is left alone', async () => {
  const before = readFileSync(file, 'utf8')
  assert.equal(await seedSandbox(options()), false)
  assert.equal(readFileSync(file, 'utf8'), before)
  assert.equal(existsSync(`${file}.unconfirmed`), false)
})
