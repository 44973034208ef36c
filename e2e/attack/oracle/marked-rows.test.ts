import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { MadeRow } from '#e2e/attack/case.ts'
import { makeBatch } from '#server/batches/testing/make-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { MARK } from './marked-rows.ts'
import { checkRows, snapshotRows, type Told } from './rows.ts'

let database: TestDatabase
let applicationId: string
let makerId: string

before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  makerId = await makePerson(database.pool, applicationId, ['maker'])
})
after(() => database.drop())

const NOTHING: Told = { accepted: new Set(), acceptedRows: [], uncertain: new Set(), acceptedTokens: 0 }
const LIST = 'Phone;Name;Amount;Operator\n237677209341;Clarisse Mbarga;5000;MOMOCM\n'

/** A batch whose file has this name, as an accepted upload leaves it. */
async function upload(fileName: string): Promise<void> {
  const batchId = await makeBatch(database.pool, { applicationId, makerId, text: LIST })
  await database.pool.query('update batches set file_name = $2 where batch_id = $1', [batchId, fileName])
}

function batchOf(mark: string): MadeRow {
  return { table: 'batches', mark }
}

test('nothing is found where the batch of an accepted upload is there, and where nobody was answered', async () => {
  const mark = `${MARK}${randomUUID()}`
  const before = await snapshotRows(database.pool)
  await upload(mark)
  assert.deepEqual(await checkRows(database.pool, before, { ...NOTHING, acceptedRows: [batchOf(mark)] }), [])
  assert.deepEqual(await checkRows(database.pool, before, { ...NOTHING, uncertain: new Set([mark]) }), [])
  await database.pool.query('update batches set file_name = $2 where file_name = $1', [mark, 'done.csv'])
})

test('a batch whose upload was refused, one that is missing and one that is there twice are caught', async () => {
  const [mark, lost] = [`${MARK}${randomUUID()}`, `${MARK}${randomUUID()}`]
  const before = await snapshotRows(database.pool)
  await upload(mark)
  assert.match((await checkRows(database.pool, before, NOTHING)).join(), /is in batches, and its request was refused/)
  const told = { ...NOTHING, acceptedRows: [batchOf(mark), batchOf(lost)] }
  assert.match((await checkRows(database.pool, before, told)).join(), /was accepted and is not in batches/)
  await upload(mark)
  assert.match((await checkRows(database.pool, before, told)).join(), /is in batches twice/)
  await database.pool.query('update batches set file_name = $2 where file_name = $1', [mark, 'done.csv'])
})

test('a batch without the mark, and an audit entry that no accepted row explains, are caught', async () => {
  const before = await snapshotRows(database.pool)
  await upload('somebody.csv')
  const problems = (await checkRows(database.pool, before, NOTHING)).join()
  assert.match(problems, /rows of batches changed/)
  assert.match(problems, /1 audit entries batch\.created/)
})
