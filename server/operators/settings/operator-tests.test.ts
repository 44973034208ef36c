import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { gatewaySettings } from '../sandbox-protocol/sandbox-connector.ts'
import { createOperatorTests } from './test-operator.ts'

const SECRET = 'a secret between the test and its operators'
let database: TestDatabase
let folder: string
let simulator: Simulator
let connectors: FollowingConnectors
before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-tests-'))
  simulator = await startSimulator({ secret: SECRET, port: 0, folder, delayMs: 10, slowDelayMs: 100 })
  connectors = createConnectors({
    settings: [
      ...gatewaySettings(['OMCM'], { baseUrl: simulator.url, secret: SECRET }),
      ...gatewaySettings(['CIOM'], { baseUrl: simulator.url, secret: 'another secret' }),
      ...gatewaySettings(['SNOM'], { baseUrl: 'http://127.0.0.1:1', secret: SECRET }),
    ],
    callbackBaseUrl: undefined,
    tokens: tokensInMemory(),
    clock: systemClock,
    logger: createLogger('silent'),
  })
})
after(async () => {
  await connectors.close()
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
  await database.drop()
})

async function actorOf(applicationId: string, roles: Role[] = ['administrator']): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** An application with tests whose clock does not move. */
async function scene() {
  const applicationId = await makeApplication(database.pool)
  const actor = await actorOf(applicationId)
  let nowMs = 0
  const tests = createOperatorTests({ connectors, clock: systemClock, logger: createLogger('silent'), nowMs: () => nowMs })
  const run = (operator: 'OMCM' | 'CIOM' | 'SNOM' | 'UGMTN', of = { applicationId, actor }) => tests.run(database.pool, { operator, ...of })
  return { applicationId, actor, run, passMs: (ms: number) => (nowMs += ms) }
}

test('working, refused credentials, no answer and not_set, each told apart and audited without what the operator said', async () => {
  const { applicationId, actor, run } = await scene()
  const problemOf = async (operator: Parameters<typeof run>[0]) => {
    const result = await run(operator)
    return result.ok ? result.value.problem : result.error
  }
  assert.equal(await problemOf('OMCM'), null)
  assert.equal(await problemOf('CIOM'), 'credentials_refused')
  assert.equal(await problemOf('SNOM'), 'no_answer')
  assert.equal(await problemOf('UGMTN'), 'not_set')
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  assert.deepEqual(
    entries.map((entry) => [entry.action, entry.subject, entry.actor.id, entry.details]),
    [
      ['operator.tested', 'SNOM', actor.id, { problem: 'no_answer', durationMs: 0 }],
      ['operator.tested', 'CIOM', actor.id, { problem: 'credentials_refused', durationMs: 0 }],
      ['operator.tested', 'OMCM', actor.id, { problem: null, durationMs: 0 }],
    ],
  )
})

test('no transfer at the operator after a test', async () => {
  const { run } = await scene()
  assert.ok((await run('OMCM')).ok)
  const books = await fetch(`${simulator.url}/books`).then((response) => response.text())
  assert.doesNotMatch(books, /OMCM/)
})

test('throttled after three tests of one operator, and again free half a minute later; others are not affected', async () => {
  const { run, passMs } = await scene()
  for (let count = 0; count < 3; count++) assert.ok((await run('OMCM')).ok)
  const refused = await run('OMCM')
  assert.ok(!refused.ok && typeof refused.error === 'object' && refused.error.code === 'throttled')
  assert.equal(Math.round(refused.error.retryAfterMs), 30_000)
  assert.ok((await run('CIOM')).ok)
  passMs(30_000)
  assert.ok((await run('OMCM')).ok)
})

test('not_permitted for every other role, and for an administrator of another application', async () => {
  const { applicationId, run } = await scene()
  for (const role of ['maker', 'checker', 'finance'] as const)
    assert.deepEqual(await run('OMCM', { applicationId, actor: await actorOf(applicationId, [role]) }), {
      ok: false,
      error: 'not_permitted',
    })
  const elsewhere = await actorOf(await makeApplication(database.pool))
  assert.deepEqual(await run('OMCM', { applicationId, actor: elsewhere }), { ok: false, error: 'not_permitted' })
})
