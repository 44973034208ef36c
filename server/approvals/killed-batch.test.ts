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
import { decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { selectBatch } from './batch-store.ts'
import { carryOutNext } from './intended/carry-out.ts'
import { decideOrIntendBatch } from './intended/intend.ts'
import { listIntended } from './intended/undo.ts'

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

test('decided once, and carried out, when the process is killed while it carries out what somebody validated', async (context) => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await pool.query('update applications set undo_seconds = 60 where application_id = $1', [applicationId])
  await fund(pool, applicationId, 'MOMOCM', 100_000_000_000n)
  const makerId = await makePerson(pool, applicationId, ['maker'])
  const checker = { applicationId, id: await makePerson(pool, applicationId, ['checker']), hasSecondFactor: false }
  let cutOff = 0
  for (const killedAfterMs of KILLED_AFTER_MS) {
    const { batchId } = await makeFileBatch(pool, { applicationId, makerId, count: ROWS })
    const batch = await selectBatch(pool, checker, batchId)
    assert.ok(batch)
    const { hash, shownAt } = batch
    const command = { checker, batchId, decision: 'validated' as const, note: 'Seen', excluded: [], hash, shownAt }
    must(await decideOrIntendBatch(decisionDeps(pool), command))
    await pool.query("update intended_decisions set due_at = clock_timestamp() where state = 'waiting'")
    const plan = { applicationId, batchId, checkerId: checker.id, hash, shownAt: shownAt.toISOString() }
    if (!(await killDuring({ ...plan, what: 'carry out' }, killedAfterMs))) {
      cutOff++
      assert.ok(['PENDING_APPROVAL', 'PENDING'].includes((await statusesOf(batchId)).join()), 'carried out in part')
      await carryOutNext(decisionDeps(pool))
    }
    assert.deepEqual(await statusesOf(batchId), ['PENDING'])
    const [last] = await listIntended(pool, checker)
    assert.deepEqual([last?.batch?.batchId, last?.state], [batchId, 'carried_out'])
  }
  context.diagnostic(`${cutOff} were cut off`)
  assert.ok(cutOff > 0, 'nothing was cut off: the kills come too late')
  assert.deepEqual(await verifyBooks(pool), [])
})
