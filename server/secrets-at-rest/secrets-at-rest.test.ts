import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { createDirectory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createPool } from '#server/database/pool.ts'
import { createPerson } from '#server/people/accounts.ts'
import { startSecondFactor } from '#server/people/sign-in/second-factor.ts'
import { acceptStep, readSecondFactor } from '#server/people/sign-in/second-factor-store.ts'
import { createTestDatabase, TEST_SECRETS_KEY, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createKeyring, type Keyring, publishKeyring } from './keyring.ts'
import { checkSecretsKeys, rotateSecretsKey } from './reseal-secrets.ts'

const ring = createKeyring({ current: TEST_SECRETS_KEY, previous: [] })
const newKey = () => randomBytes(32).toString('base64')
const databases: TestDatabase[] = []
let database: TestDatabase

beforeEach(async () => {
  publishKeyring(ring)
  database = await createTestDatabase()
  databases.push(database)
})
after(async () => {
  for (const one of databases) await one.drop()
})

type Person = { personId: string; secret: string }

async function enrolling(partner: TestPartner): Promise<Person> {
  const email = `${randomUUID()}@example.com`
  const { personId } = must(
    await createPerson(database.pool, {
      applicationId: partner.applicationId,
      email,
      name: 'Awa',
      roles: ['checker'],
      actor: SYSTEM_ACTOR,
    }),
  )
  const { secret } = must(await startSecondFactor(database.pool, { personId }))
  return { personId, secret }
}

async function storedSecrets(): Promise<string[]> {
  const { rows } = await database.pool.query<{ stored: string }>(
    'select secret as stored from webhook_secrets union all select totp_secret from people where totp_secret is not null',
  )
  return rows.map((row) => row.stored)
}

async function readsBoth(partner: TestPartner, person: Person): Promise<void> {
  const directory = await createDirectory({ pool: database.pool })
  try {
    assert.deepEqual(
      directory.find(partner.applicationId)?.webhookSecrets.map((entry) => entry.secret),
      [partner.webhookSecret],
    )
  } finally {
    await directory.close()
  }
  assert.equal((await readSecondFactor(database.pool, person.personId))?.secret, person.secret)
}

const isSealedUnder = (keyring: Keyring) => (stored: string) => stored.startsWith(`sealed:1:${keyring.currentKeyId}:`)

test('encrypted in the database: a webhook secret and the secret of a second factor', async () => {
  const partner = await createTestPartner(database.pool)
  const person = await enrolling(partner)
  assert.ok((await storedSecrets()).every(isSealedUnder(ring)))
  await readsBoth(partner, person)
})

test('no secret from a ciphertext that was copied to another row; other applications are read', async () => {
  const [victim, thief] = [await createTestPartner(database.pool), await createTestPartner(database.pool)]
  await database.pool.query(
    'update webhook_secrets set secret = (select secret from webhook_secrets where application_id = $1) where application_id = $2',
    [victim.applicationId, thief.applicationId],
  )
  const errors: unknown[] = []
  const directory = await createDirectory({ pool: database.pool, onError: (error) => errors.push(error) })
  await directory.close()
  assert.deepEqual(directory.find(thief.applicationId)?.webhookSecrets, [])
  assert.equal(directory.find(victim.applicationId)?.webhookSecrets[0]?.secret, victim.webhookSecret)
  assert.match(String(errors[0]), new RegExp(`secret of webhook_secrets ${thief.applicationId}/.* cannot be decrypted`))
})

test('no secret from plain text; it is reported', async () => {
  const partner = await createTestPartner(database.pool)
  await database.pool.query('update webhook_secrets set secret = $2 where application_id = $1', [
    partner.applicationId,
    partner.webhookSecret,
  ])
  const errors: unknown[] = []
  const directory = await createDirectory({ pool: database.pool, onError: (error) => errors.push(error) })
  await directory.close()
  assert.deepEqual(directory.find(partner.applicationId)?.webhookSecrets, [])
  assert.match(String(errors[0]), new RegExp(`secret of webhook_secrets ${partner.applicationId}/.* is not encrypted`))
  assert.ok(!String(errors[0]).includes(partner.webhookSecret))
})

test('refused with an instruction: a wrong key, even if nothing is encrypted yet', async () => {
  await checkSecretsKeys(database.pool, ring)
  await checkSecretsKeys(database.pool, ring)
  const wrong = createKeyring({ current: newKey(), previous: [] })
  await assert.rejects(
    checkSecretsKeys(database.pool, wrong),
    /^Error: SECRETS_KEY is not the key .* set that key, or put it in SECRETS_KEY_PREVIOUS/,
  )
})

test('refused: a wrong key if the database has no key check but encrypted secrets', async () => {
  await createTestPartner(database.pool)
  await assert.rejects(checkSecretsKeys(database.pool, createKeyring({ current: newKey(), previous: [] })), /SECRETS_KEY is not the key/)
  const { rows } = await database.pool.query('select 1 from secrets_keys')
  assert.deepEqual(rows, [])
})

test('readable throughout a rotation: secrets under both keys; afterwards the old key is not needed', async () => {
  const partners = [await createTestPartner(database.pool), await createTestPartner(database.pool), await createTestPartner(database.pool)]
  const people = await Promise.all(partners.map(enrolling))
  await checkSecretsKeys(database.pool, ring)
  const current = newKey()
  const both = createKeyring({ current, previous: [TEST_SECRETS_KEY] })
  const onlyNew = createKeyring({ current, previous: [] })
  publishKeyring(both)
  await checkSecretsKeys(database.pool, both)
  await assert.rejects(checkSecretsKeys(database.pool, onlyNew), /put it in SECRETS_KEY_PREVIOUS until .*rotate-secrets-key has finished/)
  await assert.rejects(checkSecretsKeys(database.pool, ring), new RegExp(`with the key ${both.currentKeyId}`))

  const written = await createTestPartner(database.pool)
  for (const [index, partner] of partners.entries()) await readsBoth(partner, people[index] ?? assert.fail())
  assert.deepEqual(await rotateSecretsKey(database.pool, both, 2), {
    resealedCount: 6,
    droppedKeyIds: [ring.currentKeyId],
    unreadable: [],
  })
  assert.ok((await storedSecrets()).every(isSealedUnder(both)))
  assert.deepEqual(await rotateSecretsKey(database.pool, both), { resealedCount: 0, droppedKeyIds: [], unreadable: [] })

  publishKeyring(onlyNew)
  await checkSecretsKeys(database.pool, onlyNew)
  for (const [index, partner] of partners.entries()) await readsBoth(partner, people[index] ?? assert.fail())
  assert.ok((await storedSecrets()).length === 7 && written.webhookSecret.startsWith('whsec_'))
})

test('continued: an interrupted rotation; one altered row keeps the old key and delays no other row', async () => {
  const partners = await Promise.all(Array.from({ length: 5 }, () => createTestPartner(database.pool)))
  await checkSecretsKeys(database.pool, ring)
  const both = createKeyring({ current: newKey(), previous: [TEST_SECRETS_KEY] })
  await checkSecretsKeys(database.pool, both)
  const sorted = partners.map((partner) => partner.applicationId).sort()
  await database.pool.query(`update webhook_secrets set secret = left(secret, -8) || 'AAAAAAAA' where application_id = $1`, [sorted[2]])

  // The connection ends in the middle, as when the program is killed: each batch before it is committed.
  const short = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'killed rotation' })
  // Listened to from the start: the rejection may come before anybody waits for it.
  const interrupted = rotateSecretsKey(short, both, 1).catch(() => undefined)
  for (;;) {
    if ((await storedSecrets()).some(isSealedUnder(both))) break
  }
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'killed rotation'`,
  )
  await interrupted
  await short.end()

  const result = await rotateSecretsKey(database.pool, both, 2)
  assert.equal((await storedSecrets()).filter(isSealedUnder(both)).length, 4)
  assert.match(result.unreadable.join(), new RegExp(`webhook_secrets ${sorted[2]}/`))
  assert.deepEqual(result.droppedKeyIds, [], 'its key stays registered')
  await assert.rejects(checkSecretsKeys(database.pool, createKeyring({ current: newKey(), previous: [] })))
})

test('accepted once: a one-time code while the key is rotated', async () => {
  const person = await enrolling(await createTestPartner(database.pool))
  const both = createKeyring({ current: newKey(), previous: [TEST_SECRETS_KEY] })
  publishKeyring(both)
  // The row changes its form after it was read and before it is updated.
  let isRotated = false
  const racing = {
    query: async (...args: Parameters<typeof database.pool.query>) => {
      if (!isRotated && /^update people/.test(String(args[0]))) {
        isRotated = true
        await rotateSecretsKey(database.pool, both)
      }
      return database.pool.query(...args)
    },
  } as unknown as typeof database.pool
  assert.equal(await acceptStep(racing, person.personId, person.secret, 7n), true)
  assert.ok(isRotated)
  assert.equal(await acceptStep(racing, person.personId, person.secret, 7n), false)
  assert.equal(await acceptStep(racing, person.personId, 'JBSWY3DPEHPK3PXP', 8n), false)
})
