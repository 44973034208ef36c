import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readApplications } from '../application-store.ts'
import { findLiveKey, listAccess } from './access-store.ts'
import { createApiKey, revokeApiKey, rotateWebhookSecret } from './api-keys.ts'
import { allowAddress, denyAddress } from './change-networks.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const HOUR_MS = 3_600_000
/** One instant for the whole file: times are stored in whole seconds, and a second may pass between two calls. */
const START_MS = Math.floor(Date.now() / 1_000) * 1_000
const inHours = (hours: number) => new Date(START_MS + hours * HOUR_MS)
const personOf = (applicationId: string, roles: Role[]): CommandActor => ({ kind: 'person', id: randomUUID(), applicationId, roles })

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const create = (command: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
    createApiKey(pool, { applicationId, name: 'key', actor: SYSTEM_ACTOR, ...command })
  const revoke = (apiKeyId: string, actor: CommandActor = SYSTEM_ACTOR, of = applicationId) =>
    revokeApiKey(pool, { applicationId: of, apiKeyId, actor })
  const keys = async () => (await listAccess(pool, applicationId)).keys
  /** Of the keys with these ids, when each ends. */
  const ends = async (...ids: string[]) => {
    const all = await keys()
    return ids.map((id) => all.find(({ apiKeyId }) => apiKeyId === id)?.expiresAt ?? null)
  }
  const lastEntry = async () => (await listAudit(pool, applicationId, { size: 1 }))[0]
  return { pool, applicationId, create, revoke, keys, ends, lastEntry }
}

const outcome = (result: { ok: boolean; error?: unknown }) => (result.ok ? 'done' : result.error)

test('not_permitted for everybody but an administrator of the application; engineers may revoke a key', async () => {
  const { pool, applicationId, create, revoke } = await scene()
  const { apiKeyId } = must(await create())
  const others = [personOf(applicationId, ['maker', 'checker', 'finance']), personOf(await makeApplication(pool), ['administrator'])]
  const engineer = personOf(applicationId, ['engineer'])
  for (const actor of [...others, engineer]) {
    assert.equal(outcome(await create({ actor })), 'not_permitted')
    assert.equal(outcome(await rotateWebhookSecret(pool, { applicationId, othersExpireAt: inHours(1), actor })), 'not_permitted')
    for (const change of [allowAddress, denyAddress])
      assert.equal(outcome(await change(pool, { applicationId, network: '10.0.0.0/8', actor })), 'not_permitted')
  }
  for (const actor of others) assert.equal(outcome(await revoke(apiKeyId, actor)), 'not_permitted')
  assert.equal(outcome(await revoke(apiKeyId, engineer)), 'done')
  assert.equal(outcome(await create({ actor: personOf(applicationId, ['administrator']) })), 'done')
})

test('a name of 1 to 200 characters without the spaces around it, in an application that exists', async () => {
  const { create, keys } = await scene()
  for (const name of ['', '  ', 'x'.repeat(201), 'a\0b'])
    assert.equal(outcome(await create({ name })), 'invalid_name', JSON.stringify(name))
  must(await create({ name: ` ${'x'.repeat(200)} ` }))
  must(await create({ name: 'x' }))
  assert.deepEqual(
    (await keys()).map(({ name }) => name.length),
    [1, 200],
  )
  assert.equal(outcome(await create({ applicationId: randomUUID() })), 'unknown_application')
})

test('ten keys that work; those that were revoked or have ended do not count', async () => {
  const { pool, applicationId, create, revoke } = await scene()
  const first = must(await create()).apiKeyId
  must(await create({ expiresAt: inHours(1) }))
  for (let place = 0; place < 8; place++) must(await create())
  assert.equal(outcome(await create()), 'too_many_keys')
  await pool.query('update api_keys set expires_at = now() where application_id = $1 and expires_at is not null', [applicationId])
  assert.equal(outcome(await create()), 'done')
  assert.equal(outcome(await create()), 'too_many_keys')
  must(await revoke(first))
  assert.equal(outcome(await create()), 'done')
  assert.equal(outcome(await create()), 'too_many_keys')
})

test('ended with the overlap of a rotation: every other key that would work longer, and no other', async () => {
  const { create, revoke, ends } = await scene()
  const other = await scene()
  const make = async (of: typeof create, expiresAt?: Date) => must(await of(expiresAt ? { expiresAt } : {})).apiKeyId
  const [endless, long, short, revoked] = [
    await make(create),
    await make(create, inHours(9)),
    await make(create, inHours(1)),
    await make(create, inHours(9)),
  ]
  must(await revoke(revoked))
  const elsewhere = await make(other.create)
  const rotated = must(await create({ othersExpireAt: inHours(2) })).apiKeyId
  assert.deepEqual(await ends(endless, long, short, revoked, rotated), [inHours(2), inHours(2), inHours(1), inHours(9), null])
  assert.deepEqual(await other.ends(elsewhere), [null])
})

test('ended with the overlap: the one key that is replaced, unless it ends before; unknown_key for one that does not work', async () => {
  const { pool, create, revoke, ends } = await scene()
  const other = await scene()
  const make = async (expiresAt?: Date) => must(await create(expiresAt ? { expiresAt } : {})).apiKeyId
  const [endless, short, bystander, revoked, ended] = [
    await make(),
    await make(inHours(1)),
    await make(),
    await make(),
    await make(inHours(1)),
  ]
  must(await revoke(revoked))
  await pool.query('update api_keys set expires_at = now() where api_key_id = $1', [ended])
  const replace = (apiKeyId: string, of = create) => of({ replaces: { apiKeyId, expiresAt: inHours(2) } })
  for (const apiKeyId of [revoked, ended, randomUUID()]) assert.equal(outcome(await replace(apiKeyId)), 'unknown_key')
  assert.equal(outcome(await replace(bystander, other.create)), 'unknown_key')
  must(await replace(endless))
  must(await replace(short))
  assert.deepEqual(await ends(endless, short, bystander), [inHours(2), inHours(1), null])
})

test('the record of a new key: its name, its first characters and what ends with it, never the key', async () => {
  const { create, lastEntry, keys } = await scene()
  const first = must(await create({ name: 'first' }))
  const keyPrefix = first.apiKey.slice(0, 12)
  const entry = await lastEntry()
  assert.deepEqual(
    [entry?.action, entry?.subject, entry?.details],
    ['api_key.created', first.apiKeyId, { name: 'first', keyPrefix, expiresAt: null, othersExpireAt: null }],
  )
  const requestedBy = randomUUID()
  const second = must(
    await create({
      ...{ expiresAt: inHours(9), othersExpireAt: inHours(3), requestedBy },
      replaces: { apiKeyId: first.apiKeyId, expiresAt: inHours(2) },
    }),
  )
  assert.deepEqual((await lastEntry())?.details, {
    ...{ name: 'key', keyPrefix: second.apiKey.slice(0, 12), requestedBy },
    ...{ expiresAt: inHours(9).toISOString(), othersExpireAt: inHours(3).toISOString() },
    ...{ replaces: first.apiKeyId, replacedEndsAt: inHours(2).toISOString() },
  })
  assert.deepEqual(
    (await keys()).map(({ apiKeyId, createdBy, revokedAt }) => [apiKeyId, createdBy, revokedAt]),
    [
      [second.apiKeyId, requestedBy, null],
      [first.apiKeyId, null, null],
    ],
  )
})

test('revoked once, by its own application: a key; no longer found as one that works', async () => {
  const { pool, applicationId, create, revoke, lastEntry } = await scene()
  const { apiKeyId, apiKey } = must(await create({ name: 'one' }))
  const keyPrefix = apiKey.slice(0, 12)
  assert.deepEqual(await findLiveKey(pool, applicationId, apiKeyId), { name: 'one', keyPrefix, scopes: null })
  const elsewhere = await makeApplication(pool)
  assert.equal(await findLiveKey(pool, elsewhere, apiKeyId), undefined)
  assert.equal(outcome(await revoke(apiKeyId, SYSTEM_ACTOR, elsewhere)), 'unknown_key')
  must(await revoke(apiKeyId))
  assert.deepEqual([(await lastEntry())?.action, (await lastEntry())?.details], ['api_key.revoked', { keyPrefix }])
  assert.equal(outcome(await revoke(apiKeyId)), 'unknown_key')
  assert.equal(await findLiveKey(pool, applicationId, apiKeyId), undefined)
  const ending = must(await create({ expiresAt: inHours(1) })).apiKeyId
  assert.ok(await findLiveKey(pool, applicationId, ending))
  await pool.query('update api_keys set expires_at = now() where api_key_id = $1', [ending])
  assert.equal(await findLiveKey(pool, applicationId, ending), undefined)
})

test('earlier webhook secrets sign until the end of the overlap, or until their own', async () => {
  const { pool, applicationId, lastEntry } = await scene()
  const rotate = async (hours: number) =>
    must(await rotateWebhookSecret(pool, { applicationId, othersExpireAt: inHours(hours), actor: SYSTEM_ACTOR }))
  const ends = async () =>
    (await readApplications(pool, [applicationId]))[0]?.webhook_secrets.map(({ expiresAt }) => expiresAt && new Date(expiresAt))
  await rotate(1)
  await rotate(2)
  await rotate(5)
  assert.deepEqual(
    [(await lastEntry())?.action, (await lastEntry())?.details],
    ['webhook_secret.rotated', { othersExpireAt: inHours(5).toISOString() }],
  )
  assert.deepEqual(await ends(), [null, inHours(5), inHours(2)])
  await pool.query('update webhook_secrets set expires_at = now() where application_id = $1 and expires_at = $2', [
    applicationId,
    inHours(2),
  ])
  assert.deepEqual(await ends(), [null, inHours(5)])
  assert.equal(
    outcome(await rotateWebhookSecret(pool, { applicationId: randomUUID(), othersExpireAt: inHours(1), actor: SYSTEM_ACTOR })),
    'unknown_application',
  )
})

test('a network in one spelling with its note, recorded once however often it is allowed, and removed as it was allowed', async () => {
  const { pool, applicationId, lastEntry } = await scene()
  const other = await makeApplication(pool)
  const allow = (network: string, note?: string, of = applicationId) =>
    allowAddress(pool, { applicationId: of, network, ...(note !== undefined && { note }), actor: SYSTEM_ACTOR })
  const deny = (network: string, of = applicationId) => denyAddress(pool, { applicationId: of, network, actor: SYSTEM_ACTOR })
  assert.deepEqual(await allow(' 2001:DB8::/32 ', `office\0${'x'.repeat(300)}`), { ok: true, value: { network: '2001:db8::/32' } })
  const entry = await lastEntry()
  const note = `office${'x'.repeat(194)}`
  assert.deepEqual([entry?.action, entry?.subject, entry?.details], ['address.allowed', '2001:db8::/32', { note }])
  assert.ok((await allow('2001:db8::/32', 'again')).ok)
  assert.equal((await lastEntry())?.sequence, entry?.sequence)
  await allow('10.0.0.0/8')
  await allow('10.0.0.0/8', '', other)
  assert.deepEqual(
    (await listAccess(pool, applicationId)).addresses.map((each) => [each.network, each.note]),
    [
      ['10.0.0.0/8', ''],
      ['2001:db8::/32', note],
    ],
  )
  assert.equal(outcome(await deny('10.0.0.1')), 'not_on_the_list')
  assert.equal(outcome(await deny('10.0.0.0/8')), 'done')
  assert.deepEqual([(await lastEntry())?.action, (await lastEntry())?.subject], ['address.denied', '10.0.0.0/8'])
  assert.equal(outcome(await deny('10.0.0.0/8')), 'not_on_the_list')
  assert.equal((await listAccess(pool, other)).addresses.length, 1)
  for (const change of [allow, deny]) assert.equal(outcome(await change('10.0.0.1/8')), 'host_bits_set')
  assert.equal(outcome(await allow('10.0.0.0/8', '', randomUUID())), 'unknown_application')
})
