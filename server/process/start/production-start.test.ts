import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createLogger } from '#server/logger.ts'
import { setOperator } from '#server/operators/settings/set-operator.ts'
import { testOperator } from '#server/operators/settings/test-operator.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { readBooks } from '#server/operators/testing/compare-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund } from '#server/testing/factories.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { pidsOf } from '#server/testing/service/processes.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Call, signInPartner } from '../testing.ts'

const GATEWAY_SECRET = 'shared with the gateway'

let database: TestDatabase
let service: Service
let partner: TestPartner
let call: Call
let folder: string
let gateway: Simulator

before(async () => {
  database = await createTestDatabase()
  const stub = await freePort()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-gateway-'))
  gateway = await startSimulator({ port: 0, folder, secret: GATEWAY_SECRET, delayMs: 30 })
  service = await startService({
    environment: {
      ...PRODUCTION,
      LOG_LEVEL: 'fatal',
      DATABASE_URL: database.url,
      OPERATOR_WAVE_BASE_URL: `http://127.0.0.1:${stub}`,
      OPERATOR_WAVE_SECRET: 'shared with the operator',
    },
  })
  assert.deepEqual((await database.pool.query('select 1 from applications')).rows, [])
  partner = await createTestPartner(database.pool)
  call = await signInPartner(service.baseUrl, partner)
})
after(async () => {
  await service.stop()
  await gateway.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

test('403 for an operator without settings in production, which stamps its database and has no seeds and no simulator', async () => {
  assert.deepEqual((await database.pool.query('select mode from installation')).rows, [{ mode: 'production' }])
  assert.deepEqual(pidsOf('simulator/main.ts', service.pid), [])
  assert.doesNotMatch(service.output(), /sandbox/)
  // Its keys and addresses are in force within a second of being written.
  const wave = { transferMethod: 'SNWAVE', countryName: 'SENEGAL', phoneNumber: '221771234567' }
  await waitUntil('an operator with settings is in service', async () => (await call('collect', wave)).status === 200)
  assert.equal((await call('collect')).status, 403)
})

test('collect, deposit, status and balance through a gateway, for an operator without a public protocol; 403 for a direction that it does not serve', async () => {
  const { pool } = database
  const free = { transferMethod: 'SNFREE', countryName: 'SENEGAL', phoneNumber: '221761234567' }
  const set = async (changes: Record<string, unknown>) =>
    void must(await setOperator(pool, { operator: 'SNFREE', protocol: 'gateway', changes, actor: SYSTEM_ACTOR }))
  const begin = (operation: string) =>
    waitUntil(`${operation} is in service`, async () => {
      const answer = await call(operation, free)
      return answer.status === 200 ? answer : undefined
    })
  assert.deepEqual([(await call('collect', free)).status, (await call('deposit', free)).status], [403, 403])
  await fund(pool, partner.applicationId, 'SNFREE', 1_000_000_00n)

  // The simulator acts as the gateway of the installation.
  await set({ baseUrl: gateway.url, secret: GATEWAY_SECRET, callbackBaseUrl: service.baseUrl, directions: ['COLLECT'] })
  const collect = await begin('collect')
  assert.equal((await call('deposit', free)).status, 403)
  await set({ directions: null })
  const deposit = await begin('deposit')

  const statusesOf = async () => {
    const ids = [collect.transactionId, deposit.transactionId]
    const { rows } = await pool.query<{ status: string }>('select status from transactions where transaction_id = any ($1) order by type', [
      ids,
    ])
    return rows.map(({ status }) => status)
  }
  await waitUntil('both end', async () => (await statusesOf()).every((status) => status === 'SUCCESS'))
  const entries = [...(await readBooks(gateway.url)).values()].filter(({ operator }) => operator === 'SNFREE')
  assert.deepEqual(
    entries.map(({ direction, timesExecuted, duplicates }) => [direction, timesExecuted, duplicates]),
    [
      ['COLLECT', 1, 0],
      ['DEPOSIT', 1, 0],
    ],
  )
  const tested = must(await testOperator({ pool, clock: systemClock, logger: createLogger('silent') }, 'SNFREE', undefined))
  assert.deepEqual(tested.steps, [
    { step: 'directions', outcome: 'COLLECT DEPOSIT' },
    { step: 'balance', outcome: 'collect 100000100 XOF, deposit 99999900 XOF' },
  ])
})

test('exit code 0 after SIGTERM', async () => {
  assert.equal(await service.stop(), 0)
})
