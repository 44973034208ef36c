import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import type { BatchProcessPlan } from '#server/testing/batches/batch-process.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { selectBatch } from './batch-store.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const MAIN = fileURLToPath(new URL('../testing/batches/batch-process.ts', import.meta.url))
const ROWS = 600
/** From immediately to long after the answer on a calm machine. */
const KILLED_AFTER_MS = [0, 40, 120, 400]

/** Runs one command in a process of its own and kills it after a while; returns whether it had answered. */
async function killDuring(plan: Omit<BatchProcessPlan, 'databaseUrl'>, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [MAIN, JSON.stringify({ ...plan, databaseUrl: database.url })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  await waitUntil('the process has connected', async () => text.includes('started'), { limitMs: 30_000 })
  // The moment of the kill is the point of the test, not something to wait for.
  await Promise.race([delay(afterMs), once(child, 'exit')])
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await waitUntil('its connections have ended', async () => {
    const { rows } = await database.pool.query(
      "select 1 from pg_stat_activity where application_name = 'batch-process' and datname = current_database()",
    )
    return rows.length === 0
  })
  return text.includes('done')
}

async function statusesOf(batchId: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ status: string }>(
    "select distinct status || coalesce(' ' || message, '') as status from transactions where batch_id = $1",
    [batchId],
  )
  return rows.map((row) => row.status)
}

test('all of a batch or nothing, and all once it was answered, when the process is killed while it decides and while it stops', async (context) => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000_000n)
  const makerId = await makePerson(pool, applicationId, ['maker'])
  const checkerId = await makePerson(pool, applicationId, ['checker'])
  let halfway = 0
  for (const killedAfterMs of KILLED_AFTER_MS) {
    const { batchId } = await makeFileBatch(pool, { applicationId, makerId, count: ROWS })
    const batch = await selectBatch(pool, { applicationId, id: checkerId }, batchId)
    assert.ok(batch)
    const plan = { applicationId, batchId, checkerId, hash: batch.hash, shownAt: batch.shownAt.toISOString() }
    for (const [what, before, afterwards] of [
      ['decide', 'PENDING_APPROVAL', 'PENDING'],
      ['stop', 'PENDING', "FAILED Arrêtée avant l'envoi à l'opérateur"],
    ] as const) {
      const isAnswered = await killDuring({ ...plan, what }, killedAfterMs)
      const found = await statusesOf(batchId)
      assert.deepEqual(found.length, 1, `${what} stopped halfway: ${found.join()}`)
      if (isAnswered) assert.deepEqual(found, [afterwards])
      else if (found[0] === before) {
        halfway++
        // Nothing of it stays behind: the same command works.
        assert.equal(await killDuring({ ...plan, what }, 60_000), true)
      }
      assert.deepEqual(await statusesOf(batchId), [afterwards])
    }
  }
  context.diagnostic(`${halfway} commands were cut off`)
  assert.ok(halfway > 0, 'no command was cut off: the kills come too late')
  assert.deepEqual(await verifyBooks(pool), [])
})
