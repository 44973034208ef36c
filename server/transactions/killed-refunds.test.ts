import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, TEST_SECRETS_KEY, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund } from '#server/testing/factories.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from './intake.ts'
import { listRefunds } from './refund-store.ts'
import type { RefundProcessPlan } from './testing/refund-process.ts'
import { SYSTEM_ACTOR, transition } from './transition.ts'

const MAIN = fileURLToPath(new URL('./testing/refund-process.ts', import.meta.url))
/** From before the first commit to after the last one on a calm machine. */
const KILLED_AFTER_MS = [10, 25, 40, 55, 70, 85, 100, 120, 150, 200]

let database: TestDatabase
let partner: { applicationId: string; apiUserId: string }
before(async () => {
  database = await createTestDatabase()
  const { applicationId } = await createTestPartner(database.pool)
  const { rows } = await database.pool.query<{ id: string }>('select api_user_id as id from api_users')
  partner = { applicationId, apiUserId: rows[0]?.id ?? assert.fail('no API user') }
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000_000n)
})
after(() => database.drop())

async function aCollect(): Promise<string> {
  const { applicationId } = partner
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ applicationId, transactionId: item.transactionId, event: 'succeeded', actor: SYSTEM_ACTOR }])
  return item.transactionId
}

/** Runs the process, and kills it after a while if one is given. Returns the refunds that it answered, by externalId. */
async function run(plan: Pick<RefundProcessPlan, 'collectId' | 'externalIds'>, killedAfterMs?: number): Promise<Map<string, string>> {
  const whole: RefundProcessPlan = { ...partner, ...plan, databaseUrl: database.url, secretsKey: TEST_SECRETS_KEY }
  const child = spawn(process.execPath, [MAIN, JSON.stringify(whole)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  await waitUntil('the process has started', async () => text.includes('started'), { limitMs: 30_000, pauseMs: 1 })
  const exited = once(child, 'exit')
  // The moment of the kill is the point of the test, not something to wait for.
  if (killedAfterMs !== undefined) await Promise.race([delay(killedAfterMs), exited])
  if (killedAfterMs !== undefined) child.kill('SIGKILL')
  await exited
  await waitUntil('its connections have ended', async () => {
    const { rows } = await database.pool.query(
      "select 1 from pg_stat_activity where application_name = 'refund-process' and datname = current_database()",
    )
    return rows.length === 0
  })
  return new Map([...text.matchAll(/refunded (\S+) (\S+)/g)].map(([, externalId = '', transactionId = '']) => [externalId, transactionId]))
}

test('each refund once, none lost that was answered, and never more than the collect, when the process is killed at any moment', async (context) => {
  let cutOff = 0
  for (const killedAfterMs of KILLED_AFTER_MS) {
    const collectId = await aCollect()
    const externalIds = Array.from({ length: 9 }, () => randomUUID())
    const answered = await run({ collectId, externalIds }, killedAfterMs)
    const stored = await listRefunds(database.pool, partner.applicationId, collectId)
    if (stored.some(({ status }) => status === 'PENDING') || answered.size < stored.length) cutOff++
    for (const [externalId, transactionId] of answered)
      assert.equal(stored.find((refund) => refund.externalId === externalId)?.transactionId, transactionId)
    // The program repeats all that it asked for. The amounts of the refunds that failed are free for others.
    const repeated = await run({ collectId, externalIds })
    for (const { externalId, transactionId } of stored) assert.equal(repeated.get(externalId), transactionId)
    const refunds = await listRefunds(database.pool, partner.applicationId, collectId)
    assert.equal(new Set(refunds.map(({ externalId }) => externalId)).size, refunds.length)
    const sum = refunds.filter(({ status }) => status !== 'FAILED').reduce((total, { refundedMinor }) => total + refundedMinor, 0n)
    assert.ok(sum <= 500_000n, `${sum} after ${killedAfterMs} ms`)
  }
  context.diagnostic(`${cutOff} were cut off`)
  assert.deepEqual(await verifyBooks(database.pool), [])
})
