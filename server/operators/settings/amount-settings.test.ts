import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeApplication } from '#server/applications/terms.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { gatewaySettings } from '../sandbox-protocol/sandbox-connector.ts'
import { AMOUNT_SETTINGS } from './amount-settings.ts'
import { followSettings } from './follow-settings.ts'

let database: TestDatabase
let applicationId: string
let anna: PersonCommandActor
let ben: PersonCommandActor
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  ;[anna, ben] = [await administrator(), await administrator()]
  must(await changeApplication(database.pool, { applicationId, change: { runsInstallation: true }, actor: SYSTEM_ACTOR }))
})
after(() => database.drop())

async function administrator(): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, ['administrator']), applicationId, roles: ['administrator'] }
}

const propose = (changes: Record<string, unknown> | null) =>
  proposeChange(database.pool, {
    applicationId,
    kind: 'operator.set',
    input: { operator: 'MOMOCM', protocol: 'amounts', changes },
    actor: anna,
  })
const confirm = (changeId: string, actor = ben) =>
  confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor })

/** Two processes that follow the settings; the operator is reached through those of the environment. */
async function withProcesses(run: (processes: readonly FollowingConnectors[]) => Promise<void>): Promise<void> {
  const logger = createLogger('silent')
  const processes = [1, 2].map(() => createConnectors({ callbackBaseUrl: undefined, tokens: tokensInMemory(), clock: systemClock, logger }))
  const defaults = gatewaySettings(['MOMOCM'], { baseUrl: 'http://127.0.0.1:1', secret: 'x' })
  const following = await Promise.all(
    processes.map((one) => followSettings({ pool: database.pool, defaults, onChange: (settings) => one.follow(settings) })),
  )
  try {
    await run(processes)
  } finally {
    await Promise.all([...following, ...processes].map((each) => each.close()))
  }
}

test('in force in every process after the second administrator, recorded, and gone once two remove them; the operator of the environment stays reachable', async () => {
  await withProcesses(async (processes) => {
    const limits = () => processes.map((one) => one.limitsOf('MOMOCM', 'DEPOSIT'))
    const connector = processes[0]?.get('MOMOCM')
    const { changeId } = must(await propose({ depositMinimum: 100, depositMaximum: 500_000.5, depositMultipleOf: 5 }))
    assert.deepEqual(await confirm(changeId, anna), { ok: false, error: 'own_proposal' })
    assert.deepEqual(limits(), [undefined, undefined])
    must(await confirm(changeId))
    const expected = { minimumMinor: 100_00n, maximumMinor: 500_000_50n, multipleMinor: 5_00n }
    await waitUntil('both processes have them', async () => limits().every((one) => one !== undefined))
    assert.deepEqual(limits(), [expected, expected])
    assert.equal(processes[0]?.limitsOf('MOMOCM', 'COLLECT'), undefined)
    assert.equal(processes[0]?.get('MOMOCM'), connector)
    const { rows } = await database.pool.query(
      "select subject, details from audit_entries where action = 'operator.set' order by at desc, sequence desc limit 1",
    )
    const after = '{"depositMinimum":100,"depositMaximum":500000.5,"depositMultipleOf":5}'
    assert.deepEqual(rows, [{ subject: 'MOMOCM amounts', details: { before: null, after, changedSecrets: [] } }])
    must(await confirm(must(await propose(null)).changeId))
    await waitUntil('both processes are without them', async () => limits().every((one) => one === undefined))
  })
})

for (const [name, document, expected] of [
  ['nothing', {}, {}],
  ['hundredths', { collectMinimum: 0.01, collectMultipleOf: 0.5 }, {}],
  ['one amount', { depositMinimum: 5, depositMaximum: 5, depositMultipleOf: 5 }, {}],
  ['the largest amount', { depositMaximum: 9_999_999_999.99 }, {}],
  ['zero and below', { collectMinimum: 0, depositMinimum: -5 }, { collectMinimum: 'range', depositMinimum: 'range' }],
  ['more than the largest amount', { depositMaximum: 10_000_000_000 }, { depositMaximum: 'range' }],
  ['three decimals', { depositMultipleOf: 0.125 }, { depositMultipleOf: 'format' }],
  ['a text', { depositMinimum: '5' }, { depositMinimum: 'format' }],
  ['a maximum below the minimum', { collectMinimum: 6, collectMaximum: 5 }, { collectMaximum: 'range' }],
  ['no multiple between both', { depositMinimum: 6, depositMaximum: 9, depositMultipleOf: 5 }, { depositMaximum: 'range' }],
  ['a field of a protocol', { baseUrl: 'https://x.example' }, { '': 'unknown_field' }],
] as const) {
  test(`${Object.keys(expected).length > 0 ? 'refused with the field' : 'possible'}: ${name}`, () => {
    const checked = AMOUNT_SETTINGS.check(document)
    assert.deepEqual(Object.fromEntries(checked.ok ? [] : checked.error.map(({ path, problem }) => [path, problem])), expected)
  })
}
