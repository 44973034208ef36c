import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createSubmissionGate } from '#server/operators/availability/submission-gate.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listAvailability, storeAvailability } from '../availability/availability-store.ts'
import { listDisturbed } from '../availability/disturbed.ts'
import { followSettings } from './follow-settings.ts'
import { reopenOperator } from './reopen-operator.ts'
import { setOperator } from './set-operator.ts'

const PIN_REFUSED = 'The operator refuses our PIN'
const DIRECTION = ['OMCM', 'DEPOSIT'] as const
let database: TestDatabase
let connectors: FollowingConnectors
let following: { close(): Promise<void> }
before(async () => {
  database = await createTestDatabase()
  const made = createConnectors({
    callbackBaseUrl: undefined,
    tokens: tokensInMemory(),
    clock: systemClock,
    logger: createLogger('silent'),
  })
  connectors = made
  const changes = { baseUrl: 'http://127.0.0.1:1', secret: 'x' }
  must(await setOperator(database.pool, { operator: 'OMCM', protocol: 'gateway', changes, actor: SYSTEM_ACTOR }))
  const onChange: Parameters<typeof followSettings>[0]['onChange'] = (settings) => made.follow(settings)
  following = await followSettings({ pool: database.pool, defaults: [], pollIntervalMs: 20, onChange })
})
beforeEach(() => database.pool.query('delete from operator_circuits'))
after(async () => {
  await following.close()
  await connectors.close()
  await database.drop()
})

const terms = () => connectors.get('OMCM')?.terms ?? assert.fail('it is connected')
const circuit = async () => (await listAvailability(database.pool))[0] ?? assert.fail('it is stored')

/** A refused PIN, as the process that met it stores it. */
async function closeForFault(): Promise<void> {
  await waitUntil('the process has read what the test before has saved', async () => {
    const { rows } = await database.pool.query<{ version: string }>(
      "select protocol || ' ' || version || ' ' || operator_settings_id as version from operator_settings where operator = 'OMCM'",
    )
    return rows[0]?.version === terms().settingsVersion
  })
  const { settingsVersion } = terms()
  await storeAvailability(database.pool, { operator: 'OMCM', type: 'DEPOSIT', state: 'CLOSED', fault: PIN_REFUSED, settingsVersion })
}

async function administrator(runsInstallation: boolean, roles: Role[] = ['administrator']): Promise<PersonCommandActor> {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query('update applications set runs_installation = false where runs_installation')
  if (runsInstallation)
    await database.pool.query('update applications set runs_installation = true where application_id = $1', [applicationId])
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

test('open again by one administrator in every process that follows the settings: one payment first, and closed again by another refusal', async () => {
  await closeForFault()
  const gate = createSubmissionGate({ stored: await listAvailability(database.pool), nowMs: () => 0 })
  assert.deepEqual([(await circuit()).isReopened, gate.free(...DIRECTION, terms())], [false, 0])
  const before = terms().settingsVersion
  const actor = await administrator(true)
  assert.deepEqual(await reopenOperator(database.pool, { operator: 'OMCM', actor }), { ok: true, value: undefined })
  await waitUntil('the settings are new ones', () => terms().settingsVersion !== before)
  assert.equal(gate.free(...DIRECTION, terms()), 1)
  const [disturbed] = await listDisturbed(database.pool, actor.applicationId)
  assert.deepEqual([disturbed?.fault, disturbed?.isReopened], [PIN_REFUSED, true])
  const { rows } = await database.pool.query('select subject, actor_id, details from audit_entries where action = $1', [
    'operator.reopened',
  ])
  const { since } = await circuit()
  const closed = [{ type: 'DEPOSIT', fault: PIN_REFUSED, since: since.toISOString() }]
  assert.deepEqual(rows, [{ subject: 'OMCM', actor_id: actor.id, details: { closed } }])
  await closeForFault()
  assert.equal((await circuit()).isReopened, false)
})

test('closed as before after other amounts: they mend no fault, and try no PIN again', async () => {
  await closeForFault()
  const { settingsVersion } = terms()
  const connector = connectors.get('OMCM')
  const amounts = { operator: 'OMCM', protocol: 'amounts', changes: { depositMultipleOf: 5 }, actor: SYSTEM_ACTOR } as const
  must(await setOperator(database.pool, amounts))
  await waitUntil('the amounts are in force', async () => connectors.limitsOf('OMCM', 'DEPOSIT') !== undefined)
  assert.deepEqual([(await circuit()).isReopened, terms().settingsVersion], [false, settingsVersion])
  assert.equal(connectors.get('OMCM'), connector)
  must(await setOperator(database.pool, { ...amounts, changes: undefined }))
})

test('not_closed for the second of two administrators at the same moment, and for an operator that only does not answer', async () => {
  await closeForFault()
  const actor = await administrator(true)
  const both = await Promise.all([1, 2].map(() => reopenOperator(database.pool, { operator: 'OMCM', actor })))
  assert.deepEqual(both.map((result) => (result.ok ? 'opened' : result.error)).sort(), ['not_closed', 'opened'])
  await database.pool.query("update operator_circuits set fault = null, fault_version = null, state = 'CLOSED'")
  assert.deepEqual(await reopenOperator(database.pool, { operator: 'OMCM', actor }), { ok: false, error: 'not_closed' })
})

test('not_permitted without the permission, not_the_installation in another application, and not_stored for settings of the environment', async () => {
  await closeForFault()
  const reopen = async (actor: PersonCommandActor) => reopenOperator(database.pool, { operator: 'OMCM', actor })
  assert.deepEqual(await reopen(await administrator(true, ['finance'])), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await reopen(await administrator(false)), { ok: false, error: 'not_the_installation' })
  assert.equal((await circuit()).isReopened, false)
  await storeAvailability(database.pool, {
    operator: 'UGMTN',
    type: 'COLLECT',
    state: 'CLOSED',
    fault: PIN_REFUSED,
    settingsVersion: 'gateway 0 ',
  })
  const environment = await reopenOperator(database.pool, { operator: 'UGMTN', actor: SYSTEM_ACTOR })
  assert.deepEqual(environment, { ok: false, error: 'not_stored' })
})
