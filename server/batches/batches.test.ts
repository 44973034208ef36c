import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { createBatchSubmitter } from './batch-submitter.ts'
import { createBatch } from './create-batch.ts'
import { createFileReader } from './read-file/file-reader.ts'
import { submitBatch } from './submit-batch.ts'

let database: TestDatabase
let directory: Directory
before(async () => {
  database = await createTestDatabase()
  directory = await createDirectory({ pool: database.pool })
})
after(async () => {
  await directory.close()
  await database.drop()
})

test('bench', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const maker = await makePerson(pool, applicationId, ['maker'])
  await directory.refresh()
  const application = directory.find(applicationId)!
  const lines = ['Téléphone;Nom;Montant;Opérateur']
  for (let i = 0; i < 10_000; i++)
    lines.push(
      `+237 6 77 ${String(100000 + i).replace(/(..)(..)(..)/, '$1 $2 $3')};Étienne Mbarga ${i};1 ${String(100 + (i % 800))},00;MTN Cameroun`,
    )
  const bytes = Buffer.from(lines.join('\r\n'))
  const reader = createFileReader()
  let started = performance.now()
  const read = await reader.read(bytes)
  console.log('read ms', performance.now() - started, read.ok && read.value.rows.length, read.ok && read.value.reading)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const connectors = { has: () => true }
  const actor = { kind: 'person' as const, id: maker, applicationId, roles: ['maker' as const] }
  started = performance.now()
  const created = await createBatch(
    { pool, connectors },
    {
      application,
      actor,
      name: 'x',
      type: 'DEPOSIT',
      defaultOperator: null,
      fileName: 'x.csv',
      fileSha256: createHash('sha256').update(bytes).digest(),
      file: read.value,
    },
  )
  console.log('create ms', performance.now() - started)
  assert(created.ok)
  const { rows } = await pool.query('select ready_count, problem_count, sums, version from batches')
  console.log(JSON.stringify(rows))
  console.log((await pool.query('select * from batch_rows limit 1')).rows)
  const intake = createIntake({ pool })
  const submitter = createBatchSubmitter({ pool, intake, connectors, directory })
  started = performance.now()
  const submitted = await submitBatch(
    { pool, connectors, wakeSubmitter: submitter.wake },
    { application, actor, batchId: created.value.batchId, version: rows[0].version, repeatReason: null },
  )
  console.log('submit ms', performance.now() - started, submitted)
  await waitUntil('submitted', async () => (await pool.query("select 1 from batches where state = 'submitted'")).rowCount === 1)
  console.log('started ms', performance.now() - started)
  console.log((await pool.query('select count(*), count(distinct external_id), sum(amount_minor) from transactions')).rows)
  await submitter.drain()
  await intake.drain()
})
