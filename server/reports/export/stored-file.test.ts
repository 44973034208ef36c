import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTranslate } from '#lib/i18n/translate.ts'
import { ok } from '#lib/result.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { MESSAGES } from '#server/messages.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import type { FilePieces } from './export-file.ts'
import { exportTransactions } from './export-transactions.ts'
import { listExports, openStoredFile, storeFile } from './stored-file.ts'
import { deleteOldFiles } from './stored-file-store.ts'

let database: TestDatabase
let personId: string
before(async () => {
  database = await createTestDatabase()
  personId = await makePerson(database.pool, await makeApplication(database.pool), ['finance'])
})
after(() => database.drop())

/** An application with this many transactions. */
async function makeList(rows: number): Promise<{ applicationId: string; transactionIds: string[] }> {
  const applicationId = await makeApplication(database.pool)
  const items = Array.from({ length: rows }, () => anIntakeItem(applicationId, { type: 'COLLECT' }))
  await takeIn(database.pool, items)
  return { applicationId, transactionIds: items.map((item) => item.transactionId) }
}

async function open(applicationId: string, more: { format?: 'csv' | 'xlsx'; storedFileBytesMax?: number } = {}) {
  const { format = 'csv', ...limits } = more
  const exported = await exportTransactions(
    { pool: database.pool, reportPool: database.pool, ...limits },
    {
      businessZone: 'UTC',
      applicationId,
      applicationName: 'Kora Stores',
      person: { id: personId, name: 'Test person', roles: ['finance'] },
      format,
      filter: transactionFilterSchema.parse({}),
      transactionIds: null,
      columns: null,
      t: createTranslate('en', MESSAGES.en),
    },
  )
  assert.ok(exported.ok)
  return exported.value
}

async function readAll(file: FilePieces): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of file) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const openAgain = (applicationId: string, exportId: string) =>
  openStoredFile({ pool: database.pool, reportPool: database.pool }, { applicationId, personId, exportId })

const NOT_FOUND = { ok: false, error: 'not_found' }

async function countPieces(applicationId: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>('select count(*) from export_pieces where application_id = $1', [
    applicationId,
  ])
  return Number(rows[0]?.count)
}

for (const format of ['csv', 'xlsx'] as const) {
  test(`the same bytes of a ${format} file in a later download, although its transactions have changed since`, async () => {
    const { applicationId, transactionIds } = await makeList(500)
    const { exportId, file } = await open(applicationId, { format })
    const bytes = await readAll(file)
    const move = { event: 'succeeded' as const, message: 'ok', actor: { kind: 'operator' as const, id: null } }
    await withTransaction(database.pool, async (trx) =>
      ok(
        await transition(
          trx,
          transactionIds.map((transactionId) => ({ applicationId, transactionId, ...move })),
        ),
      ),
    )
    const opened = await openAgain(applicationId, exportId)
    assert.ok(opened.ok)
    const stored = opened.value
    assert.ok((await readAll(stored.file)).equals(bytes))
    assert.equal(stored.record.fileSha256, createHash('sha256').update(bytes).digest('hex'))
  })
}

test('busy for a third download while two of the application are being read, and not for the next one after they end', async () => {
  const { applicationId } = await makeList(1)
  const { exportId, file } = await open(applicationId)
  await readAll(file)
  const slow = [await openAgain(applicationId, exportId), await openAgain(applicationId, exportId)]
  assert.deepEqual(await openAgain(applicationId, exportId), { ok: false, error: 'busy' })
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  assert.equal(entries.filter(({ action }) => action === 'export.downloaded').length, 2, 'none for the refused one')
  for (const each of slow) if (each.ok) await each.value.file.return()
  const next = await openAgain(applicationId, exportId)
  assert.ok(next.ok)
  await next.value.file.return()
})

test('an audit entry for each later download', async () => {
  const { applicationId } = await makeList(1)
  const { exportId, file } = await open(applicationId)
  await readAll(file)
  const stored = await openAgain(applicationId, exportId)
  assert.ok(stored.ok)
  await stored.value.file.return()
  const [entry] = await listAudit(database.pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.subject, entry?.actor], ['export.downloaded', exportId, { kind: 'person', id: personId }])
})

test('not_found for a file of another application, for one that does not exist, and for one that is not finished', async () => {
  const { applicationId } = await makeList(3)
  const finished = await open(applicationId)
  await readAll(finished.file)
  const { exportId, file } = await open(applicationId)
  assert.deepEqual(await openAgain(await makeApplication(database.pool), finished.exportId), NOT_FOUND)
  assert.deepEqual(await openAgain(applicationId, randomUUID()), NOT_FOUND)
  assert.deepEqual(await openAgain(applicationId, exportId), NOT_FOUND)
  await file.return()
})

test('a whole file that is not stored when it is larger than the limit', async () => {
  const { applicationId } = await makeList(20)
  const { exportId, file } = await open(applicationId, { storedFileBytesMax: 1_000 })
  assert.ok((await readAll(file)).length > 1_000)
  const [listed] = await listExports(database.pool, applicationId)
  assert.deepEqual([listed?.rowCount, listed?.isStored], [20, false])
  assert.deepEqual(await openAgain(applicationId, exportId), NOT_FOUND)
  assert.equal(await countPieces(applicationId), 0)
})

test('no piece of a file whose reader went away', async () => {
  const applicationId = await makeApplication(database.pool)
  const stored = storeFile(database.pool, { applicationId, exportId: randomUUID() })
  await stored.add(Buffer.alloc(600 * 1024))
  assert.equal(await countPieces(applicationId), 1)
  await stored.discard()
  await stored.add(Buffer.alloc(600 * 1024))
  assert.deepEqual([await stored.finish(), await countPieces(applicationId)], [false, 0])
})

test('an aborted download for a stored file that is not what was exported', async () => {
  const { applicationId } = await makeList(3)
  const { exportId, file } = await open(applicationId)
  await readAll(file)
  await database.pool.query("update export_pieces set content = content || '\\x20' where application_id = $1", [applicationId])
  const stored = await openAgain(applicationId, exportId)
  assert.ok(stored.ok)
  await assert.rejects(readAll(stored.value.file), /not whole/)
})

test('the oldest stored files are removed first when an application has too many bytes; their records remain', async () => {
  const { applicationId } = await makeList(3)
  const ids: string[] = []
  const sizes: number[] = []
  for (let n = 0; n < 3; n++) {
    const { exportId, file } = await open(applicationId)
    ids.push(exportId)
    sizes.push((await readAll(file)).length)
  }
  await deleteOldFiles(database.pool, applicationId, (sizes[1] ?? 0) + (sizes[2] ?? 0))
  const listed = await listExports(database.pool, applicationId)
  assert.deepEqual(
    listed.map(({ exportId, isStored }) => [exportId, isStored]),
    [
      [ids[2], true],
      [ids[1], true],
      [ids[0], false],
    ],
  )
  assert.equal(await countPieces(applicationId), 2)
})

test('a partial file of a crashed process is removed after an hour', async () => {
  const { applicationId } = await makeList(3)
  const { exportId, file } = await open(applicationId)
  await database.pool.query(`insert into export_pieces (application_id, export_id, number, content) values ($1, $2, 7, 'x')`, [
    applicationId,
    exportId,
  ])
  await deleteOldFiles(database.pool, applicationId, 1_000_000)
  assert.equal(await countPieces(applicationId), 1)
  await database.pool.query(`update exports set started_at = started_at - interval '61 minutes' where export_id = $1`, [exportId])
  await deleteOldFiles(database.pool, applicationId, 1_000_000)
  assert.equal(await countPieces(applicationId), 0)
  await file.return()
})
