import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import type { BalanceOutcome, Connectors, GuardedConnector } from '#server/operators/connector.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication } from '#server/testing/factories.ts'
import { createSandboxConnector } from '../sandbox-protocol/sandbox-connector.ts'
import { listBalancesFor, listOperatorBalances } from './balance-store.ts'
import { pollBalances } from './poll-balances.ts'

const logger = createLogger('silent')
let database: TestDatabase
let reported: BalanceOutcome
const problems: unknown[] = []
let connector: GuardedConnector
before(async () => {
  database = await createTestDatabase()
  for (let count = 0; count < 2; count++) await fund(database.pool, await makeApplication(database.pool), 'OMCM', 60_000n)
  const real = createSandboxConnector({ ...aConnectorContext({ operator: 'OMCM' }), baseUrl: 'http://127.0.0.1:1', secret: 'x' })
  connector = guardConnector('OMCM', { ...real, balance: async () => reported }, logger)
})
after(async () => {
  await connector.close()
  await database.drop()
})

async function poll(collectMinor: bigint | null, depositMinor: bigint | null, isOneAccount = false) {
  reported = { kind: 'balance', collectMinor, depositMinor, isOneAccount, currency: 'XAF', exchange: { httpStatus: 200, answer: '' } }
  return pollAgain()
}

async function pollAgain() {
  const connectors: Connectors = { get: () => connector, has: () => true, operators: () => ['OMCM'] }
  await pollBalances({ pool: database.pool, connectors, logger: { ...logger, error: (details: unknown) => void problems.push(details) } })
  return (await listOperatorBalances(database.pool))[0] ?? assert.fail('nothing is stored')
}

test('no difference if both accounts together hold what the ledger says of all applications', async () => {
  const balance = await poll(20_000n, 100_000n)
  assert.deepEqual([balance.ledgerMinor, balance.differenceMinor, balance.differsSince], [120_000n, 0n, null])
  assert.equal((await poll(120_000n, 120_000n, true)).differenceMinor, 0n)
})

test('a difference with its beginning, which stays until there is none', async () => {
  const begun = await poll(20_000n, 90_000n)
  assert.equal(begun.differenceMinor, -10_000n)
  const later = await poll(20_000n, 95_000n)
  assert.deepEqual([later.differenceMinor, later.differsSince], [-5_000n, begun.differsSince])
  assert.equal((await poll(20_000n, 100_000n)).differsSince, null)
})

test('no difference is claimed if the operator reports one account of two, and an unusable answer changes nothing', async () => {
  const balance = await poll(20_000n, null)
  assert.deepEqual([balance.differenceMinor, balance.differsSince], [null, null])
  reported = { kind: 'unknown', detail: 'x', exchange: { httpStatus: null, answer: 'x' } }
  assert.deepEqual(await pollAgain(), balance)
  assert.deepEqual(problems, [])
})

test('what was stored last, and no new check, for an operator whose answer has neither balance', async () => {
  const balance = await poll(20_000n, 100_000n)
  assert.deepEqual(await poll(null, null), balance)
  assert.deepEqual(problems, [])
})

test('isOnlyOurs only where no other application has money at the operator', async () => {
  await poll(20_000n, 100_000n)
  const [ours, theirs] = [await makeApplication(database.pool), await makeApplication(database.pool)]
  const isOnlyOurs = async (applicationId: string) =>
    (await listBalancesFor(database.pool, applicationId)).map((balance) => balance.isOnlyOurs)
  assert.deepEqual(await isOnlyOurs(ours), [false])
  await database.pool.query("update ledger_balances set deposit_minor = 0, clearing_minor = 0 where operator = 'OMCM'")
  assert.deepEqual(await isOnlyOurs(ours), [true])
  await fund(database.pool, theirs, 'OMCM', 100n)
  assert.deepEqual([await isOnlyOurs(ours), await isOnlyOurs(theirs)], [[false], [true]])
})
