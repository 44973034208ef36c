import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTranslate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { ListColumn } from '#lib/payments/transactions/transaction-exports.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import { MESSAGES } from '#server/messages.ts'
import { listTransactions } from '#server/reports/partner-lists/list-for-partner-store.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { csvField, safeText } from './csv.ts'
import { EXPORT_COLUMNS } from './export-columns.ts'
import { toRecordFile } from './export-record.ts'
import { type ExportRequest, exportTransactions } from './export-transactions.ts'
import { findExportByFile, listExports } from './stored-file.ts'
import { readEntries, verifyWorkbook } from './verify-workbook.ts'

const t = createTranslate('en', MESSAGES.en)
const HOSTILE = [
  '=HYPERLINK("http://evil.example")',
  '+1',
  '-2+3',
  '@SUM(A1)',
  '\tx',
  'Awa "la grande", Traoré',
  '237690010010',
  '<b>&_x0041_',
]

/** More than one batch, and a third of them in Uganda. */
const ROWS = 1_500

let database: TestDatabase
let applicationId: string
let personId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  personId = await makePerson(database.pool, applicationId, ['finance'])
  for (let n = 0; n < ROWS; n += 500) {
    await takeIn(
      database.pool,
      Array.from({ length: 500 }, (_, place) =>
        anIntakeItem(applicationId, {
          type: 'COLLECT',
          operator: (n + place) % 3 === 0 ? 'UGMTN' : 'CIWAVE',
          amountMinor: BigInt(n + place + 1) * 50n,
          customerName: HOSTILE[(n + place) % HOSTILE.length] ?? '',
        }),
      ),
    )
  }
})
after(() => database.drop())

function aRequest(overrides: Partial<ExportRequest> = {}): ExportRequest {
  return {
    applicationId,
    businessZone: 'UTC',
    applicationName: 'Kora Stores',
    person: { id: personId, name: 'Test person', roles: ['finance'] },
    format: 'csv',
    filter: transactionFilterSchema.parse({}),
    transactionIds: null,
    columns: null,
    t,
    ...overrides,
  }
}

async function take(overrides: Partial<ExportRequest> = {}): Promise<Buffer> {
  const exported = await exportTransactions({ pool: database.pool, reportPool: database.pool }, aRequest(overrides))
  assert.ok(exported.ok)
  const chunks: Buffer[] = []
  for await (const chunk of exported.value.file) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('every row once in a CSV, newest first, and nothing after the last row', async () => {
  const text = (await take()).toString('utf8')
  const [head, ...rows] = text.slice(0, -2).split('\r\n')
  assert.ok(text.endsWith('\r\n'))
  assert.match(head ?? '', /^\ufeffid,externalId,createdAt,/)
  assert.equal(new Set(rows.map((row) => row.slice(0, 36))).size, ROWS)
  assert.ok(rows.length === ROWS && rows.every((row) => /^[0-9a-f]{8}-/.test(row)))
  const { rows: newest } = await listTransactions(database.pool, applicationId, { page: 0, size: 1 })
  assert.ok(rows[0]?.startsWith(newest[0]?.transactionId ?? 'none'))
})

test('the record of a CSV is stored with its count, totals and SHA-256', async () => {
  const bytes = await take()
  const found = await findExportByFile(database.pool, applicationId, sha256(bytes))
  assert.ok(found)
  const uganda = Array.from({ length: ROWS }, (_, n) => n)
    .filter((n) => n % 3 === 0)
    .reduce((sum, n) => sum + BigInt(n + 1) * 50n, 0n)
  const { rows, fileSha256, totals, application, exportedBy, columns } = toRecordFile('Kora Stores', found)
  assert.deepEqual([rows, fileSha256, application, exportedBy], [ROWS, sha256(bytes), 'Kora Stores', 'Test person'])
  assert.deepEqual(
    totals?.find((total) => total.currency === 'UGX'),
    { currency: 'UGX', count: ROWS / 3, amount: formatMinor(uganda) },
  )
  assert.equal(columns.length, EXPORT_COLUMNS.length)
})

test('a phone number in a CSV is its digits, and no field of a CSV is a formula', async () => {
  const text = (await take()).toString('utf8')
  assert.ok(text.includes(',256677209341,') && !text.includes("'2"))
  assert.ok(text.includes(csvField(safeText('Awa "la grande", Traoré'))))
  assert.doesNotMatch(text, /(^|,)"?[=+@\t]/m)
})

test('the columns that were chosen, in their order, behind the id unless it was chosen; with the amount its currency', async () => {
  const headOf = async (columns: readonly ListColumn[] | null) =>
    (await take({ columns })).toString('utf8').split('\r\n')[0]?.replace('\ufeff', '')
  assert.equal(await headOf(['customerName', 'amount']), 'id,receiverName,phoneReceiver,amount,currency')
  assert.equal(await headOf(['finished', 'id', 'maker']), 'finalAt,id,makerName')
  assert.equal(await headOf(null), EXPORT_COLUMNS.map((column) => column.id).join(','))
  const [newest] = await listExports(database.pool, applicationId)
  assert.equal(newest?.columns, null)
})

test('the name of the maker for a transaction that a person made, an empty field for the API', async () => {
  const own = await makeApplication(database.pool)
  const makerId = await makePerson(database.pool, own, ['maker'])
  await takeIn(database.pool, [anIntakeItem(own, { type: 'COLLECT' }), anIntakeItem(own, { type: 'COLLECT', source: 'person', makerId })])
  const lines = (await take({ applicationId: own, columns: ['maker'] })).toString('utf8').trimEnd().split('\r\n')
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[1]),
    ['Test person', ''],
  )
})

test("the operator's own reference of a transaction that has ended", async () => {
  const own = await makeApplication(database.pool)
  const item = anIntakeItem(own, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [
    { ...item, event: 'succeeded', message: 'x', operatorReference: 'MP221207.2051.B56929', actor: SYSTEM_ACTOR },
  ])
  const [head, line] = (await take({ applicationId: own, columns: null })).toString('utf8').replace('\ufeff', '').split('\r\n')
  assert.equal(line?.split(',')[head?.split(',').indexOf('operatorReference') ?? -1], 'MP221207.2051.B56929')
})

test('every row in a workbook, with no formula, and a sheet for the record', async () => {
  const entries = new Map(readEntries(await take({ format: 'xlsx' })).map(({ name, content }) => [name, content.toString('utf8')]))
  const sheet = entries.get('xl/worksheets/sheet1.xml') ?? ''
  assert.equal(sheet.match(/<row /g)?.length, ROWS + 1)
  assert.ok(sheet.includes('<is><t xml:space="preserve">=HYPERLINK(&quot;http://evil.example&quot;)</t></is>'))
  assert.ok(sheet.includes('&lt;b&gt;&amp;_x005F_x0041_'))
  assert.ok(sheet.includes('>256677209341</t>') && !sheet.includes('<f>'))
  assert.match(entries.get('xl/worksheets/sheet2.xml') ?? '', /SHA-256 of the data/)
  assert.match(entries.get('xl/workbook.xml') ?? '', /name="Transactions" sheetId="1".*name="Record" sheetId="2"/)
})

for (const format of ['csv', 'xlsx'] as const) {
  test(`a ${format} file is found by its SHA-256 in its own application, and not with one byte changed`, async () => {
    const bytes = await take({ format })
    const found = await findExportByFile(database.pool, applicationId, sha256(bytes))
    assert.deepEqual([found?.rowCount, found?.personName, found?.format], [ROWS, 'Test person', format])
    assert.equal(await findExportByFile(database.pool, await makeApplication(database.pool), sha256(bytes)), undefined)
    assert.equal(await findExportByFile(database.pool, applicationId, sha256(changeByte(bytes))), undefined)
  })
}

test('a workbook verifies against the record in it; one changed byte is noticed', async () => {
  const bytes = await take({ format: 'xlsx', columns: ['time', 'amount'] })
  const verified = verifyWorkbook(bytes)
  assert.ok(verified.ok)
  assert.deepEqual(
    [verified.value.record.get('Rows'), verified.value.record.get('Columns')],
    [String(ROWS), 'id, createdAt, amount, currency'],
  )
  let verdict: string
  try {
    const again = verifyWorkbook(changeByte(bytes))
    verdict = again.ok ? 'unchanged' : again.error
  } catch {
    verdict = 'damaged'
  }
  assert.notEqual(verdict, 'unchanged')
})

function changeByte(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(700) ^ 1, 700)
  return changed
}

test('no row in a file that was committed after its snapshot', async () => {
  const quiet = await makeApplication(database.pool)
  await takeIn(
    database.pool,
    Array.from({ length: 3 }, () => anIntakeItem(quiet, { type: 'COLLECT' })),
  )
  const exported = await exportTransactions({ pool: database.pool, reportPool: database.pool }, aRequest({ applicationId: quiet }))
  assert.ok(exported.ok)
  await takeIn(database.pool, [anIntakeItem(quiet, { type: 'COLLECT' })])
  let text = ''
  for await (const chunk of exported.value.file) text += chunk.toString('utf8')
  assert.equal(text.trimEnd().split('\r\n').length, 1 + 3)
})

test('only the rows of the filter or the selection, and none of other applications', async () => {
  const { rows } = await listTransactions(database.pool, applicationId, { page: 0, size: 10 })
  const stranger = anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT' })
  await takeIn(database.pool, [stranger])
  const selected = await take({ transactionIds: [...rows.slice(0, 2).map((row) => row.transactionId), stranger.transactionId] })
  const recorded = await findExportByFile(database.pool, applicationId, sha256(selected))
  assert.deepEqual([recorded?.rowCount, recorded?.selected], [2, 3])
  const filtered = await take({ filter: transactionFilterSchema.parse({ operator: 'UGMTN', min: '100', sort: 'oldest' }) })
  const { query } = (await findExportByFile(database.pool, applicationId, sha256(filtered))) ?? {}
  assert.equal(query, 'operator=UGMTN&min=100&sort=oldest')
  assert.doesNotMatch(filtered.toString('utf8'), /CIWAVE/)
})

test('no held connection and a record without an end for a file that is not read to its end', async () => {
  const before = database.pool.totalCount - database.pool.idleCount
  const exported = await exportTransactions({ pool: database.pool, reportPool: database.pool }, aRequest())
  assert.ok(exported.ok)
  await exported.value.file.next()
  await exported.value.file.return()
  assert.equal(database.pool.totalCount - database.pool.idleCount, before)
  const broken = (await listExports(database.pool, applicationId)).find((one) => one.exportId === exported.value.exportId)
  assert.deepEqual([broken?.finishedAt, broken?.fileSha256], [null, null])
})

test('forbidden without the permission, and two audit entries for a file', async () => {
  await take()
  assert.deepEqual(
    await exportTransactions(
      { pool: database.pool, reportPool: database.pool },
      aRequest({ person: { id: personId, name: '', roles: [] } }),
    ),
    { ok: false, error: 'forbidden' },
  )
  const { rows } = await database.pool.query<{ action: string; count: bigint }>(
    'select action, count(*) from audit_entries where application_id = $1 group by action order by action',
    [applicationId],
  )
  assert.deepEqual(
    rows.map((row) => row.action),
    ['export.finished', 'export.started'],
  )
  assert.equal((await verifyAuditChain(database.pool, applicationId)).ok, true)
})
