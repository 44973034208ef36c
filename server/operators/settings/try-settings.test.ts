import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { readAllSettings, readSettings } from './operator-settings-store.ts'
import { forgetPreviousSettings, returnSettings } from './return-settings.ts'
import { setOperator } from './set-operator.ts'
import { createOperatorTests } from './test-operator.ts'

const SECRET = 'a secret between the test and its operators'
let database: TestDatabase
let folder: string
let simulator: Simulator
let applicationId: string
let anna: PersonCommandActor
before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-trial-'))
  simulator = await startSimulator({ secret: SECRET, port: 0, folder, delayMs: 10, slowDelayMs: 100 })
  applicationId = await makeApplication(database.pool)
  await database.pool.query('update applications set runs_installation = true where application_id = $1', [applicationId])
  anna = await actorOf(applicationId, 'administrator')
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
  await database.drop()
})

async function actorOf(of: string, ...roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, of, roles), applicationId: of, roles }
}

function scene() {
  const connectors = createConnectors({
    callbackBaseUrl: undefined,
    tokens: tokensInMemory(),
    clock: systemClock,
    logger: createLogger('silent'),
  })
  const tests = createOperatorTests({ connectors, clock: systemClock, logger: createLogger('silent'), nowMs: () => 0 })
  return (changes: Record<string, unknown> | undefined, actor = anna, operator: 'OMCM' | 'MOMOCM' = 'OMCM') =>
    tests.tryOut(database.pool, { applicationId: actor.applicationId, actor, change: { operator, protocol: 'gateway', changes } })
}

const about = { operator: 'OMCM', protocol: 'gateway' } as const
const set = async (changes: Record<string, unknown> | undefined, actor: PersonCommandActor | typeof SYSTEM_ACTOR = SYSTEM_ACTOR) =>
  must(await setOperator(database.pool, { ...about, changes, actor }))
const stored = () => readSettings(database.pool, 'OMCM', 'gateway')
const back = async (actor = anna) =>
  returnSettings({ pool: database.pool, clock: systemClock }, { ...about, version: Number((await stored())?.version ?? 1), actor })

test('working, refused and unanswered proposed settings are told apart; nothing is stored, and the record names the address without a secret', async () => {
  const tryOut = scene()
  const problemOf = async (changes: Record<string, unknown>) => must(await tryOut(changes)).test?.problem
  assert.equal(await problemOf({ baseUrl: simulator.url, secret: SECRET }), null)
  assert.equal(await problemOf({ baseUrl: simulator.url, secret: 'another secret' }), 'credentials_refused')
  assert.equal(await problemOf({ baseUrl: 'http://127.0.0.1:1', secret: SECRET }), 'no_answer')
  assert.deepEqual(await readAllSettings(database.pool, () => assert.fail()), [])
  const entries = await listAudit(database.pool, applicationId, { size: 3 })
  assert.deepEqual(
    entries.map(({ action, subject, actor, details }) => [action, subject, actor.id, details['problem'], details['baseUrl']]),
    [
      ['operator.settings_tested', 'OMCM', anna.id, 'no_answer', 'http://127.0.0.1:1'],
      ['operator.settings_tested', 'OMCM', anna.id, 'credentials_refused', simulator.url],
      ['operator.settings_tested', 'OMCM', anna.id, null, simulator.url],
    ],
  )
  assert.ok(!JSON.stringify(entries.map(({ details }) => details)).includes(SECRET))
  for (let count = 0; count < 3; count += 1) assert.ok((await tryOut({ baseUrl: simulator.url, secret: SECRET })).ok)
  assert.deepEqual(
    await tryOut({ baseUrl: simulator.url, secret: SECRET }).then(
      (result) => !result.ok && typeof result.error === 'object' && result.error.code,
    ),
    'throttled',
  )
})

test('stored secrets are not sent to another address that one person proposes', async () => {
  await set({ baseUrl: simulator.url, secret: SECRET })
  let calls = 0
  const listener = createServer((_, response) => {
    calls += 1
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  // The address of a listening server is not a path of a socket.
  const { port } = listener.address() as AddressInfo
  try {
    const refused = await scene()({ baseUrl: `http://127.0.0.1:${port}` })
    assert.ok(!refused.ok && typeof refused.error === 'object' && refused.error.code === 'invalid_settings')
    assert.deepEqual(
      refused.error.problems.map(({ path: field, problem }) => [field, problem]),
      [['secret', 'secret_again']],
    )
    assert.equal(calls, 0)
  } finally {
    listener.close()
    await set(undefined)
  }
})

test('the payments that the operator may have are counted, for a removal too, which has nothing to test', async () => {
  await set({ baseUrl: simulator.url, secret: SECRET })
  const [begun, queued] = [
    anIntakeItem(applicationId, { operator: 'OMCM', bands: [] }),
    anIntakeItem(applicationId, { operator: 'OMCM', bands: [] }),
  ]
  await takeIn(database.pool, [begun, queued, anIntakeItem(applicationId, { operator: 'OMCM', bands: [aBand()] })])
  await database.pool.query(
    `update operator_work set state = case when transaction_id = $1 then 'submitted' else 'queued' end where operator = 'OMCM'`,
    [begun.transactionId],
  )
  assert.deepEqual(must(await scene()(undefined)), { test: null, openCount: 1 })
  assert.equal(must(await scene()({ callsMax: 3 })).openCount, 1)
  await set(undefined)
})

test('not_permitted for other roles, not_the_installation for administrators of another application', async () => {
  const tryOut = scene()
  const changes = { baseUrl: simulator.url, secret: SECRET }
  for (const role of ['finance', 'engineer', 'checker', 'maker'] as const)
    assert.deepEqual(await tryOut(changes, await actorOf(applicationId, role)), { ok: false, error: 'not_permitted' })
  const elsewhere = await actorOf(await makeApplication(database.pool), 'administrator')
  assert.deepEqual(await tryOut(changes, elsewhere), { ok: false, error: 'not_the_installation' })
  assert.deepEqual(await back(elsewhere), { ok: false, error: 'not_the_installation' })
})

test('one administrator returns to the settings before, once, and to none where there were none', async () => {
  await set({ baseUrl: simulator.url, secret: SECRET })
  await set({ baseUrl: 'http://127.0.0.1:9', secret: 'other' })
  assert.ok((await stored())?.returnUntil)
  assert.ok((await back()).ok)
  const returned = await stored()
  assert.deepEqual(
    [returned?.document, Number(returned?.version), returned?.returnUntil],
    [{ baseUrl: simulator.url, secret: SECRET }, 3, null],
  )
  assert.deepEqual(await back(), { ok: false, error: 'no_return' })
  await set(undefined)
  await set({ baseUrl: simulator.url, secret: SECRET })
  assert.ok((await back()).ok)
  assert.equal(await stored(), undefined)
  assert.deepEqual(await back(), { ok: false, error: 'no_return' })
})

test('no_return after a day, and nothing of the settings before is left', async () => {
  await set({ baseUrl: simulator.url, secret: SECRET })
  await set({ secret: 'second' })
  const held = async () =>
    (await database.pool.query<{ held: boolean }>('select previous_document is not null as held from operator_settings')).rows.map(
      ({ held }) => held,
    )
  await forgetPreviousSettings(database.pool)
  assert.deepEqual(await held(), [true])
  await database.pool.query("update operator_settings set return_until = now() - interval '1 second'")
  assert.deepEqual(await back(), { ok: false, error: 'no_return' })
  await forgetPreviousSettings(database.pool)
  assert.deepEqual(await held(), [false])
  await set(undefined)
})

test('changed_meanwhile when another change came after what the person saw, and one of two at the same moment', async () => {
  await set({ baseUrl: simulator.url, secret: SECRET })
  await set({ secret: 'second' })
  const deps = { pool: database.pool, clock: systemClock }
  assert.deepEqual(await returnSettings(deps, { ...about, version: 1, actor: anna }), { ok: false, error: 'changed_meanwhile' })
  const both = await Promise.all([back(), back()])
  assert.equal(both.filter(({ ok }) => ok).length, 1)
  await set(undefined)
})
