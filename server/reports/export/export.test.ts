import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money.ts'
import { transactionFilterSchema } from '#lib/schemas/transaction-filter.ts'
import { verifyAuditChain } from '#server/audit/verify-audit-chain.ts'
import { listTransactions } from '#server/reports/partner-lists/list-for-partner.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { type ExportRequest, exportTransactions } from './export-transactions.ts'
import { findExportByFile, listExports } from './list-exports.ts'
import { csvField, safeText } from './safe-text.ts'
import { readEntries, verifyExportedFile } from './verify-file.ts'

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
    applicationName: 'Kora Stores',
    person: { id: personId, name: 'Test person', roles: ['finance'] },
    format: 'csv',
    filter: transactionFilterSchema.parse({}),
    transactionIds: null,
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

test('every row once in a CSV, newest first, and a record with their count and totals at the end', async () => {
  const lines = (await take()).toString('utf8').split('\r\n')
  const rows = lines.filter((line) => /^[0-9a-f]{8}-/.test(line))
  assert.equal(new Set(rows).size, ROWS)
  assert.match(lines[0] ?? '', /^\ufeffid,externalId,createdAt,/)
  const { rows: newest } = await listTransactions(database.pool, applicationId, { page: 0, size: 1 })
  assert.ok(rows[0]?.startsWith(newest[0]?.transactionId ?? 'none'))
  assert.ok(lines.includes(`#record,Rows,${ROWS}`))
  const uganda = Array.from({ length: ROWS }, (_, n) => n)
    .filter((n) => n % 3 === 0)
    .reduce((sum, n) => sum + BigInt(n + 1) * 50n, 0n)
  assert.ok(lines.includes(`#record,Total UGX,${formatMinor(uganda)} in ${ROWS / 3} rows`))
})

test('no formula in a CSV, and an apostrophe before phone numbers and names of digits', async () => {
  const text = (await take()).toString('utf8')
  assert.equal(safeText('237690010010'), "'237690010010")
  for (const hostile of ['=1', '+1', '-1', '@a', '\ta', '\ra', ' =1', '＝1', '007', '1e5', '2.5'])
    assert.ok(safeText(hostile).startsWith("'"), JSON.stringify(hostile))
  for (const plain of ['Awa Traoré', 'Solde insuffisant', '3fa85f64-5717-4562-b3fc-2c963f66afa6']) assert.equal(safeText(plain), plain)
  assert.ok(text.includes(csvField(safeText('Awa "la grande", Traoré'))))
  assert.ok(text.includes(",'256677209341,"))
  assert.doesNotMatch(text, /(^|,)"?[=+@\t]/m)
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
  test(`a ${format} file verifies by itself and against our record; one changed digit is noticed by both`, async () => {
    const bytes = await take({ format })
    const verified = verifyExportedFile(bytes)
    assert.ok(verified.ok)
    assert.equal(verified.value.record.get('Rows'), String(ROWS))
    const found = await findExportByFile(database.pool, applicationId, sha256(bytes))
    assert.deepEqual([found?.rowCount, found?.personName, found?.format], [ROWS, 'Test person', format])
    assert.equal(await findExportByFile(database.pool, await makeApplication(database.pool), sha256(bytes)), undefined)
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(700) ^ 1, 700)
    let verdict: string
    try {
      const again = verifyExportedFile(changed)
      verdict = again.ok ? 'unchanged' : again.error
    } catch {
      verdict = 'damaged'
    }
    assert.notEqual(verdict, 'unchanged')
    assert.equal(await findExportByFile(database.pool, applicationId, sha256(changed)), undefined)
  })
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
  assert.ok(text.includes('#record,Rows,3\r\n'))
})

test('only the rows of the filter or the selection, and none of other applications', async () => {
  const { rows } = await listTransactions(database.pool, applicationId, { page: 0, size: 10 })
  const stranger = anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT' })
  await takeIn(database.pool, [stranger])
  const selected = (await take({ transactionIds: [...rows.slice(0, 2).map((row) => row.transactionId), stranger.transactionId] })).toString(
    'utf8',
  )
  assert.ok(selected.includes('#record,Rows,2\r\n') && selected.includes('#record,Selected rows,'))
  const filtered = (await take({ filter: transactionFilterSchema.parse({ operator: 'UGMTN', min: '100', sort: 'oldest' }) })).toString(
    'utf8',
  )
  assert.ok(
    filtered.includes('#record,Filter,"operator=UGMTN&min=100&sort=oldest"') ||
      filtered.includes('#record,Filter,operator=UGMTN&min=100&sort=oldest'),
  )
  assert.doesNotMatch(filtered, /CIWAVE/)
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
