import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { listFloatWaits, releaseFloat } from '#server/operators/balances/float-store.ts'
import { gatewaySettings } from '#server/operators/sandbox-protocol/sandbox-connector.ts'
import { OperatorHarness, SECRET } from '#server/operators/testing/operator-harness.ts'
import { killProcess, startDispatcherProcess } from '#server/operators/testing/processes/start-dispatcher-process.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

const DEPOSIT = { operator: 'MOMOCM', type: 'DEPOSIT', phoneNumber: '237677209341' } as const
const DIGITS = ['341', '342', '343', '344', '901', '903', '906', '907', '908', '909', '911', '913']

function startProcess(holdsForFloat = false): Promise<ChildProcess> {
  const settings = gatewaySettings(OPERATOR_CODES, { baseUrl: harness.simulator.url, secret: SECRET })
  return startDispatcherProcess({ databaseUrl: harness.database.url, settings, holdsForFloat })
}

async function openCount(): Promise<number> {
  const { rows } = await harness.database.pool.query<{ pending_count: bigint }>(
    'select pending_count from application_counters where application_id = $1',
    [harness.applicationId],
  )
  return Number(rows[0]?.pending_count)
}

test('every transaction ends, executed at most once, while dispatchers are killed with SIGKILL at random moments', async (context) => {
  const seed = Math.floor(Math.random() * 1e9)
  context.diagnostic(`seed ${seed}`)
  const random = createRandom(seed).next
  const count = 200
  const items = Array.from({ length: count }, (_, index) => {
    const digits = DIGITS[Math.floor(random() * DIGITS.length)] ?? '341'
    return anIntakeItem(harness.applicationId, {
      operator: OPERATOR_CODES[index % OPERATOR_CODES.length],
      phoneNumber: `237677209${digits}`,
      type: random() < 0.5 ? 'COLLECT' : 'DEPOSIT',
    })
  })
  for (let from = 0; from < count; from += 100) await takeIn(harness.database.pool, items.slice(from, from + 100))
  const children = await Promise.all([startProcess(), startProcess()])
  try {
    for (let kills = 0; kills < 4; kills++) {
      // The moment of the kill is the point of the test, not something to wait for.
      await delay(random() * 250)
      await killProcess(children.shift() ?? assert.fail())
      if (kills % 2 === 1) {
        await harness.simulator.close()
        await harness.restartSimulator()
      }
      children.push(await startProcess())
    }
    await waitUntil('no transaction is open', async () => (await openCount()) === 0, { limitMs: 60_000, pauseMs: 20 })
  } finally {
    await Promise.all(children.map(killProcess))
  }
  for (const item of items) {
    const isFailing = /90[1-58]$|913$/.test(item.phoneNumber)
    assert.equal((await harness.read(item)).status, isFailing ? 'FAILED' : 'SUCCESS', item.phoneNumber)
  }
  await harness.compareBooks()
})

/** Kills a dispatcher that has the operator's refusal and waits to store that its deposits wait. */
async function killBeforeHold(): Promise<void> {
  const { pool } = harness.database
  const blocker = await pool.connect()
  try {
    await blocker.query('begin')
    await blocker.query('lock table operator_floats in exclusive mode')
    const early = await startProcess(true)
    await waitUntil('it waits to hold the deposits back', async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where application_name = 'dispatcher' and datname = current_database()
           and wait_event_type = 'Lock' and query like 'insert into operator_floats%'`,
      )
      return rowCount === 1
    })
    await killProcess(early)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
}

async function killAfterHold(): Promise<void> {
  const late = await startProcess(true)
  await waitUntil('the deposits are held back', async () => (await listFloatWaits(harness.database.pool)).length === 1, { pauseMs: 1 })
  await killProcess(late)
}

for (const [moment, kill] of [
  ['before', killBeforeHold],
  ['after', killAfterHold],
] as const)
  test(`FAILED once, and the next deposit waits unsent: a refusal for lack of our own funds, whose process is killed ${moment} it holds the deposits back`, async () => {
    const { pool } = harness.database
    const [refused, next] = [await harness.make({ ...DEPOSIT, phoneNumber: '237677209901' }), await harness.make(DEPOSIT)]
    // Only the first is sent before the refusal is known.
    await pool.query("update operator_work set next_at = clock_timestamp() + interval '1 hour' where transaction_id = $1", [
      next.transactionId,
    ])
    await kill()
    const other = await startProcess(true)
    try {
      assert.equal((await harness.untilFinal(refused)).status, 'FAILED')
      await pool.query('update operator_work set next_at = clock_timestamp() where transaction_id = $1', [next.transactionId])
      // Another operator's deposit, taken in later, is sent meanwhile.
      await harness.untilFinal(await harness.make({ ...DEPOSIT, operator: 'OMCM' }))
      assert.deepEqual(
        (await listFloatWaits(pool)).map(({ operator, isRefused }) => [operator, isRefused]),
        [['MOMOCM', true]],
      )
      assert.equal((await harness.workOf(next))?.['submissions'], 0)
      assert.ok(await releaseFloat(pool, 'MOMOCM'))
      assert.equal((await harness.untilFinal(next)).status, 'SUCCESS')
    } finally {
      await killProcess(other)
    }
    await harness.compareBooks()
  })
