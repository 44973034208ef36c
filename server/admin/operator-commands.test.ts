import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { mtnAccountOf } from '#server/operators/simulator/mtn/mtn-messages.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { type AdminHarness, createAdminHarness } from './testing.ts'

const SECRET = 'a secret of the simulator'
let harness: AdminHarness
let simulator: Simulator
let folder: string
before(async () => {
  harness = await createAdminHarness()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-operators-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 30 })
})
after(async () => {
  await simulator.close()
  await harness.close()
  await rm(folder, { recursive: true, force: true })
})

async function documentFile(document: unknown): Promise<string> {
  const file = path.join(folder, 'settings.json')
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document))
  return file
}

const set = async (document: unknown) =>
  harness.admin(['set-operator', '--operator', 'MOMOCM', '--protocol', 'mtn-momo', '--file', await documentFile(document)])

test('closed for a refused PIN, opened again once, and listed so', async () => {
  assert.equal(
    (await set({ baseUrl: `${simulator.url}/mtn`, targetEnvironment: 'mtncameroon', collection: mtnAccountOf(SECRET, 'collection') })).code,
    0,
  )
  const { rows } = await harness.database.pool.query<{ version: string }>(
    "select protocol || ' ' || version || ' ' || operator_settings_id as version from operator_settings where operator = 'MOMOCM'",
  )
  await harness.database.pool.query(
    `insert into operator_circuits (operator, type, state, since, fault, fault_version) values ('MOMOCM', 'COLLECT', 'CLOSED', now(), 'The PIN', $1)`,
    [rows[0]?.version],
  )
  assert.equal((await harness.facts('reopen-operator', '--operator', 'momocm'))['operator'], 'MOMOCM')
  assert.match((await harness.admin(['list-operators'])).out, /MOMOCM +COLLECT +CLOSED .*The PIN +yes/)
  const again = await harness.admin(['reopen-operator', '--operator', 'MOMOCM'])
  assert.deepEqual([again.code, again.problem.includes('opened again')], [1, true])
  await harness.database.pool.query('delete from operator_circuits')
  assert.equal((await harness.admin(['set-operator', '--operator', 'MOMOCM', '--protocol', 'mtn-momo', '--remove', 'yes'])).code, 0)
})

test('set, tested without moving money, listed without secrets, and removed', async () => {
  const collection = mtnAccountOf(SECRET, 'collection')
  const document = { baseUrl: `${simulator.url}/mtn`, targetEnvironment: 'mtncameroon', collection }
  const done = await set(document)
  assert.equal(done.code, 0, done.problem)
  const tested = await harness.facts('test-operator', '--operator', 'momocm', '--phone-number', '237677209905')
  assert.deepEqual(tested, { directions: 'COLLECT', balance: 'collect 100000000 XAF, deposit not reported', account: 'not_registered' })
  const listed = await harness.admin(['list-operators'])
  assert.match(listed.out, /MOMOCM +mtn-momo +1 .*collection\.subscriptionKey collection\.apiKey/)
  for (const run of [done, listed])
    for (const secret of [collection.apiKey, collection.subscriptionKey]) assert.ok(!(run.out + run.problem).includes(secret))

  const changed = await set({ collection: { apiKey: 'another key' } })
  assert.equal(changed.code, 0, changed.problem)
  const refused = await harness.admin(['test-operator', '--operator', 'MOMOCM'])
  assert.equal(refused.code, 1)
  assert.match(refused.problem, /balance: No access token: HTTP 401/)

  const removed = await harness.admin(['set-operator', '--operator', 'MOMOCM', '--protocol', 'mtn-momo', '--remove', 'yes'])
  assert.equal(removed.code, 0, removed.problem)
  assert.equal((await harness.admin(['test-operator', '--operator', 'MOMOCM'])).code, 1)
})

for (const [name, document, problem] of [
  ['settings that do not fit', { baseUrl: 'x', collection: { apiKey: 'hidden secret' } }, /These settings do not fit: baseUrl/],
  ['a file that is not JSON', '{"collection": {"apiKey": "hidden secret"', /does not hold one JSON object/],
] as const) {
  test(`exit code 1 and one sentence without secrets for ${name}`, async () => {
    const run = await set(document)
    assert.equal(run.code, 1)
    assert.match(run.problem, problem)
    assert.ok(!run.problem.includes('hidden secret'))
  })
}

test('the application that runs the installation in list', async () => {
  const { applicationId = '' } = await harness.facts('create-application', '--name', 'Operations')
  assert.match((await harness.admin(['list'])).out, new RegExp(`${applicationId}.* yes +no`))
  await harness.facts('set-application', '--application', applicationId, '--runs-installation', 'yes')
  assert.match((await harness.admin(['list'])).out, new RegExp(`${applicationId}.* yes +yes`))
})

test('exit code 2 without a file, and for a protocol of another operator exit code 1', async () => {
  assert.equal((await harness.admin(['set-operator', '--operator', 'MOMOCM', '--protocol', 'mtn-momo'])).code, 2)
  const run = await harness.admin(['set-operator', '--operator', 'OMCM', '--protocol', 'mtn-momo', '--file', await documentFile({})])
  assert.deepEqual([run.code, run.problem.trim()], [1, 'That operator does not use this protocol.'])
})
