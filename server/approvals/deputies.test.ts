import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { endDeputyship } from '#server/people/deputies.ts'
import { givePasskey } from '#server/people/passkeys/testing/give-passkey.ts'
import { countWaiting } from '#server/reports/waiting/read-waiting.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { decide } from './decide.ts'
import { findApproval, listApprovals } from './queue/queue.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase({ mode: 'production' })
})
after(() => database.drop())

const TODAY = utcDayOf(systemClock.now())

/** An application with two administrators, the absent checker Hélène, her deputy Yannick (a maker), and another checker. */
async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const person = async (...roles: Role[]): Promise<PersonCommandActor> => {
    const id = await makePerson(pool, applicationId, roles)
    await pool.query('update people set totp_enabled_at = now() where person_id = $1', [id])
    return { kind: 'person', id, applicationId, roles }
  }
  const [serge, anna, helene, yannick, other] = [
    await person('administrator'),
    await person('administrator'),
    await person('checker'),
    await person('maker'),
    await person('checker'),
  ]
  const propose = (actor: PersonCommandActor, terms: Record<string, string> = {}) =>
    proposeChange(pool, {
      applicationId,
      kind: 'person.deputy',
      input: { absentId: helene.id, deputyId: yannick.id, from: TODAY, until: addDays(TODAY, 14), ...terms },
      actor,
    })
  const confirm = (changeId: string, actor: PersonCommandActor) =>
    confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor })
  /** Hélène names Yannick, and an administrator confirms it. */
  const name = async (terms: Record<string, string> = {}, proposer = helene): Promise<string> => {
    const { changeId } = must(await propose(proposer, terms))
    must(await confirm(changeId, anna))
    return changeId
  }
  const wait = async (makerId: string | null, steps = [1], apiUserId: string | null = null) => {
    const item = anIntakeItem(applicationId, {
      type: 'COLLECT',
      source: makerId === null ? 'api' : 'person',
      makerId,
      bands: [aBand({ steps })],
      actor: { kind: 'api', id: apiUserId },
    })
    await takeIn(pool, [item])
    return item.transactionId
  }
  const say = async (transactionId: string, checkerId: string, through: 'api' | 'back_office' = 'back_office') => {
    const decision = { applicationId, transactionId, checkerId, decision: 'validated' as const, note: 'Seen' }
    const decided = await decide(decisionDeps(pool), { ...decision, through, actor: { kind: 'person', id: checkerId } })
    return decided.ok ? decided.value.status : decided.error.kind
  }
  const view = (transactionId: string, { id }: PersonCommandActor) =>
    findApproval(pool, { applicationId, id, hasSecondFactor: true }, transactionId)
  const run = (statement: string, ...values: unknown[]) => pool.query(statement, values)
  return { pool, applicationId, person, serge, anna, helene, yannick, other, propose, confirm, name, wait, say, view, run }
}

test('PENDING after a deputy approves, with both names in the decision and in the audit record', async () => {
  const { applicationId, pool, helene, yannick, name, wait, say, view } = await scene()
  const transactionId = await wait(null)
  assert.equal(await say(transactionId, yannick.id), 'not_a_checker')
  await name()
  const queue = await listApprovals(
    pool,
    { applicationId, id: yannick.id, hasSecondFactor: true, businessZone: 'UTC' },
    approvalFilterSchema.parse({}),
  )
  assert.deepEqual([queue.rows.map((row) => row.transactionId), queue.rows[0]?.canApprove], [[transactionId], true])
  assert.equal((await countWaiting(pool, { applicationId, id: yannick.id, roles: ['maker'], runsInstallation: false })).pages.approvals, 1)
  assert.equal(await say(transactionId, yannick.id), 'PENDING')
  const [decision] = (await view(transactionId, yannick))?.decisions ?? []
  assert.deepEqual([decision?.checkerId, decision?.absentName], [yannick.id, 'Test person'])
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.actor.id, entry?.details['onBehalfOf']], ['transaction.validated', yannick.id, helene.id])
})

test('PENDING after a deputy approves whose second factor is a passkey', async () => {
  const { pool, yannick, name, wait, say, run } = await scene()
  await run('update people set totp_enabled_at = null where person_id = $1', yannick.id)
  await givePasskey({ pool, clock: systemClock }, yannick.id)
  await name()
  assert.equal(await say(await wait(null), yannick.id), 'PENDING')
})

test('deputy_may_not for what a program made whose password the absent person received', async () => {
  const { applicationId, helene, yannick, name, wait, say, run } = await scene()
  await name()
  const apiUserId = randomUUID()
  await run(
    `insert into api_users (application_id, api_user_id, username, password_hash, password_holders) values ($1, $2::uuid, $2::text, 'x', array[$3::uuid])`,
    applicationId,
    apiUserId,
    helene.id,
  )
  assert.equal(await say(await wait(null, [1], apiUserId), yannick.id), 'deputy_may_not')
  assert.equal(await say(await wait(null), yannick.id), 'PENDING')
})

test('is_maker for what the deputy made, and deputy_may_not for what the absent person made', async () => {
  const { person, anna, serge, yannick, name, wait, say, view, run } = await scene()
  const both = await person('maker', 'checker')
  await name({ absentId: both.id }, serge)
  const [own, absents, others] = [await wait(yannick.id), await wait(both.id), await wait(anna.id)]
  assert.equal(await say(own, yannick.id), 'is_maker')
  assert.equal(await say(absents, yannick.id), 'deputy_may_not')
  assert.equal((await view(absents, yannick))?.canApprove, 'deputy_may_not')
  assert.equal(await say(others, yannick.id), 'PENDING')
  await assert.rejects(
    run(
      `insert into approval_decisions (application_id, transaction_id, checker_id, on_behalf_of, maker_id, decision, note, through)
         select application_id, transaction_id, $2, maker_id, maker_id, 'validated', 'x', 'back_office' from transactions where transaction_id = $1`,
      absents,
      yannick.id,
    ),
    /absent_is_not_maker/,
  )
})

test("one checker's right counts once, whether the checker or a deputy uses it first, and through several deputies", async () => {
  const { person, serge, helene, yannick, other, name, wait, say, run } = await scene()
  const [byHelene, byDeputy] = [await wait(null, [2]), await wait(null, [2])]
  assert.equal(await say(byHelene, helene.id), 'PENDING_APPROVAL')
  await name()
  assert.equal(await say(byHelene, yannick.id), 'deputy_may_not')
  assert.equal(await say(byDeputy, yannick.id), 'PENDING_APPROVAL')
  assert.equal(await say(byDeputy, yannick.id), 'decided_already')
  assert.equal(await say(byDeputy, helene.id), 'decided_already')
  const second = await person('finance')
  await run("update deputies set ends_at = now(), starts_at = now() - interval '1 day' where absent_id = $1", helene.id)
  await name({ deputyId: second.id }, serge)
  assert.equal(await say(byDeputy, second.id), 'deputy_may_not')
  await assert.rejects(
    run(
      `insert into approval_decisions (application_id, transaction_id, checker_id, on_behalf_of, maker_id, decision, note, through)
         select application_id, transaction_id, $2, $3, maker_id, 'validated', 'x', 'back_office' from transactions where transaction_id = $1`,
      byDeputy,
      second.id,
      helene.id,
    ),
    /authority_decides_once/,
  )
  assert.equal(await say(byDeputy, other.id), 'PENDING')
})

test('one approval of a deputy and the absent checker who decide at the same moment', async () => {
  const { helene, yannick, name, wait, say } = await scene()
  await name()
  const transactionId = await wait(null, [2])
  const results = await Promise.all([say(transactionId, yannick.id), say(transactionId, helene.id), say(transactionId, yannick.id)])
  assert.deepEqual(results.filter((each) => each === 'PENDING_APPROVAL').length, 1, results.join())
})

for (const [title, change] of [
  ['after its last day', `update deputies set starts_at = now() - interval '2 days', ends_at = now() where deputy_id = $2`],
  ['before its first day', `update deputies set starts_at = now() + interval '1 hour' where deputy_id = $2`],
  ['once the absent checker is blocked', 'update people set is_blocked = true where person_id = $1'],
  ['once the absent checker has lost the role', `update memberships set roles = '{finance}' where person_id = $1`],
  ['once the absent checker has left', 'update memberships set is_active = false where person_id = $1'],
  ['once the deputy is blocked', 'update people set is_blocked = true where person_id = $2'],
  ['once the deputy has left', 'update memberships set is_active = false where person_id = $2'],
  ['without a second factor of the deputy', 'update people set totp_enabled_at = null where person_id = $2'],
  ['once the deputy is maker and administrator', `update memberships set roles = '{maker,administrator}' where person_id = $2`],
] as const) {
  test(`not_a_checker for a deputy ${title}`, async () => {
    const { helene, yannick, name, wait, say, pool } = await scene()
    await name()
    const transactionId = await wait(null)
    await pool.query(`with both_people as (select $1::uuid, $2::uuid) ${change}`, [helene.id, yannick.id])
    assert.equal(await say(transactionId, yannick.id), 'not_a_checker')
  })
}

test('an approval of a deputy counts after the absence, and no longer once the checker lost the role or the deputy left', async () => {
  for (const [change, counts] of [
    [`update deputies set starts_at = now() - interval '2 days', ends_at = now() where deputy_id = $2`, true],
    [`update memberships set roles = '{finance}' where person_id = $1`, false],
    ['update memberships set is_active = false where person_id = $2', false],
  ] as const) {
    const { helene, yannick, other, name, wait, say, view, pool } = await scene()
    await name()
    const transactionId = await wait(null, [2])
    await say(transactionId, yannick.id)
    await pool.query(`with both_people as (select $1::uuid, $2::uuid) ${change}`, [helene.id, yannick.id])
    const row = await view(transactionId, other)
    assert.deepEqual([row?.given, row?.decisions[0]?.counts], counts ? [1, true] : [0, false], change)
    assert.equal(await say(transactionId, other.id), counts ? 'PENDING' : 'PENDING_APPROVAL')
  }
})

test('a chain and a circle pass nothing on: not_a_checker for the deputy of a deputy', async () => {
  const { person, serge, yannick, name, propose, wait, say, run, applicationId, helene } = await scene()
  await name()
  const third = await person('finance')
  const refused = await propose(serge, { absentId: yannick.id, deputyId: third.id })
  assert.deepEqual(refused, { ok: false, error: { code: 'refused', reason: 'absent_is_no_checker' } })
  // Also by a direct write, and in a circle.
  for (const [absentId, deputyId] of [
    [yannick.id, third.id],
    [third.id, yannick.id],
  ])
    await run(
      `insert into deputies (application_id, deputyship_id, absent_id, deputy_id, starts_at, ends_at, change_id)
         values ($1, gen_random_uuid(), $2, $3, now() - interval '1 hour', now() + interval '1 day', gen_random_uuid())`,
      applicationId,
      absentId,
      deputyId,
    )
  const transactionId = await wait(null)
  assert.equal(await say(transactionId, third.id), 'not_a_checker')
  await run(`update memberships set roles = '{finance}' where person_id = $1`, helene.id)
  assert.equal(await say(transactionId, yannick.id), 'not_a_checker')
})

test('not_a_checker through the API, where a program says who decided', async () => {
  const { yannick, name, wait, say } = await scene()
  await name()
  assert.equal(await say(await wait(null), yannick.id, 'api'), 'not_a_checker')
})

test('two people name a deputy: neither the deputy, nor one person alone, nor a checker for another one', async () => {
  const { person, serge, anna, helene, yannick, other, propose, confirm, applicationId, pool } = await scene()
  const deputy = await person('administrator')
  const terms = { deputyId: deputy.id }
  assert.deepEqual(await propose(deputy, terms), { ok: false, error: 'about_you' })
  assert.deepEqual(await propose(other), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await propose(yannick, terms), { ok: false, error: 'not_permitted' })
  const { changeId } = must(await propose(serge, terms))
  assert.deepEqual(await confirm(changeId, serge), { ok: false, error: 'own_proposal' })
  assert.deepEqual(await confirm(changeId, deputy), { ok: false, error: 'about_you' })
  assert.deepEqual(await confirm(changeId, helene), { ok: false, error: 'not_permitted' })
  // The proposer is no administrator any more: a checker who proposed for another one.
  await pool.query(`update memberships set roles = '{checker}' where application_id = $1 and person_id = $2`, [applicationId, serge.id])
  assert.deepEqual(await confirm(changeId, anna), { ok: false, error: 'proposer_gone' })
})

for (const [reason, terms] of [
  ['absent_is_no_checker', { absentId: 'yannick', deputyId: 'serge' }],
  ['deputy_is_checker', { deputyId: 'other' }],
  ['deputy_without_factor', { deputyId: 'bare' }],
  ['combined_roles', { deputyId: 'combined' }],
  ['not_a_member', { deputyId: 'stranger' }],
  ['not_a_member', { deputyId: 'blocked' }],
  ['invalid_period', { until: addDays(TODAY, -1), from: addDays(TODAY, -2) }],
  ['invalid_period', { until: addDays(TODAY, 61) }],
  ['invalid_period', { from: addDays(TODAY, 3), until: addDays(TODAY, 2) }],
] as const) {
  test(`${reason} for ${JSON.stringify(terms)}`, async () => {
    const cast = await scene()
    const [bare, combined, blocked] = [
      await cast.person('finance'),
      await cast.person('maker', 'administrator'),
      await cast.person('finance'),
    ]
    await cast.run('update people set totp_enabled_at = null where person_id = $1', bare.id)
    await cast.run('update people set is_blocked = true where person_id = $1', blocked.id)
    const ids: Record<string, string> = {
      yannick: cast.yannick.id,
      serge: cast.serge.id,
      other: cast.other.id,
      bare: bare.id,
      combined: combined.id,
      blocked: blocked.id,
      stranger: (await scene()).yannick.id,
    }
    const named = Object.fromEntries(Object.entries(terms).map(([key, value]) => [key, ids[value] ?? value]))
    assert.deepEqual(await cast.propose(cast.anna, named), { ok: false, error: { code: 'refused', reason } })
  })
}

test('deputy_named_already for a second deputy in the same period, also of two proposals confirmed one after the other', async () => {
  const { person, anna, serge, propose, confirm } = await scene()
  const second = await person('finance')
  const [first, other] = [must(await propose(anna)).changeId, must(await propose(anna, { deputyId: second.id })).changeId]
  const results = await Promise.all([confirm(first, serge), confirm(other, serge)])
  assert.deepEqual(
    results.map((each) => (each.ok ? 'ok' : JSON.stringify(each.error))).sort(),
    ['ok', '{"code":"refused","reason":"deputy_named_already"}'].sort(),
  )
})

test('deputy_named_already for a second deputy from a day on which the first one still decides, and none from the day after', async () => {
  const { person, anna, name, propose } = await scene()
  await name()
  const { id: deputyId } = await person('finance')
  const from = (day: number) => propose(anna, { deputyId, from: addDays(TODAY, day), until: addDays(TODAY, 20) })
  assert.deepEqual(await from(14), { ok: false, error: { code: 'refused', reason: 'deputy_named_already' } })
  must(await from(15))
})

test('ended at once by the absent person, the deputy or an administrator, by nobody else, and recorded', async () => {
  for (const who of ['helene', 'yannick', 'serge'] as const) {
    const cast = await scene()
    const { pool, applicationId, yannick, other } = cast
    const deputyshipId = await cast.name()
    const transactionId = await cast.wait(null)
    assert.deepEqual(await endDeputyship(pool, { applicationId, deputyshipId, actor: other }), { ok: false, error: 'not_permitted' })
    assert.deepEqual(await endDeputyship(pool, { applicationId, deputyshipId, actor: cast[who] }), { ok: true, value: undefined })
    assert.equal(await cast.say(transactionId, yannick.id), 'not_a_checker')
    const [entry] = await listAudit(pool, applicationId, { size: 1 })
    assert.deepEqual([entry?.action, entry?.actor.id, entry?.subject], ['deputy.ended', cast[who].id, yannick.id])
    assert.deepEqual(await endDeputyship(pool, { applicationId, deputyshipId, actor: cast[who] }), { ok: false, error: 'not_found' })
  }
})

test('the audit record of a deputyship has the person who proposed it and the one who confirmed it', async () => {
  const { pool, applicationId, anna, helene, yannick, name } = await scene()
  await name()
  const entries = await listAudit(pool, applicationId, { size: 3 })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor.id]),
    [
      ['change.confirmed', anna.id],
      ['deputy.named', anna.id],
      ['change.proposed', helene.id],
    ],
  )
  assert.deepEqual([entries[1]?.subject, entries[1]?.details['absentId']], [yannick.id, helene.id])
  assert.equal(entries[2]?.details['kind'], 'person.deputy')
})
