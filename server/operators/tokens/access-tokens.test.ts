import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { accountOf, createAccessTokens, type IssuedToken } from './access-tokens.ts'

const KEY = { operator: 'MOMOCM', account: accountOf('collection', 'user', 'key') } as const
const databases: TestDatabase[] = []
let database: TestDatabase
let fetched = 0
/** A new token each time. */
const issue = async (expiresInMs = 3_600_000): Promise<IssuedToken> => ({ token: `token ${++fetched}`, expiresInMs })

beforeEach(async () => {
  fetched = 0
  database = await createTestDatabase()
  databases.push(database)
})
after(async () => {
  for (const one of databases) await one.drop()
})

test('one fetch for many callers in several processes, and the token is encrypted in the database', async () => {
  const processes = Array.from({ length: 3 }, () => createAccessTokens(database.pool))
  const calls = processes.flatMap((tokens) => Array.from({ length: 20 }, () => tokens.get(KEY, () => issue())))
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['token 1']))
  assert.equal(fetched, 1)
  const { rows } = await database.pool.query<{ token: string }>('select token from operator_access_tokens')
  assert.match(rows[0]?.token ?? '', /^sealed:1:/)
})

test('a new token before the present one ends, which is used meanwhile', async () => {
  const tokens = createAccessTokens(database.pool)
  assert.equal(await tokens.get(KEY, () => issue(600)), 'token 1')
  // A sixth before its end it is due, and still valid.
  await waitUntil('it is renewed', async () => {
    const token = await tokens.get(KEY, () => issue())
    return token === 'token 2'
  })
  assert.equal(fetched, 2)
})

test('no unhandled error while the present token is used and the next one cannot be fetched', async () => {
  const tokens = createAccessTokens(database.pool)
  await tokens.get(KEY, () => issue(1_200))
  let asked = 0
  const fail = async () => {
    asked++
    throw new Error('No connection')
  }
  await waitUntil('it is due', async () => {
    // On a slow machine it may have ended when it is looked at.
    await tokens.get(KEY, fail).catch(() => undefined)
    return asked > 0
  })
})

test('another token after the operator refused this one, once for all who were refused', async () => {
  const [tokens, others] = [createAccessTokens(database.pool), createAccessTokens(database.pool)]
  await tokens.get(KEY, () => issue())
  await others.get(KEY, () => issue())
  await Promise.all([tokens.forget(KEY, 'token 1'), others.forget(KEY, 'token 1')])
  assert.equal(await tokens.get(KEY, () => issue()), 'token 2')
  await others.forget(KEY, 'token 1')
  assert.equal(await others.get(KEY, () => issue()), 'token 2')
  assert.equal(fetched, 2)
})

test('undefined without a token, and the operator is not asked again for every call', async () => {
  const tokens = createAccessTokens(database.pool)
  let asked = 0
  const refuse = async () => void asked++
  for (let count = 0; count < 10; count++) assert.equal(await tokens.get(KEY, refuse as () => Promise<undefined>), undefined)
  assert.equal(asked, 1)
})

test('a token of its own for other credentials', async () => {
  const tokens = createAccessTokens(database.pool)
  await tokens.get(KEY, () => issue())
  const changed = { operator: 'MOMOCM', account: accountOf('collection', 'user', 'another key') } as const
  assert.equal(await tokens.get(changed, () => issue()), 'token 2')
})
