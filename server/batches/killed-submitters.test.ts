import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRandom } from '#lib/seeded-random.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, TEST_SECRETS_KEY, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { submitBatch } from './submit-batch.ts'
import { ALL_CONNECTED, makeBatch, makerOf, snapshotOf } from './testing/make-batch.ts'

const MAIN = fileURLToPath(new URL('./testing/submitter-process.ts', import.meta.url))
const ROWS = 4_000

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function startProcess(): Promise<ChildProcess> {
  const plan = { databaseUrl: database.url, secretsKey: TEST_SECRETS_KEY }
  const child = spawn(process.execPath, [MAIN, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout ?? assert.fail(), 'data')
  return child
}

test('every row started once, none lost, and the books right, while the processes that start them are killed with SIGKILL', async (context) => {
  const seed = Math.floor(Math.random() * 1e9)
  context.diagnostic(`seed ${seed}`)
  const random = createRandom(seed).next
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const makerId = await makePerson(pool, applicationId, ['maker'])
  const lines = Array.from({ length: ROWS }, (_, index) => `23767${String(1_000_000 + index)};Person ${index};1000;MOMOCM`)
  const batchId = await makeBatch(pool, { applicationId, makerId, text: ['Téléphone;Nom;Montant;Opérateur', ...lines].join('\n') })
  const application = await snapshotOf(pool, applicationId)
  const deps = { pool, connectors: ALL_CONNECTED, wakeSubmitter: () => undefined }
  must(await submitBatch(deps, { application, actor: makerOf(applicationId, makerId), batchId, version: 2, repeatReason: null }))
  const stateOf = async () =>
    (await pool.query<{ state: string }>('select state from batches where batch_id = $1', [batchId])).rows[0]?.state
  let child = await startProcess()
  try {
    for (let kills = 0; kills < 6 && (await stateOf()) === 'submitting'; kills++) {
      // The moment of the kill is the point of the test, not something to wait for.
      await delay(random() * 400)
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = await startProcess()
    }
    await waitUntil('the batch is submitted', async () => (await stateOf()) === 'submitted', { limitMs: 60_000, pauseMs: 50 })
  } finally {
    child.kill('SIGKILL')
  }
  const { rows } = await pool.query(
    `select count(*)::int as transactions, count(distinct t.external_id)::int as rows, (select started_count from batches) as started,
       (select count(*)::int from batch_rows r where r.transaction_id is null) as missing,
       (select count(*)::int from batch_rows r join transactions t using (application_id, transaction_id) where t.external_id = r.external_id) as linked
     from transactions t`,
  )
  assert.deepEqual(rows, [{ transactions: ROWS, rows: ROWS, started: ROWS, missing: 0, linked: ROWS }])
  assert.deepEqual(await verifyBooks(pool), [])
})
