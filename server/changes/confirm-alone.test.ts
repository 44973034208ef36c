import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ChangeKindName, isChangeKind } from '#lib/approvals/proposed-change.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { DatabaseMode } from '#server/database/embedded/database-mode.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { collectSecret } from './collect-secret.ts'
import { confirmChange, refuseChange } from './decide-change.ts'
import { kindsConfirmedAlone } from './kinds.ts'
import { listChanges, readConfirmation } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

const SECRETS = ['api_user.create', 'api_user.reset', 'key.create', 'key.rotate', 'webhook_secret.rotate']

/** An application with people of two each, so that everything can be proposed. */
async function scene({ pool }: TestDatabase) {
  const applicationId = await makeApplication(pool, 'Kora Stores')
  const actorOf = async (...roles: Role[]): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(pool, applicationId, roles),
    applicationId,
    roles,
  })
  const [engineer, administrator, fatou] = [await actorOf('engineer'), await actorOf('administrator'), await actorOf('finance')]
  await Promise.all([actorOf('administrator'), actorOf('finance')])
  return {
    applicationId,
    engineer,
    administrator,
    fatou,
    propose: async (kind: ChangeKindName, input: unknown, actor = engineer) =>
      must(await proposeChange(pool, { applicationId, kind, input, actor })).changeId,
    confirm: (changeId: string, actor = engineer) => confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor }),
    collect: (changeId: string, actor = engineer) => collectSecret({ pool, clock: systemClock }, { applicationId, changeId, actor }),
  }
}

function databaseOf(mode: DatabaseMode): () => TestDatabase {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase({ mode })
  })
  after(() => database.drop())
  return () => database
}

describe('in a sandbox', () => {
  const database = databaseOf('sandbox')

  test('one engineer proposes, confirms and collects a key, a password and the webhook secret; the audit record says alone', async () => {
    const { pool } = database()
    const { applicationId, engineer, propose, confirm, collect } = await scene(database())
    const inputs = { 'key.create': { name: 'Shop' }, 'api_user.create': { username: `shop-${crypto.randomUUID()}` } }
    for (const [kind, input] of [...Object.entries(inputs), ['webhook_secret.rotate', { overlapHours: 24 }] as const]) {
      if (!isChangeKind(kind)) assert.fail(kind)
      const changeId = await propose(kind, input)
      const { changes } = await listChanges(pool, { applicationId, kinds: [kind], actor: engineer })
      assert.deepEqual([changes[0]?.mayDecide, changes[0]?.state], ['alone', 'open'])
      assert.deepEqual(await confirm(changeId), { ok: true, value: { secret: null } })
      assert.ok(must(await collect(changeId)).value.length >= 16)
    }
    const entries = await listAudit(pool, applicationId, { size: 20 })
    const confirmed = entries.filter(({ action }) => action === 'change.confirmed')
    assert.deepEqual(
      confirmed.map(({ actor, details }) => [actor.id, details['isAlone']]),
      Array(3).fill([engineer.id, true]),
    )
    // The command itself is the sandbox's own: an engineer may still make no key without a proposal.
    const made = entries.find(({ action }) => action === 'api_key.created')
    assert.deepEqual([made?.actor.kind, made?.details['requestedBy']], ['system', engineer.id])
  })

  test('also where nobody else is there; not for a person without the role, nor to refuse it', async () => {
    const { pool } = database()
    const applicationId = await makeApplication(pool, 'Teranga')
    const actor: PersonCommandActor = {
      kind: 'person',
      id: await makePerson(pool, applicationId, ['engineer']),
      applicationId,
      roles: ['engineer'],
    }
    const propose = (kind: ChangeKindName, input: unknown) => proposeChange(pool, { applicationId, kind, input, actor })
    assert.deepEqual(await readConfirmation(pool, { applicationId, kinds: ['key.create'], actor }), {
      isAlone: false,
      isConfirmedElsewhere: false,
      needsNobody: true,
    })
    assert.deepEqual(await propose('address.allow', { network: '127.0.0.1', note: '' }), { ok: false, error: 'no_second_person' })
    const { changeId } = must(await propose('key.create', { name: 'Shop' }))
    const mine = { applicationId, changeId, actor }
    assert.deepEqual(await refuseChange(pool, { ...mine, reason: 'Mine' }), { ok: false, error: 'not_permitted' })
    const maker: PersonCommandActor = { ...actor, id: await makePerson(pool, applicationId, ['maker']), roles: ['maker'] }
    assert.deepEqual(await confirmChange({ pool, clock: systemClock }, { ...mine, actor: maker }), { ok: false, error: 'not_permitted' })
    await pool.query("update memberships set roles = '{maker}' where person_id = $1", [actor.id])
    assert.deepEqual(await confirmChange({ pool, clock: systemClock }, mine), { ok: false, error: 'not_permitted' })
  })

  test('own_proposal for funding, people, addresses and everything else that makes no secret', async () => {
    const { pool } = database()
    const { propose, confirm, administrator, fatou, applicationId } = await scene(database())
    const document = { name: 'avis.pdf', sha256: 'a1'.repeat(32) }
    const person = await makePerson(pool, applicationId, ['maker'])
    const attempts: [ChangeKindName, unknown, PersonCommandActor][] = [
      ['funding.pay_in', { operator: 'MOMOCM', amountMinor: '500000', reference: 'FT-1', note: '', document }, fatou],
      ['person.roles', { personId: person, roles: ['checker'], isActive: true }, administrator],
      ['address.allow', { network: '198.51.100.0/24', note: '' }, administrator],
      ['time_zone.set', { timeZone: 'Africa/Dakar' }, administrator],
    ]
    for (const [kind, input, actor] of attempts) {
      const changeId = await propose(kind, input, actor)
      assert.deepEqual(await confirm(changeId, actor), { ok: false, error: 'own_proposal' }, kind)
      await assert.rejects(
        pool.query(
          `update proposed_changes set outcome = 'confirmed', decided_by = proposed_by, decided_at = now(), is_confirmed_alone = true where change_id = $1`,
          [changeId],
        ),
        /only_secrets_are_confirmed_alone/,
        kind,
      )
    }
    assert.deepEqual([...(await kindsConfirmedAlone(pool))].sort(), SECRETS)
  })
})

describe('in production', () => {
  const database = databaseOf('production')

  test('own_proposal for keys, passwords and secrets, also by a direct write to the table; two people as before', async () => {
    const { pool } = database()
    const { applicationId, administrator, engineer, propose, confirm, collect } = await scene(database())
    assert.equal((await readConfirmation(pool, { applicationId, kinds: ['key.create'], actor: engineer })).needsNobody, false)
    for (const [kind, input] of [
      ['key.create', { name: 'Shop' }],
      ['api_user.create', { username: `shop-${crypto.randomUUID()}` }],
      ['webhook_secret.rotate', { overlapHours: 24 }],
    ] as const) {
      const own = await propose(kind, input, administrator)
      const { changes } = await listChanges(pool, { applicationId, kinds: [kind], actor: administrator })
      assert.equal(changes[0]?.mayDecide, 'own_proposal')
      assert.deepEqual(await confirm(own, administrator), { ok: false, error: 'own_proposal' })
      await assert.rejects(
        pool.query(
          `update proposed_changes set outcome = 'confirmed', decided_by = proposed_by, decided_at = now(), is_confirmed_alone = true where change_id = $1`,
          [own],
        ),
        /only in a sandbox/,
      )
    }
    const changeId = await propose('key.create', { name: 'Depot' })
    assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_permitted' })
    must(await confirm(changeId, administrator))
    const { value } = must(await collect(changeId))
    const { rowCount } = await pool.query('select from api_keys where application_id = $1 and key_hash = $2', [
      applicationId,
      digest(value),
    ])
    assert.equal(rowCount, 1)
  })
})
