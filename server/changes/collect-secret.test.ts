import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { Role } from '#lib/people/permissions.ts'
import { listAccess } from '#server/applications/access/access-store.ts'
import { createApiKey, revokeApiKey } from '#server/applications/access/api-keys.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { isPasswordRight } from '#server/credentials/password.ts'
import { digest } from '#server/credentials/secrets.ts'
import { blockApiUser, resetApiUserPassword } from '#server/partner-auth/api-users.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { collectSecret } from './collect-secret.ts'
import { confirmChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
let directory: Directory
before(async () => {
  database = await createTestDatabase()
  directory = await createDirectory({ pool: database.pool })
})
after(async () => {
  await directory.close()
  await database.drop()
})

async function actorOf(applicationId: string, roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** A partner with an engineer and one administrator, which is enough for two people. */
async function scene() {
  const partner = await createTestPartner(database.pool)
  const { applicationId } = partner
  const engineer = await actorOf(applicationId, ['engineer'])
  const administrator = await actorOf(applicationId, ['administrator'])
  const { pool } = database
  return {
    partner,
    engineer,
    administrator,
    propose: async (kind: ChangeKindName, input: unknown, actor = engineer) =>
      must(await proposeChange(pool, { applicationId, kind, input, actor })).changeId,
    confirm: (changeId: string, actor = administrator) => confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor }),
    collect: (changeId: string, actor = engineer) => collectSecret({ pool, clock: systemClock }, { applicationId, changeId, actor }),
  }
}

async function liveHashes({ applicationId }: TestPartner): Promise<string[]> {
  await directory.refresh()
  return directory.find(applicationId)?.keys.map(({ hash }) => hash.toString('hex')) ?? []
}

test('the scopes that two people chose, on the collected key and on the one that replaces it; others are refused', async () => {
  const { partner, propose, confirm, collect, engineer } = await scene()
  const { applicationId } = partner
  const scopesOf = async (name: string) => {
    await directory.refresh()
    const { rows } = await database.pool.query<{ id: string }>(
      'select api_key_id as id from api_keys where application_id = $1 and name = $2 order by created_at desc limit 1',
      [applicationId, name],
    )
    const key = directory.find(applicationId)?.keys.find(({ apiKeyId }) => apiKeyId === rows[0]?.id)
    return { apiKeyId: key?.apiKeyId, scopes: [...(key?.scopes ?? [])] }
  }
  const made = async (kind: ChangeKindName, input: unknown) => {
    const changeId = await propose(kind, input)
    must(await confirm(changeId))
    must(await collect(changeId))
  }
  await made('key.create', { name: 'reports', scopes: ['reports:read'] })
  const first = await scopesOf('reports')
  assert.deepEqual(first.scopes, ['reports:read'])
  await made('key.rotate', { apiKeyId: first.apiKeyId, overlapHours: 1 })
  const second = await scopesOf('reports')
  assert.notEqual(second.apiKeyId, first.apiKeyId)
  assert.deepEqual(second.scopes, ['reports:read'])
  for (const scopes of [[], ['all'], ['reports:read', 'reports:read'], null]) {
    const input = { name: 'wrong', scopes }
    const { ok } = await proposeChange(database.pool, { applicationId, kind: 'key.create', input, actor: engineer })
    assert.equal(ok, false, JSON.stringify(scopes))
  }
})

test('a key exists only once its proposer collects it, and only its digest is stored', async () => {
  const { partner, engineer, administrator, propose, confirm, collect } = await scene()
  const changeId = await propose('key.create', { name: 'Production' })
  assert.deepEqual(await collect(changeId), { ok: false, error: 'not_collectable' })
  assert.ok((await confirm(changeId)).ok)
  assert.equal((await liveHashes(partner)).length, 1)
  const secret = must(await collect(changeId))
  assert.match(secret.value, /^csk_/)
  assert.ok((await liveHashes(partner)).includes(digest(secret.value).toString('hex')))
  const { keys } = await listAccess(database.pool, partner.applicationId)
  assert.equal(keys.find(({ name }) => name === 'Production')?.createdBy, engineer.id)
  const entries = await listAudit(database.pool, partner.applicationId, { size: 4 })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor.id]),
    [
      ['change.collected', engineer.id],
      ['api_key.created', administrator.id],
      ['change.confirmed', administrator.id],
      ['change.proposed', engineer.id],
    ],
  )
  assert.ok(!JSON.stringify(entries.map(({ details }) => details)).includes(secret.value))
})

test('not_collectable the second time, and for one of two at the same moment', async () => {
  const { partner, propose, confirm, collect } = await scene()
  const changeId = await propose('key.create', { name: 'Twice' })
  await confirm(changeId)
  const both = await Promise.all([collect(changeId), collect(changeId)])
  assert.deepEqual(both.map(({ ok }) => ok).toSorted(), [false, true])
  assert.deepEqual(await collect(changeId), { ok: false, error: 'not_collectable' })
  assert.equal((await liveHashes(partner)).length, 2)
})

test('not_found for everybody but the proposer, the administrator who confirmed it included', async () => {
  const { administrator, propose, confirm, collect, partner } = await scene()
  const changeId = await propose('key.create', { name: 'Mine' })
  await confirm(changeId)
  const stranger = await scene()
  assert.deepEqual(await collect(changeId, administrator), { ok: false, error: 'not_found' })
  assert.deepEqual(await collect(changeId, stranger.engineer), { ok: false, error: 'not_found' })
  assert.deepEqual(await stranger.collect(changeId, stranger.engineer), { ok: false, error: 'not_found' })
  assert.equal((await liveHashes(partner)).length, 1)
})

test('not_permitted for a proposer who lost the role, confirmation_ended when the administrator did', async () => {
  const { engineer, administrator, propose, confirm, collect, partner } = await scene()
  const changeId = await propose('key.create', { name: 'Late' })
  await confirm(changeId)
  assert.deepEqual(await collect(changeId, { ...engineer, roles: ['maker'] }), { ok: false, error: 'not_permitted' })
  await database.pool.query(`update memberships set roles = '{maker}' where person_id = $1`, [administrator.id])
  assert.deepEqual(await collect(changeId), { ok: false, error: 'confirmation_ended' })
  assert.equal((await liveHashes(partner)).length, 1)
})

test('not_permitted and no key for a proposer who loses the role after their request began', async () => {
  const { engineer, propose, confirm, collect, partner } = await scene()
  const changeId = await propose('key.create', { name: 'Late' })
  await confirm(changeId)
  await database.pool.query(`update memberships set roles = '{maker}' where person_id = $1`, [engineer.id])
  assert.deepEqual(await collect(changeId), { ok: false, error: 'not_permitted' })
  assert.equal((await liveHashes(partner)).length, 1)
})

test('not_permitted: an engineer confirms nothing, and an engineer alone is no_second_person', async () => {
  const { partner, propose, confirm } = await scene()
  const other = await actorOf(partner.applicationId, ['engineer'])
  assert.deepEqual(await confirm(await propose('key.create', { name: 'Two engineers' }), other), { ok: false, error: 'not_permitted' })
  const alone = await createTestPartner(database.pool)
  const [engineer] = [await actorOf(alone.applicationId, ['engineer']), await actorOf(alone.applicationId, ['engineer'])]
  assert.deepEqual(
    await proposeChange(database.pool, { applicationId: alone.applicationId, kind: 'key.create', input: { name: 'x' }, actor: engineer }),
    { ok: false, error: 'no_second_person' },
  )
})

test('not_collectable after seven days', async () => {
  const { engineer, propose, confirm, collect } = await scene()
  const changeId = await propose('key.create', { name: 'Old' })
  await confirm(changeId)
  const { rows } = await database.pool.query<{ days: number }>(
    `select extract(epoch from collect_until - decided_at)::float / 86400 as days from proposed_changes where change_id = $1`,
    [changeId],
  )
  assert.equal(rows[0]?.days, 7)
  await database.pool.query(`update proposed_changes set collect_until = now() - interval '1 second' where change_id = $1`, [changeId])
  assert.deepEqual(await collect(changeId), { ok: false, error: 'not_collectable' })
  const { applicationId } = engineer
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['key.create'], actor: engineer })
  assert.deepEqual([listed?.state, listed?.collection], ['confirmed', 'expired'])
})

test('a rotated key works beside the new one until the overlap ends, other keys are untouched', async () => {
  const { partner, propose, confirm, collect } = await scene()
  const { pool } = database
  const second = must(await createApiKey(pool, { applicationId: partner.applicationId, name: 'second', actor: SYSTEM_ACTOR }))
  const changeId = await propose('key.rotate', { apiKeyId: partner.apiKeyId, overlapHours: 24 })
  assert.ok((await confirm(changeId)).ok)
  const { value } = must(await collect(changeId))
  const hashes = await liveHashes(partner)
  assert.ok(hashes.includes(digest(value).toString('hex')) && hashes.includes(digest(partner.apiKey).toString('hex')))
  const { keys } = await listAccess(database.pool, partner.applicationId)
  const leftMs = (keys.find(({ apiKeyId }) => apiKeyId === partner.apiKeyId)?.expiresAt?.getTime() ?? 0) - Date.now()
  assert.ok(Math.abs(leftMs - 24 * 3_600_000) < 60_000, `${leftMs}`)
  assert.equal(keys.find(({ apiKeyId }) => apiKeyId === second.apiKeyId)?.expiresAt, null)
})

test('refused with unknown_key when the rotated key was revoked before the new one was collected', async () => {
  const { partner, engineer, propose, confirm, collect } = await scene()
  const changeId = await propose('key.rotate', { apiKeyId: partner.apiKeyId, overlapHours: 24 })
  await confirm(changeId)
  const { applicationId, apiKeyId } = partner
  assert.ok((await revokeApiKey(database.pool, { applicationId, apiKeyId, actor: engineer })).ok)
  assert.deepEqual(await collect(changeId), { ok: false, error: { code: 'refused', reason: 'unknown_key' } })
  assert.deepEqual(await liveHashes(partner), [])
})

test('the password of a new API user, and the new one of a reset, which ends the old', async () => {
  const { partner, propose, confirm, collect } = await scene()
  const username = `program-${partner.applicationId}`
  const created = await propose('api_user.create', { username })
  assert.ok((await confirm(created)).ok)
  const { value: password } = must(await collect(created))
  assert.ok(await isPasswordRight(await hashOf(username), password))
  const reset = await propose('api_user.reset', { apiUserId: partner.apiUserId })
  assert.ok((await confirm(reset)).ok)
  assert.ok(await isPasswordRight(await hashOf(partner.username), partner.password))
  const { value: changed } = must(await collect(reset))
  assert.ok(await isPasswordRight(await hashOf(partner.username), changed))
  assert.ok(!(await isPasswordRight(await hashOf(partner.username), partner.password)))
})

test('everybody who received a password of an API user is stored with it, once each, and nobody who proposed or confirmed one alone', async () => {
  const { partner, engineer, propose, confirm, collect } = await scene()
  const { applicationId, apiUserId } = partner
  const holders = async () => {
    const { rows } = await database.pool.query('select password_holders from api_users where api_user_id = $1', [apiUserId])
    return rows[0].password_holders
  }
  const colleague = await actorOf(applicationId, ['engineer'])
  const reset = async (actor: PersonCommandActor) => {
    const changeId = await propose('api_user.reset', { apiUserId }, actor)
    assert.ok((await confirm(changeId)).ok)
    return () => collect(changeId, actor)
  }
  assert.deepEqual(await holders(), [])
  const receive = await reset(engineer)
  assert.deepEqual(await holders(), [])
  must(await receive())
  for (const actor of [colleague, engineer]) must(await (await reset(actor))())
  assert.deepEqual(await holders(), [colleague.id, engineer.id])
  must(await resetApiUserPassword(database.pool, { applicationId, apiUserId, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await holders(), [colleague.id, engineer.id])
})

test('the person who received the password of a new API user is stored with it', async () => {
  const { engineer, partner, propose, confirm, collect } = await scene()
  const username = `new-${partner.applicationId}`
  const created = await propose('api_user.create', { username })
  assert.ok((await confirm(created)).ok)
  must(await collect(created))
  const { rows } = await database.pool.query('select password_holders from api_users where username = $1', [username])
  assert.deepEqual(rows, [{ password_holders: [engineer.id] }])
})

const hoursUntil = (at: Date | null) => at?.getTime() && Math.round((at.getTime() - Date.now()) / 3_600_000)

async function hashOf(username: string): Promise<string> {
  const { rows } = await database.pool.query('select password_hash from api_users where username = $1', [username])
  return rows[0].password_hash
}

test('an engineer blocks an API user alone, and needs an administrator to unblock it', async () => {
  const { partner, engineer, propose, confirm } = await scene()
  const { applicationId, apiUserId } = partner
  const block = (isBlocked: boolean) => blockApiUser(database.pool, { applicationId, apiUserId, isBlocked, actor: engineer })
  assert.ok((await block(true)).ok)
  assert.deepEqual(await block(false), { ok: false, error: 'not_permitted' })
  assert.ok((await confirm(await propose('api_user.unblock', { apiUserId }))).ok)
  await directory.refresh()
  assert.equal(directory.find(applicationId)?.blockedApiUserIds.size, 0)
})

test('two webhook secrets during the overlap of a rotation', async () => {
  const { partner, propose, confirm, collect } = await scene()
  const changeId = await propose('webhook_secret.rotate', { overlapHours: 48 })
  assert.ok((await confirm(changeId)).ok)
  const { value } = must(await collect(changeId))
  await directory.refresh()
  assert.deepEqual(
    directory.find(partner.applicationId)?.webhookSecrets.map(({ secret, expiresAt }) => [secret, hoursUntil(expiresAt)]),
    [
      [value, undefined],
      [partner.webhookSecret, 48],
    ],
  )
})

test('listed as to be collected by its proposer, by others, then as collected', async () => {
  const { partner, engineer, administrator, propose, confirm, collect } = await scene()
  const { applicationId } = partner
  const changeId = await propose('key.create', { name: 'Listed' })
  const collectionFor = async (actor: PersonCommandActor) =>
    (await listChanges(database.pool, { applicationId, kinds: ['key.create'], actor })).changes[0]?.collection
  assert.equal(await collectionFor(engineer), null)
  await confirm(changeId)
  assert.deepEqual([await collectionFor(engineer), await collectionFor(administrator)], ['yours', 'others'])
  await collect(changeId)
  assert.equal(await collectionFor(engineer), 'collected')
})

for (const [kind, input] of [
  ['key.create', { name: '' }],
  ['key.create', { name: 'a\0b' }],
  ['key.rotate', { apiKeyId: 'x', overlapHours: 1 }],
  ['key.rotate', { apiKeyId: crypto.randomUUID(), overlapHours: 721 }],
  ['key.rotate', { apiKeyId: crypto.randomUUID(), overlapHours: -1 }],
  ['api_user.create', { username: 'two words' }],
  ['api_user.reset', {}],
  ['webhook_secret.rotate', { overlapHours: 1.5 }],
] as const) {
  test(`invalid for ${kind} with ${JSON.stringify(input)}`, async () => {
    const { partner, engineer } = await scene()
    const { applicationId } = partner
    assert.deepEqual(await proposeChange(database.pool, { applicationId, kind, input, actor: engineer }), { ok: false, error: 'invalid' })
  })
}

test('refused: the key and the user of another application', async () => {
  const { engineer, partner } = await scene()
  const elsewhere = await createTestPartner(database.pool)
  const { applicationId } = partner
  const propose = (kind: ChangeKindName, input: unknown) => proposeChange(database.pool, { applicationId, kind, input, actor: engineer })
  assert.deepEqual(await propose('key.rotate', { apiKeyId: elsewhere.apiKeyId, overlapHours: 1 }), {
    ok: false,
    error: { code: 'refused', reason: 'unknown_key' },
  })
  assert.deepEqual(await propose('api_user.reset', { apiUserId: elsewhere.apiUserId }), {
    ok: false,
    error: { code: 'refused', reason: 'unknown_user' },
  })
  assert.deepEqual(
    await proposeChange(database.pool, {
      applicationId: elsewhere.applicationId,
      kind: 'key.create',
      input: { name: 'x' },
      actor: engineer,
    }),
    { ok: false, error: 'not_permitted' },
  )
})
