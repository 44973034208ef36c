import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '#server/database/embedded.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { isReady, MAIN, PRODUCTION, pidsOf, signInPartner, startNode, stop } from './testing.ts'

test('403 for an operator without settings in production, which stamps its database and has no seeds and no simulator', async () => {
  const database = await createTestDatabase()
  const [at, stub] = [await freePort(), await freePort()]
  const service = startNode([MAIN], {
    ...PRODUCTION,
    PORT: String(at),
    LOG_LEVEL: 'fatal',
    DATABASE_URL: database.url,
    OPERATOR_WAVE_BASE_URL: `http://127.0.0.1:${stub}`,
    OPERATOR_WAVE_SECRET: 'shared with the operator',
  })
  try {
    await waitUntil('the service is ready', () => isReady(at), { limitMs: 60_000, pauseMs: 100 })
    assert.deepEqual((await database.pool.query('select 1 from applications')).rows, [])
    assert.deepEqual((await database.pool.query('select mode from installation')).rows, [{ mode: 'production' }])
    assert.deepEqual(pidsOf('simulator/main.ts', service.child.pid), [])
    assert.doesNotMatch(service.output(), /sandbox/)
    const call = await signInPartner(at, await createTestPartner(database.pool))
    // Its keys and addresses are in force within a second of being written.
    const wave = { transferMethod: 'SNWAVE', countryName: 'SENEGAL', phoneNumber: '221771234567' }
    await waitUntil('an operator with settings is in service', async () => (await call('collect', wave)).status === 200)
    assert.equal((await call('collect')).status, 403)
    assert.equal(await stop(service), 0)
  } finally {
    await stop(service)
    await database.drop()
  }
})
