import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import type { BalanceOutcome, Connectors, GuardedConnector } from '#server/operators/connector.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { createSandboxConnector } from '../sandbox-protocol/sandbox-connector.ts'
import { listBalanceAlarms, listBalancesFor, listOperatorBalances } from './balance-store.ts'
import { readFloatMark } from './float-store.ts'
import { ALARM_AFTER_MS, pollBalances } from './poll-balances.ts'

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
  const connectors: Connectors = { get: () => connector, has: () => true, limitsOf: () => undefined, operators: () => ['OMCM'] }
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

test('a difference that payments in progress, agreed fees or the wallet book explain is no alarm; any other is one after 30 minutes', async () => {
  const { pool } = database
  const runs = await makeApplication(pool)
  await pool.query('update applications set runs_installation = true where application_id = $1', [runs])
  const alarms = async (afterMs: number) =>
    (await listBalanceAlarms(pool, runs, new Date(Date.now() + afterMs))).map(({ operator, unexplainedMinor }) => [
      operator,
      unexplainedMinor,
    ])
  const HOUR_MS = 3_600_000
  const { ledgerMinor } = await poll(0n, 0n)
  const report = (moreMinor: bigint) => poll(ledgerMinor + moreMinor, 0n)
  await report(0n)
  assert.deepEqual(await alarms(HOUR_MS), [])

  const item = anIntakeItem(runs, { operator: 'OMCM', type: 'COLLECT', amountMinor: 7_000n })
  await takeIn(pool, [item])
  // Nobody has sent it yet.
  await report(7_000n)
  assert.deepEqual(await alarms(HOUR_MS), [['OMCM', 7_000n]])
  const submit = `update operator_work set state = 'submitted', submissions = 1 where transaction_id = $1`
  await pool.query(submit, [item.transactionId])
  await report(7_000n)
  assert.deepEqual(await alarms(HOUR_MS), [])
  await report(8_000n)
  assert.deepEqual([await alarms(HOUR_MS), await alarms(-ALARM_AFTER_MS)], [[['OMCM', 1_000n]], []])
  assert.deepEqual(await listBalanceAlarms(pool, await makeApplication(pool), new Date(Date.now() + HOUR_MS)), [])

  await pool.query(
    `insert into wallets (application_id, wallet, zone, cutoff_minute, fee_ppm, fee_fixed_minor, changed_by)
     values ($1, 'OMCM', 'UTC', 0, 10000, 0, $1)`,
    [runs],
  )
  await transition(pool, [{ ...item, event: 'succeeded', message: 'x', actor: SYSTEM_ACTOR }])
  assert.equal((await report(6_900n)).differenceMinor, -100n)
  assert.deepEqual(await alarms(HOUR_MS), [])
  await report(6_800n)
  assert.deepEqual(await alarms(HOUR_MS), [['OMCM', -100n]])

  await pool.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, wallet_minor, operator_fee_minor)
     values ($1, 'OMCM', 'line 1', 'fee', '2026-11-05', -100, 100)`,
    [runs],
  )
  await report(6_800n)
  assert.deepEqual(await alarms(HOUR_MS), [])
  const { rows } = await pool.query(
    'select count(*)::integer as count, count(unexplained_minor)::integer as explained from operator_balance_polls',
  )
  assert.ok(rows[0].count >= 5 && rows[0].count === rows[0].explained)
})

test('not in the balance yet: the deposits that were sent within ten minutes; collects never leave our account for payouts', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'OMCM', 60_000n)
  const [sent, older, collect] = [10_000n, 20_000n, 30_000n].map((amountMinor, place) =>
    anIntakeItem(applicationId, { operator: 'OMCM', type: place === 2 ? 'COLLECT' : 'DEPOSIT', amountMinor }),
  )
  const { openMinor } = await readFloatMark(pool, 'OMCM')
  const items = [sent, older, collect].map((item) => item ?? assert.fail())
  await takeIn(pool, items)
  for (const [place, { transactionId }] of items.entries())
    await pool.query(
      `update operator_work set state = 'submitted', submissions = 1, claimed_at = clock_timestamp() - $2::integer * interval '1 minute'
        where transaction_id = $1`,
      [transactionId, place === 1 ? 11 : 0],
    )
  assert.equal((await readFloatMark(pool, 'OMCM')).openMinor - openMinor, 10_000n)
})
