import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { createRandom } from '#lib/seeded-random.ts'
import type { DispatcherProcessPlan } from '#server/operators/testing/dispatcher-process.ts'
import { OperatorHarness, SECRET } from '#server/operators/testing/operator-harness.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'

let room: OperatorHarness
before(async () => {
  room = await OperatorHarness.open()
})
after(() => room.close())

const DIGITS = ['341', '342', '343', '344', '901', '903', '906', '907', '908', '909', '911', '913']
const MAIN = fileURLToPath(new URL('./testing/dispatcher-process.ts', import.meta.url))

async function startProcess(): Promise<ChildProcess> {
  const plan: DispatcherProcessPlan = { databaseUrl: room.database.url, simulatorUrl: room.simulator.url, secret: SECRET }
  const child = spawn(process.execPath, [MAIN, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout ?? assert.fail(), 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function openCount(): Promise<number> {
  const { rows } = await room.database.pool.query<{ pending_count: bigint }>(
    'select pending_count from application_counters where application_id = $1',
    [room.applicationId],
  )
  return Number(rows[0]?.pending_count)
}

test('dispatchers killed with SIGKILL at random moments: every transaction ends, executed once or not at all', async (context) => {
  const seed = Math.floor(Math.random() * 1e9)
  context.diagnostic(`seed ${seed}`)
  const random = createRandom(seed).next
  const count = 600
  const items = Array.from({ length: count }, (_, index) => {
    const digits = DIGITS[Math.floor(random() * DIGITS.length)] ?? '341'
    return anIntakeItem(room.applicationId, {
      operator: OPERATOR_CODES[index % OPERATOR_CODES.length],
      phoneNumber: `237677209${digits}`,
      type: random() < 0.5 ? 'COLLECT' : 'DEPOSIT',
    })
  })
  for (let from = 0; from < count; from += 200) await takeIn(room.database.pool, items.slice(from, from + 200))
  const children = await Promise.all([startProcess(), startProcess()])
  try {
    for (let kills = 0; kills < 8; kills++) {
      // The moment of the kill is the point of the test, not something to wait for.
      await delay(random() * 250)
      await kill(children.shift() ?? assert.fail())
      if (kills % 4 === 3) {
        await room.simulator.close()
        await room.restartSimulator()
      }
      children.push(await startProcess())
    }
    await waitUntil('no transaction is open', async () => (await openCount()) === 0, { limitMs: 60_000, pauseMs: 20 })
  } finally {
    await Promise.all(children.map(kill))
  }
  for (const item of items) {
    const isFailing = /90[1-58]$|913$/.test(item.phoneNumber)
    assert.equal((await room.read(item)).status, isFailing ? 'FAILED' : 'SUCCESS', item.phoneNumber)
  }
  await room.compareBooks()
})
