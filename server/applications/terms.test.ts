import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { listOpenOperators } from './access/access-store.ts'
import type { ApplicationChange } from './application-store.ts'
import { createApplication } from './create-application.ts'
import { changeApplication, setFeeSchedule, setTransferService } from './terms.ts'
import { listClosedServices, readFees, readService, readTerms, readTimeZone, runsInstallation } from './terms-store.ts'
import { requestTimeZone } from './time-zone.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const AMOUNT_MINOR_MAX = 999_999_999_999n
const personOf = (applicationId: string, roles: Role[]): CommandActor => ({ kind: 'person', id: randomUUID(), applicationId, roles })
const outcome = (result: { ok: boolean; error?: unknown }) => (result.ok ? 'done' : result.error)

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool, 'Before')
  const change = (changes: ApplicationChange, actor: CommandActor = SYSTEM_ACTOR, of = applicationId) =>
    changeApplication(pool, { applicationId: of, change: changes, actor })
  const lastEntry = async () => (await listAudit(pool, applicationId, { size: 1 }))[0]
  return { pool, applicationId, administrator: personOf(applicationId, ['administrator']), change, lastEntry }
}

for (const [error, changes] of [
  ['invalid_name', [{ name: '' }, { name: ' ' }, { name: 'x'.repeat(201) }, { name: 'a\0b' }]],
  ['invalid_countries', [{ countries: [] }, { countries: ['CAMEROON', 'CAMEROON'] }, { countries: ['CAMEROON', 'ATLANTIS'] }]],
  ['invalid_webhook_url', [{ defaultWebhookUrl: 'ftp://partner.example' }, { defaultWebhookUrl: '' }]],
  ['host_bits_set', [{ webhookNetworks: ['10.0.0.0/8', '10.0.0.1/8'] }]],
  ['not_a_network', [{ webhookNetworks: ['everywhere'] }]],
] as const) {
  test(`${error}, and nothing changed, for settings that are not valid`, async () => {
    const { pool, applicationId, change, lastEntry } = await scene()
    const before = await readTerms(pool, applicationId)
    for (const settings of changes) assert.equal(outcome(await change({ ...settings, isEnabled: false } as ApplicationChange)), error)
    assert.deepEqual([await readTerms(pool, applicationId), await lastEntry()], [before, undefined])
  })
}

test('only the settings that are named, each with its value before in the record', async () => {
  const { pool, applicationId, administrator, change, lastEntry } = await scene()
  const countries = (await readTerms(pool, applicationId))?.countries
  assert.ok((await change({ name: ` ${'x'.repeat(200)} ` }, administrator)).ok)
  assert.ok((await change({ name: 'After', requiresSecondFactor: true }, administrator)).ok)
  const entry = await lastEntry()
  assert.deepEqual(
    [entry?.action, entry?.subject, entry?.actor.id, entry?.details],
    [
      'application.changed',
      applicationId,
      administrator.id,
      { name: 'After', requiresSecondFactor: true, before: { name: 'x'.repeat(200), requiresSecondFactor: false } },
    ],
  )
  const present = {
    name: 'After',
    requiresSecondFactor: true,
    copiesWebhookStatus: false,
    allowsCombinedRoles: false,
    countries,
    floatWaitHours: 24,
    undoSeconds: 0,
    accountChecksMax: 400,
    allowsPaymentLinks: true,
    refundFeesFrom: 'application',
  }
  assert.deepEqual(await readTerms(pool, applicationId), { ...present, defaultWebhookUrl: null })
  must(await change({ defaultWebhookUrl: 'https://partner.example/hook', copiesWebhookStatus: true, allowsCombinedRoles: true }))
  must(await change({ requiresSecondFactor: false }))
  const next = { ...present, requiresSecondFactor: false, copiesWebhookStatus: true, allowsCombinedRoles: true }
  assert.deepEqual(await readTerms(pool, applicationId), { ...next, defaultWebhookUrl: 'https://partner.example/hook' })
  must(await change({ defaultWebhookUrl: null }))
  assert.deepEqual(await readTerms(pool, applicationId), { ...next, defaultWebhookUrl: null })
})

test('not_permitted for what only the command line decides, and for everybody but an administrator of the application', async () => {
  const { pool, applicationId, administrator, change } = await scene()
  for (const settings of [{ isEnabled: true }, { runsInstallation: false }, { webhookNetworks: [] }])
    assert.equal(outcome(await change(settings, administrator)), 'not_permitted')
  const strangers = [
    personOf(applicationId, ['maker', 'checker', 'finance', 'engineer']),
    personOf(await makeApplication(pool), ['administrator']),
  ]
  const service = { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
  const place = { applicationId, operator: 'MOMOCM', type: 'DEPOSIT' } as const
  const fees = await readFees(pool, applicationId, 'MOMOCM', 'DEPOSIT')
  for (const actor of strangers) {
    assert.equal(outcome(await change({ name: 'Theirs' }, actor)), 'not_permitted')
    assert.equal(outcome(await setTransferService(pool, { ...place, service, actor })), 'not_permitted')
    assert.equal(outcome(await setFeeSchedule(pool, { ...place, fees, actor })), 'not_permitted')
    assert.equal(outcome(await requestTimeZone(pool, { applicationId, timeZone: 'UTC', actor })), 'not_permitted')
  }
  assert.equal(outcome(await createApplication(pool, { name: 'New', actor: administrator })), 'not_permitted')
})

test('unknown_application for settings, services, fees and the time zone of an application that does not exist', async () => {
  const { pool, change } = await scene()
  const place = { applicationId: randomUUID(), operator: 'MOMOCM', type: 'DEPOSIT', actor: SYSTEM_ACTOR } as const
  const service = { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
  const fees = { systemRatePpm: 0, systemFixedMinor: 0n, appRatePpm: 0, appFixedMinor: 0n }
  assert.equal(outcome(await change({ name: 'x' }, SYSTEM_ACTOR, place.applicationId)), 'unknown_application')
  assert.equal(outcome(await setTransferService(pool, { ...place, service })), 'unknown_application')
  assert.equal(outcome(await setFeeSchedule(pool, { ...place, fees })), 'unknown_application')
  assert.equal(outcome(await requestTimeZone(pool, { ...place, timeZone: 'UTC' })), 'unknown_application')
})

test('one application that runs the installation: another_runs_installation until it no longer does', async () => {
  const [one, other] = [await scene(), await scene()]
  must(await one.change({ runsInstallation: true }))
  assert.equal(outcome(await other.change({ runsInstallation: true })), 'another_runs_installation')
  assert.equal(outcome(await one.change({ runsInstallation: true })), 'done')
  assert.equal(outcome(await other.change({ runsInstallation: false })), 'done')
  assert.deepEqual(
    [await runsInstallation(one.pool, one.applicationId), await runsInstallation(one.pool, other.applicationId)],
    [true, false],
  )
  must(await one.change({ runsInstallation: false }))
  assert.equal(outcome(await other.change({ runsInstallation: true })), 'done')
  must(await other.change({ runsInstallation: false }))
})

test('keeps_statements when an application that has a wallet is to stop running the installation', async () => {
  const { pool, applicationId, change } = await scene()
  must(await change({ runsInstallation: true }))
  await pool.query(
    `insert into wallets (application_id, wallet, zone, cutoff_minute, changed_by) values ($1, 'MOOV', 'Africa/Porto-Novo', 0, $1)`,
    [applicationId],
  )
  assert.equal(outcome(await change({ runsInstallation: false })), 'keeps_statements')
  assert.equal(await runsInstallation(pool, applicationId), true)
  await pool.query('delete from wallets where application_id = $1', [applicationId])
  must(await change({ runsInstallation: false }))
})

test('switched off and recorded, with their limits as they were: the services of countries that are left', async () => {
  const { pool, applicationId, change, lastEntry } = await scene()
  const place = { applicationId, operator: 'MOMOCM', actor: SYSTEM_ACTOR } as const
  const limited = { isEnabled: true, enforcesLimits: true, minimumMinor: 500n, maximumMinor: 900n }
  must(await setTransferService(pool, { ...place, type: 'DEPOSIT', service: limited }))
  must(await change({ countries: ['CAMEROON'] }))
  const closed = (await lastEntry())?.details['closedServices']
  assert.ok(Array.isArray(closed) && closed.length > 10 && !closed.some((name) => /CM /.test(String(name))))
  assert.deepEqual(closed, closed.toSorted())
  assert.deepEqual(new Set(await listOpenOperators(pool, applicationId)), new Set(['MOMOCM', 'OMCM']))
  must(await change({ countries: ['CAMEROON'] }))
  assert.equal((await lastEntry())?.details['closedServices'], undefined)
})

test('a service by one direction of one operator, in the countries of the application, with what was before in the record', async () => {
  const { pool, applicationId, change, lastEntry } = await scene()
  const open = { isEnabled: true, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
  const closed = { ...open, isEnabled: false, enforcesLimits: true, minimumMinor: 500n, maximumMinor: 900n }
  const place = { applicationId, operator: 'MOMOCM', type: 'COLLECT' } as const
  const set = (service: typeof closed | typeof open, operator: 'MOMOCM' | 'CIWAVE' = 'MOMOCM') =>
    setTransferService(pool, { ...place, operator, service, actor: SYSTEM_ACTOR })
  must(await set(closed))
  const entry = await lastEntry()
  const recorded = { enforcesLimits: true, minimumMinor: '500', maximumMinor: '900' }
  assert.deepEqual(
    [entry?.action, entry?.subject, entry?.details],
    ['service.set', 'MOMOCM COLLECT', { isEnabled: false, ...recorded, before: { ...open } }],
  )
  assert.deepEqual(
    [await readService(pool, applicationId, 'MOMOCM', 'COLLECT'), await readService(pool, applicationId, 'MOMOCM', 'DEPOSIT')],
    [closed, open],
  )
  assert.deepEqual(await listClosedServices(pool, applicationId), [{ operator: 'MOMOCM', type: 'COLLECT' }])
  assert.ok((await listOpenOperators(pool, applicationId)).includes('MOMOCM'))
  must(await setTransferService(pool, { ...place, type: 'DEPOSIT', service: closed, actor: SYSTEM_ACTOR }))
  assert.ok(!(await listOpenOperators(pool, applicationId)).includes('MOMOCM'))
  must(await set(open))
  assert.deepEqual((await lastEntry())?.details['before'], { isEnabled: false, ...recorded })
  must(await change({ countries: ['CAMEROON'] }))
  assert.equal(outcome(await set(open, 'CIWAVE')), 'outside_countries')
  assert.equal(outcome(await set({ ...open, isEnabled: false }, 'CIWAVE')), 'done')
})

for (const [minimumMinor, maximumMinor, expected] of [
  [1n, 1n, 'done'],
  [0n, 1n, 'invalid_limits'],
  [2n, 1n, 'invalid_limits'],
  [null, 1n, 'done'],
  [null, 0n, 'invalid_limits'],
  [AMOUNT_MINOR_MAX, null, 'done'],
  [AMOUNT_MINOR_MAX + 1n, null, 'invalid_limits'],
  [1n, AMOUNT_MINOR_MAX, 'done'],
  [1n, AMOUNT_MINOR_MAX + 1n, 'invalid_limits'],
] as const) {
  test(`${expected} for limits from ${minimumMinor} to ${maximumMinor}`, async () => {
    const { pool, applicationId } = await scene()
    const service = { isEnabled: true, enforcesLimits: true, minimumMinor, maximumMinor }
    const command = { applicationId, operator: 'MOMOCM', type: 'DEPOSIT', service, actor: SYSTEM_ACTOR } as const
    assert.equal(outcome(await setTransferService(pool, command)), expected)
  })
}

const NO_FEES = { systemRatePpm: 0, systemFixedMinor: 0n, appRatePpm: 0, appFixedMinor: 0n }

for (const [fees, expected] of [
  [{}, 'done'],
  [{ systemRatePpm: -1 }, 'invalid_fees'],
  [{ appRatePpm: -1 }, 'invalid_fees'],
  [{ systemRatePpm: 0.5 }, 'invalid_fees'],
  [{ appRatePpm: 0.5 }, 'invalid_fees'],
  [{ systemRatePpm: 999_998, appRatePpm: 1 }, 'done'],
  [{ systemRatePpm: 999_999, appRatePpm: 1 }, 'invalid_fees'],
  [{ systemFixedMinor: -1n }, 'invalid_fees'],
  [{ appFixedMinor: -1n }, 'invalid_fees'],
  [{ systemFixedMinor: AMOUNT_MINOR_MAX, appFixedMinor: AMOUNT_MINOR_MAX }, 'done'],
  [{ systemFixedMinor: AMOUNT_MINOR_MAX + 1n }, 'invalid_fees'],
  [{ appFixedMinor: AMOUNT_MINOR_MAX + 1n }, 'invalid_fees'],
] as const) {
  test(`${expected} for fees with ${Object.entries(fees).join(' and ') || 'nothing'}`, async () => {
    const { pool, applicationId } = await scene()
    const command = { applicationId, operator: 'MOMOCM', type: 'DEPOSIT', fees: { ...NO_FEES, ...fees }, actor: SYSTEM_ACTOR } as const
    assert.equal(outcome(await setFeeSchedule(pool, command)), expected)
  })
}

test("an administrator sets the application's part of the fees and not_permitted for the service's part, one value at a time", async () => {
  const { pool, applicationId, administrator, lastEntry } = await scene()
  const set = (fees: Partial<typeof NO_FEES>, actor = SYSTEM_ACTOR) =>
    setFeeSchedule(pool, { applicationId, operator: 'MOMOCM', type: 'DEPOSIT', fees: { ...NO_FEES, ...fees }, actor })
  const system = { systemRatePpm: 7_000, systemFixedMinor: 100n }
  must(await set(system))
  assert.equal(outcome(await set({ ...system, systemRatePpm: 7_001 }, administrator)), 'not_permitted')
  assert.equal(outcome(await set({ ...system, systemFixedMinor: 99n }, administrator)), 'not_permitted')
  assert.equal(outcome(await set({ ...system, appRatePpm: 5, appFixedMinor: 6n }, administrator)), 'done')
  const entry = await lastEntry()
  const recorded = { systemRatePpm: 7_000, systemFixedMinor: '100' }
  assert.deepEqual(
    [entry?.action, entry?.subject, entry?.details],
    [
      'fees.set',
      'MOMOCM DEPOSIT',
      { ...recorded, appRatePpm: 5, appFixedMinor: '6', before: { ...recorded, appRatePpm: 0, appFixedMinor: '0' } },
    ],
  )
  assert.deepEqual(await readFees(pool, applicationId, 'MOMOCM', 'DEPOSIT'), { ...system, appRatePpm: 5, appFixedMinor: 6n })
  assert.notDeepEqual(await readFees(pool, applicationId, 'MOMOCM', 'COLLECT'), await readFees(pool, applicationId, 'MOMOCM', 'DEPOSIT'))
})

test('the zone that was requested last is waited for, and UTC is in force at once; each with the present one in the record', async () => {
  const { pool, applicationId, administrator, lastEntry } = await scene()
  const request = (timeZone: string) => requestTimeZone(pool, { applicationId, timeZone, actor: administrator })
  const zones = async () => Object.values((await readTimeZone(pool, applicationId)) ?? {})
  for (const [timeZone, expected] of [
    ['Africa/Douala', ['UTC', 'Africa/Douala']],
    ['Africa/Abidjan', ['UTC', 'Africa/Abidjan']],
    ['UTC', ['UTC', null]],
  ] as const) {
    must(await request(timeZone))
    assert.deepEqual(await zones(), expected)
    const entry = await lastEntry()
    assert.deepEqual([entry?.action, entry?.details], ['application.time_zone_requested', { before: 'UTC', after: timeZone }])
  }
  for (const timeZone of ['Mars/Olympus', 'africa/douala', '', 'UTC\0']) assert.equal(outcome(await request(timeZone)), 'unknown_time_zone')
  assert.deepEqual(await zones(), ['UTC', null])
})

test('invalid_name or unknown_time_zone, and nothing made, for an application that is not valid; its settings otherwise as given', async () => {
  const { pool } = database
  const count = async () => (await pool.query('select from applications')).rowCount
  const before = await count()
  const create = (command: Partial<Parameters<typeof createApplication>[1]>) =>
    createApplication(pool, { name: 'New', actor: SYSTEM_ACTOR, ...command })
  for (const name of ['', ' ', 'x'.repeat(201), 'a\0b']) assert.equal(outcome(await create({ name })), 'invalid_name')
  assert.equal(outcome(await create({ timeZone: 'Mars/Olympus' })), 'unknown_time_zone')
  assert.equal(await count(), before)
  const made = must(
    await create({ name: ` ${'x'.repeat(200)} `, requiresSecondFactor: true, copiesWebhookStatus: true, timeZone: 'Africa/Douala' }),
  )
  const terms = await readTerms(pool, made.applicationId)
  assert.deepEqual([terms?.name.length, terms?.requiresSecondFactor, terms?.copiesWebhookStatus], [200, true, true])
  assert.deepEqual(await readTimeZone(pool, made.applicationId), { timeZone: 'Africa/Douala', wantedTimeZone: null })
  const plain = must(await create({}))
  const plainTerms = await readTerms(pool, plain.applicationId)
  assert.deepEqual([plainTerms?.requiresSecondFactor, plainTerms?.copiesWebhookStatus], [false, false])
  assert.equal((await readTimeZone(pool, plain.applicationId))?.timeZone, 'UTC')
  const [entry] = await listAudit(pool, plain.applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.details], ['application.created', { name: 'New', timeZone: 'UTC' }])
})
