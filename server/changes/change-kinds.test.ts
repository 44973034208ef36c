import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { COUNTRY_NAMES } from '#lib/operators/operators.ts'
import { approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { findingKey } from '#lib/rules/rule-finding.ts'
import { createDirectory } from '#server/applications/directory.ts'
import { setFeeSchedule } from '#server/applications/terms.ts'
import { isOnAllowList, readFees, readService, readTerms, readTimeZone } from '#server/applications/terms-store.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { suspendMember } from '#server/people/membership.ts'
import { readMember } from '#server/people/person-store.ts'
import { checkRules } from '#server/policy/check-rules.ts'
import { listPolicies, proposePolicy } from '#server/policy/policies.ts'
import { countWantedZones } from '#server/reports/business-days/set-time-zone.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { confirmChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
let applicationId: string
let anna: PersonCommandActor
let ben: PersonCommandActor
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool, 'Kora Stores')
  for (const role of ['maker', 'checker', 'checker'] as const) await makePerson(database.pool, applicationId, [role])
  ;[anna, ben] = [await administrator(applicationId), await administrator(applicationId)]
})
after(() => database.drop())

async function administrator(of: string): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, of, ['administrator']), applicationId: of, roles: ['administrator'] }
}

async function make(kind: ChangeKindName, input: unknown) {
  const change = await proposeChange(database.pool, { applicationId, kind, input, actor: anna })
  if (!change.ok) return change
  return confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId: change.value.changeId, actor: ben })
}

test('application.set changes the settings that it names', async () => {
  const settings = {
    name: 'Kora Shops',
    requiresSecondFactor: true,
    copiesWebhookStatus: true,
    allowsCombinedRoles: true,
    countries: [...COUNTRY_NAMES].sort(),
    defaultWebhookUrl: 'https://erp.kora.example/results',
    floatWaitHours: 48,
    undoSeconds: 30,
    accountChecksMax: 50,
    allowsPaymentLinks: false,
    refundFeesFrom: 'customer',
  }
  assert.ok((await make('application.set', settings)).ok)
  assert.deepEqual(await readTerms(database.pool, applicationId), settings)
  const { rows } = await database.pool.query(
    `select details -> 'before' ->> 'name' as name from audit_entries where application_id = $1 and action = 'application.changed'`,
    [applicationId],
  )
  assert.deepEqual(rows, [{ name: 'Kora Stores' }])
  // The tests below confirm without codes.
  await database.pool.query('update applications set requires_second_factor = false where application_id = $1', [applicationId])
})

test('outside_countries for a service of a country that was left; joining it again switches nothing on', async () => {
  const present = (await readTerms(database.pool, applicationId)) ?? assert.fail()
  const limits = { enforcesLimits: true, minimumMinor: '100', maximumMinor: '5000000' }
  assert.ok((await make('service.set', { operator: 'UGMTN', type: 'COLLECT', isEnabled: true, ...limits })).ok)
  assert.ok((await make('application.set', { ...present, countries: ['CAMEROON', 'SENEGAL'] })).ok)
  for (const type of ['COLLECT', 'DEPOSIT'] as const) {
    assert.equal((await readService(database.pool, applicationId, 'UGMTN', type)).isEnabled, false)
    assert.equal((await readService(database.pool, applicationId, 'SNOM', type)).isEnabled, true)
  }
  const open = { operator: 'UGMTN', type: 'COLLECT', isEnabled: true, ...limits }
  assert.deepEqual(await make('service.set', open), { ok: false, error: { code: 'refused', reason: 'outside_countries' } })
  assert.ok((await make('application.set', present)).ok)
  assert.equal((await readService(database.pool, applicationId, 'UGMTN', 'COLLECT')).isEnabled, false)
  assert.ok((await make('service.set', open)).ok)
  assert.equal((await readService(database.pool, applicationId, 'UGMTN', 'COLLECT')).maximumMinor, 5_000_000n)
})

test('time_zone.set switches once the sums of the zone are counted; UTC at once', async () => {
  assert.ok((await make('time_zone.set', { timeZone: 'Africa/Douala' })).ok)
  assert.deepEqual(await readTimeZone(database.pool, applicationId), { timeZone: 'UTC', wantedTimeZone: 'Africa/Douala' })
  assert.deepEqual(await make('time_zone.set', { timeZone: 'Africa/Douala' }), { ok: false, error: 'no_difference' })
  await countWantedZones(database.pool)
  assert.deepEqual(await readTimeZone(database.pool, applicationId), { timeZone: 'Africa/Douala', wantedTimeZone: null })
  assert.ok((await make('time_zone.set', { timeZone: 'UTC' })).ok)
  assert.deepEqual(await readTimeZone(database.pool, applicationId), { timeZone: 'UTC', wantedTimeZone: null })
  assert.deepEqual(await make('time_zone.set', { timeZone: 'Douala' }), {
    ok: false,
    error: { code: 'refused', reason: 'unknown_time_zone' },
  })
})

test('service.set changes one operator and direction, and shows both limits as they were', async () => {
  const service = { operator: 'MOMOCM', type: 'DEPOSIT', isEnabled: true, enforcesLimits: true, minimumMinor: '10000', maximumMinor: null }
  assert.ok((await make('service.set', service)).ok)
  assert.deepEqual(await readService(database.pool, applicationId, 'MOMOCM', 'DEPOSIT'), {
    isEnabled: true,
    enforcesLimits: true,
    minimumMinor: 10_000n,
    maximumMinor: null,
  })
  assert.equal((await readService(database.pool, applicationId, 'MOMOCM', 'COLLECT')).enforcesLimits, false)
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['service.set'], actor: anna })
  assert.deepEqual([listed?.before['minimumMinor'], listed?.after['minimumMinor']], [null, '10000'])
})

test("fees.set changes the application's part and keeps the service's", async () => {
  const before = await readFees(database.pool, applicationId, 'CIOM', 'COLLECT')
  const directions = [{ operator: 'CIOM', type: 'COLLECT' }]
  assert.ok((await make('fees.set', { directions, appRatePpm: 7_500, appFixedMinor: '100' })).ok)
  assert.deepEqual(await readFees(database.pool, applicationId, 'CIOM', 'COLLECT'), { ...before, appRatePpm: 7_500, appFixedMinor: 100n })
})

test('fees.set of several directions is one proposal with a fact and an audit entry for each, and leaves all or none changed', async () => {
  const directions = [
    { operator: 'SNWAVE', type: 'COLLECT' },
    { operator: 'MLMOOV', type: 'DEPOSIT' },
  ] as const
  assert.ok((await make('fees.set', { directions, appRatePpm: 2_500, appFixedMinor: '700' })).ok)
  for (const { operator, type } of directions) {
    const { appRatePpm, appFixedMinor } = await readFees(database.pool, applicationId, operator, type)
    assert.deepEqual([appRatePpm, appFixedMinor], [2_500, 700n])
  }
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['fees.set'], actor: anna })
  assert.deepEqual(listed?.after, { 'fee SNWAVE COLLECT': '2500 700', 'fee MLMOOV DEPOSIT': '2500 700' })
  const { rows } = await database.pool.query<{ subject: string }>(
    `select subject from audit_entries where application_id = $1 and action = 'fees.set' order by sequence desc limit 2`,
    [applicationId],
  )
  assert.deepEqual(
    rows.map(({ subject }) => subject),
    ['MLMOOV DEPOSIT', 'SNWAVE COLLECT'],
  )
  // The service's part of one of them leaves no room for so much: neither changes.
  const fees = { ...(await readFees(database.pool, applicationId, 'MLMOOV', 'DEPOSIT')), systemRatePpm: 500_000 }
  assert.ok((await setFeeSchedule(database.pool, { applicationId, operator: 'MLMOOV', type: 'DEPOSIT', fees, actor: SYSTEM_ACTOR })).ok)
  assert.deepEqual(await make('fees.set', { directions, appRatePpm: 600_000, appFixedMinor: '0' }), {
    ok: false,
    error: { code: 'refused', reason: 'invalid_fees' },
  })
  assert.equal((await readFees(database.pool, applicationId, 'SNWAVE', 'COLLECT')).appRatePpm, 2_500)
})

test('address.allow and address.deny know a network in every spelling', async () => {
  assert.ok((await make('address.allow', { network: '::ffff:198.51.100.0/120', note: 'Head office' })).ok)
  assert.ok(await isOnAllowList(database.pool, applicationId, '198.51.100.0/24'))
  assert.deepEqual(await make('address.allow', { network: '198.51.100.0/24', note: '' }), { ok: false, error: 'no_difference' })
  assert.ok((await make('address.deny', { network: '198.51.100.0/24' })).ok)
  assert.ok(!(await isOnAllowList(database.pool, applicationId, '198.51.100.0/24')))
  assert.deepEqual(await make('address.deny', { network: '198.51.100.0/24' }), {
    ok: false,
    error: { code: 'refused', reason: 'not_on_the_list' },
  })
})

test('already_proposed for a network that waits in another spelling', async () => {
  const propose = (kind: ChangeKindName, input: unknown) => proposeChange(database.pool, { applicationId, kind, input, actor: anna })
  assert.ok((await propose('address.allow', { network: '::ffff:203.0.113.0/120', note: '' })).ok)
  assert.deepEqual(await propose('address.allow', { network: '203.0.113.0/24', note: '' }), { ok: false, error: 'already_proposed' })
  assert.ok((await make('address.allow', { network: '192.0.2.7', note: '' })).ok)
  assert.ok((await propose('address.deny', { network: '::ffff:192.0.2.7' })).ok)
  assert.deepEqual(await propose('address.deny', { network: '192.0.2.7' }), { ok: false, error: 'already_proposed' })
})

test('policy.activate activates a version, and refuses its author as the second person', async () => {
  const rules = [{ name: 'Any', sources: ['api'], approvals: [2] }]
  const written = await proposePolicy(database.pool, { applicationId, rules, actor: ben })
  assert.ok(written.ok)
  assert.deepEqual(await make('policy.activate', { version: written.value.version }), {
    ok: false,
    error: { code: 'refused', reason: 'same_person' },
  })
  const own = await proposePolicy(database.pool, { applicationId, rules, actor: anna })
  assert.ok(own.ok)
  const carl = await administrator(applicationId)
  const {
    changes: [waiting],
  } = await listChanges(database.pool, { applicationId, kinds: ['policy.activate'], actor: carl })
  assert.ok(waiting)
  assert.ok(
    (await confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId: waiting.changeId, actor: carl })).ok,
  )
  const active = (await listPolicies(database.pool, applicationId)).find(({ activatedAt }) => activatedAt !== null)
  assert.deepEqual([active?.version, active?.activatedBy], [written.value.version, carl.id])
  assert.deepEqual(await make('policy.activate', { version: written.value.version }), {
    ok: false,
    error: { code: 'refused', reason: 'already_active' },
  })
})

test('policy.activate refuses a new gap that was not accepted, and shows how many were accepted', async () => {
  const rules = [{ name: 'Large', sources: ['api'], approvals: [2], limits: { XAF: '50000000' } }]
  const written = await proposePolicy(database.pool, { applicationId, rules, actor: anna })
  assert.ok(written.ok)
  const { version } = written.value
  assert.deepEqual(await make('policy.activate', { version }), { ok: false, error: { code: 'refused', reason: 'not_accepted' } })
  const gaps = await checkRules(database.pool, applicationId, approvalRulesSchema.parse(rules))
  assert.ok((await make('policy.activate', { version, accepted: gaps.map(findingKey) })).ok)
  const { changes } = await listChanges(database.pool, { applicationId, kinds: ['policy.activate'], actor: anna })
  assert.deepEqual(changes.find(({ after }) => after['version'] === version)?.after, { version, acceptedGaps: gaps.length })
})

test('an activation that was confirmed is known to every process within a second', async () => {
  const processes = await Promise.all([0, 1].map(() => createDirectory({ pool: database.pool })))
  try {
    const rules = [{ name: 'Any', sources: ['api'], approvals: [2] }]
    const written = await proposePolicy(database.pool, { applicationId, rules, actor: anna })
    assert.ok(written.ok)
    const { version } = written.value
    assert.ok((await make('policy.activate', { version })).ok)
    const confirmedAt = performance.now()
    await waitUntil('both processes have the new rules', () =>
      processes.every((directory) => directory.find(applicationId)?.policy?.version === version),
    )
    assert.ok(performance.now() - confirmedAt < 1_500)
  } finally {
    await Promise.all(processes.map((directory) => directory.close()))
  }
})

test('person.second_factor_reset switches it off and ends all sessions; refused for a person who works elsewhere too', async () => {
  const personId = await makePerson(database.pool, applicationId, ['maker'])
  const enable = () =>
    database.pool.query(`update people set totp_secret = 'sealed', totp_enabled_at = now() where person_id = $1 returning session_epoch`, [
      personId,
    ])
  const { rows } = await enable()
  assert.ok((await make('person.second_factor_reset', { personId })).ok)
  assert.equal((await readMember(database.pool, applicationId, personId))?.hasSecondFactor, false)
  const after = await database.pool.query('select session_epoch from people where person_id = $1', [personId])
  assert.ok(after.rows[0].session_epoch > rows[0].session_epoch)
  await enable()
  const elsewhere = await makeApplication(database.pool)
  await database.pool.query(`insert into memberships (application_id, person_id, roles) values ($1, $2, '{maker}')`, [elsewhere, personId])
  assert.deepEqual(await make('person.second_factor_reset', { personId }), {
    ok: false,
    error: { code: 'refused', reason: 'works_elsewhere' },
  })
})

test('about_you for the person whose second factor would be reset, as proposer and as second person', async () => {
  const aboutYou = { ok: false, error: 'about_you' }
  await administrator(applicationId)
  for (const actor of [anna, ben])
    await database.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [actor.id, 'sealed'])
  assert.deepEqual(await make('person.second_factor_reset', { personId: anna.id }), aboutYou)
  assert.deepEqual(await make('person.second_factor_reset', { personId: ben.id }), aboutYou)
})

test('person.invite makes a link once for a person whom two administrators want, and refuses members and people who have a link', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const input = { email: ` ${email.toUpperCase()} `, name: 'Carine Ngo', roles: ['administrator'] }
  const made = await make('person.invite', input)
  assert.ok(made.ok && 'secret' in made.value && made.value.secret?.length === 43)
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['person.invite'], actor: anna })
  assert.deepEqual(listed?.after, { person: email, name: 'Carine Ngo', roles: ['administrator'] })
  assert.ok(!JSON.stringify(listed).includes(made.value.secret))
  assert.deepEqual(await make('person.invite', input), { ok: false, error: { code: 'refused', reason: 'already_invited' } })
  const member = await database.pool.query<{ email: string }>('select email from people where person_id = $1', [ben.id])
  const again = { email: member.rows[0]?.email, name: 'Ben', roles: ['administrator'] }
  assert.deepEqual(await make('person.invite', again), { ok: false, error: { code: 'refused', reason: 'already_member' } })
})

test('already_member for person.invite of somebody who left, and works_elsewhere for a reset, when they are proposed', async () => {
  const { pool } = database
  const [left, busy] = [await makePerson(pool, applicationId, ['maker']), await makePerson(pool, applicationId, ['maker'])]
  const { rows } = await pool.query<{ email: string }>(
    `update memberships m set is_active = false from people p where p.person_id = $1 and m.person_id = $1 returning p.email`,
    [left],
  )
  await pool.query(`insert into memberships (application_id, person_id, roles) values ($1, $2, '{maker}')`, [
    await makeApplication(pool),
    busy,
  ])
  const propose = (kind: ChangeKindName, input: unknown) => proposeChange(pool, { applicationId, kind, input, actor: anna })
  const refused = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })
  const again = { email: rows[0]?.email, name: 'Back', roles: ['maker'] }
  assert.deepEqual(await propose('person.invite', again), refused('already_member'))
  assert.deepEqual(await propose('person.second_factor_reset', { personId: busy }), refused('works_elsewhere'))
})

test('combined_roles for person.invite with maker, checker and administrator; any other role is granted', async () => {
  const present = (await readTerms(database.pool, applicationId)) ?? assert.fail()
  assert.ok((await make('application.set', { ...present, allowsCombinedRoles: false })).ok)
  const invite = (email: string, roles: string[]) => make('person.invite', { email, name: 'X', roles })
  assert.deepEqual(await invite('x@example.com', ['administrator', 'checker', 'maker']), {
    ok: false,
    error: { code: 'refused', reason: 'combined_roles' },
  })
  assert.ok((await invite('y@example.com', ['checker', 'finance', 'maker'])).ok)
})

test('person.roles of two administrators lifts a suspension, with the roles as they were', async () => {
  const personId = await makePerson(database.pool, applicationId, ['maker'])
  assert.ok((await suspendMember(database.pool, { applicationId, personId, actor: anna })).ok)
  assert.ok((await make('person.roles', { personId, roles: ['maker'], isActive: true })).ok)
  const member = await readMember(database.pool, applicationId, personId)
  assert.deepEqual([member?.roles, member?.isActive, member?.isSuspended], [['maker'], true, false])
})

test('not_the_installation for day.reopen elsewhere, and invalid for a wallet that does not exist', async () => {
  const reopen = (wallet: string, day = '2026-11-05') => make('day.reopen', { wallet, day, note: 'Line missing' })
  assert.deepEqual(await reopen('MOMOCM-collect'), { ok: false, error: { code: 'refused', reason: 'not_the_installation' } })
  assert.deepEqual(await reopen('NOPE-collect'), { ok: false, error: 'invalid' })
  assert.deepEqual(await reopen('MOMOCM-collect', '2026-13-05'), { ok: false, error: 'invalid' })
})

for (const [kind, input] of [
  ['person.invite', { email: 'nobody', name: 'X', roles: ['administrator'] }],
  ['person.invite', { email: 'a b@example.com', name: 'X', roles: ['administrator'] }],
  ['person.invite', { email: 'a@example.com', name: ' ', roles: ['administrator'] }],
  ['person.invite', { email: 'a@example.com', name: 'X', roles: [] }],
  ['person.roles', { personId: 'nobody', roles: ['maker'], isActive: true }],
  ['person.roles', { personId: crypto.randomUUID(), roles: ['maker', 'maker'], isActive: true }],
  ['person.roles', { personId: crypto.randomUUID(), roles: [], isActive: true }],
  ['service.set', { operator: 'NOPE', type: 'COLLECT', isEnabled: true, enforcesLimits: false, minimumMinor: null, maximumMinor: null }],
  ['service.set', { operator: 'CIOM', type: 'COLLECT', isEnabled: true, enforcesLimits: false, minimumMinor: '-1', maximumMinor: null }],
  ['fees.set', { directions: [{ operator: 'CIOM', type: 'COLLECT' }], appRatePpm: 1_000_000, appFixedMinor: '0' }],
  ['fees.set', { directions: [{ operator: 'CIOM', type: 'COLLECT' }], appRatePpm: 1, appFixedMinor: '99999999999999' }],
  ['fees.set', { directions: [], appRatePpm: 1, appFixedMinor: '0' }],
  ['fees.set', { directions: [...'ab'].map(() => ({ operator: 'CIOM', type: 'COLLECT' })), appRatePpm: 1, appFixedMinor: '0' }],
  // In two currencies.
  ['fees.set', { directions: ['CIOM', 'OMCM'].map((operator) => ({ operator, type: 'COLLECT' })), appRatePpm: 1, appFixedMinor: '1' }],
  ['application.set', { name: ' ', requiresSecondFactor: false, copiesWebhookStatus: false }],
  ['application.set', { name: 'a\0b', requiresSecondFactor: false, copiesWebhookStatus: false }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, countries: [] }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, floatWaitHours: 169 }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, accountChecksMax: 10_001 }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, refundFeesFrom: 'nobody' }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, countries: ['FRANCE'] }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, defaultWebhookUrl: 'ftp://a.example' }],
  ['application.set', { name: 'a', requiresSecondFactor: false, copiesWebhookStatus: false, defaultWebhookUrl: 'https://a:b@c.example' }],
  ['time_zone.set', { timeZone: '' }],
  ['policy.activate', { version: 0 }],
  ['address.allow', { network: '', note: '' }],
  ['address.allow', null],
] as const) {
  test(`invalid for ${kind} with ${JSON.stringify(input)}`, async () => {
    assert.deepEqual(await make(kind, input), { ok: false, error: 'invalid' })
  })
}

test('no_difference for the countries of an application in another order', async () => {
  const present = (await readTerms(database.pool, applicationId)) ?? assert.fail()
  assert.deepEqual(present.countries, [...present.countries].sort())
  const reversed = { ...present, countries: present.countries.toReversed() }
  assert.deepEqual(await make('application.set', reversed), { ok: false, error: 'no_difference' })
})
