import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readSheet } from 'read-excel-file/node'
import type { ExportFormat } from '#lib/payments/transactions/transaction-exports.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { readStatementLines, walkStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { liveThrough } from '#server/reports/testing.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import type { TableRows } from './csv.ts'
import { exportTable } from './export-table.ts'

let database: TestDatabase
let applicationId: string
let personId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  personId = await makePerson(database.pool, applicationId, ['finance'])
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
  await liveThrough(database.pool, applicationId, createRandom(7), 60)
})
after(() => database.drop())

async function* rowsOf(...batches: string[][]): TableRows {
  for (const batch of batches) yield batch.map((text) => [{ text }, { decimal: '1.5' }])
}

function ask(rows: TableRows, format: ExportFormat = 'csv') {
  return exportTable(
    { pool: database.pool, reportPool: database.pool },
    {
      applicationId,
      personId,
      action: 'statement.exported',
      subject: 'MOMOCM',
      details: { view: 'lines' },
      format,
      title: 'Table',
      heads: ['Text', 'Amount'],
      rows,
    },
  )
}

async function bytesOf(rows: TableRows, format: ExportFormat = 'csv'): Promise<Buffer> {
  const exported = await ask(rows, format)
  assert.ok(exported.ok)
  const chunks: Buffer[] = []
  for await (const chunk of exported.value) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const textOf = async (rows: TableRows) => (await bytesOf(rows)).toString('utf8')

test('a table as a workbook: texts are texts, amounts are numbers, days and instants are dates', async () => {
  async function* rows(): TableRows {
    yield [
      [{ text: '237677000001' }, { decimal: '1500.5' }, { day: '2026-11-20' }, { instant: '2026-11-20T10:24:08.000Z' }],
      [{ text: '=1+1' }, { decimal: '-3' }, { day: null }, { clock: '2026-11-20 10:24:08' }],
    ]
    yield [[{ text: 'Aïssatou <Bâ>' }, { decimal: '0' }, { day: '0999-01-01' }, { text: 'x' }]]
  }
  const read = await readSheet(await bytesOf(rows(), 'xlsx'))
  assert.deepEqual(read.slice(0, 3), [
    ['Text', 'Amount', null, null],
    ['237677000001', 1500.5, new Date('2026-11-20T00:00:00Z'), new Date('2026-11-20T10:24:08Z')],
    ['=1+1', -3, null, new Date('2026-11-20T10:24:08Z')],
  ])
  assert.deepEqual(read[3], ['Aïssatou <Bâ>', 0, '0999-01-01', 'x'])
  assert.deepEqual(await readSheet(await bytesOf(rowsOf(), 'xlsx')), [['Text', 'Amount']])
})

test('an audit entry with person, subject and filters before the first byte of a table', async () => {
  const exported = await ask(rowsOf(['a'], ['b']))
  assert.ok(exported.ok)
  const [entry] = await listAudit(database.pool, applicationId, { size: 1 })
  assert.deepEqual(
    [entry?.action, entry?.subject, entry?.actor, entry?.details],
    ['statement.exported', 'MOMOCM', { kind: 'person', id: personId }, { format: 'csv', view: 'lines' }],
  )
  await exported.value.return()
  assert.equal(await textOf(rowsOf(['=1', 'b'], [], ['c'])), "\ufeffText,Amount\r\n'=1,1.5\r\nb,1.5\r\nc,1.5\r\n")
  assert.equal(await textOf(rowsOf()), '\ufeffText,Amount\r\n')
  assert.ok((await verifyAuditChain(database.pool, applicationId)).ok)
})

test('no byte, no audit entry and no held slot for a table that cannot be read', async () => {
  const before = (await listAudit(database.pool, applicationId, { size: 200 })).length
  for (let time = 0; time < 6; time++) {
    // biome-ignore lint/correctness/useYield: it fails before it has anything
    const failing = (async function* (): TableRows {
      throw new Error('no')
    })()
    await assert.rejects(ask(failing), /no/)
  }
  assert.equal((await listAudit(database.pool, applicationId, { size: 200 })).length, before)
})

test('the exported lines of a statement equal those of its pages, for every kind', async () => {
  const request = {
    applicationId,
    operator: 'MOMOCM' as const,
    filter: { dates: 'always' as const, from: null, to: null },
    now: new Date(),
  }
  for (const kind of [null, 'hold', 'collect'] as const) {
    const walked = []
    for await (const lines of walkStatementLines(database.pool, { businessZone: 'UTC', ...request, kind }, 1_000)) walked.push(...lines)
    assert.ok(walked.length > 0)
    assert.deepEqual(
      walked,
      (await readStatementLines(database.pool, { businessZone: 'UTC', ...request, kind, page: 0, size: 1_000 })).lines,
    )
    const some = []
    for await (const lines of walkStatementLines(database.pool, { businessZone: 'UTC', ...request, kind }, 3)) some.push(...lines)
    assert.deepEqual(some, walked.slice(0, 3))
  }
  assert.equal(database.pool.totalCount - database.pool.idleCount, 0)
})

test('a statement has days, months or years, depending on its length, and adds up in each', async () => {
  const yearly = await makeApplication(database.pool)
  const years = 40
  await database.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, at)
       select $1, gen_random_uuid(), 'fund', 'MOMOCM', 'XAF', 100, -100, timestamptz '1985-03-15 12:00Z' + n * interval '7 days'
         from generate_series(0, $2::integer - 1) as n`,
    [yearly, years * 52],
  )
  await database.pool.query(
    "update ledger_balances set deposit_minor = $2::bigint, clearing_minor = -$2::bigint where application_id = $1 and operator = 'MOMOCM'",
    [yearly, years * 52 * 100],
  )
  await sealLedgerDays(database.pool)
  const read = (from: string | null, to: string | null) =>
    readStatement(database.pool, {
      businessZone: 'UTC',
      applicationId: yearly,
      operator: 'MOMOCM',
      filter: { dates: 'always', from, to },
      now: new Date('2026-11-21T12:00:00Z'),
    })
  const statements = [
    await read('1990-01-01', '1996-12-31'),
    await read('1990-01-10', '2010-06-20'),
    await read('0001-01-01', '9999-12-31'),
  ]
  assert.deepEqual(
    statements.map(({ days }) => days[0]?.day.length),
    [10, 7, 4],
  )
  for (const { days, movements, opening, closing } of statements) {
    assert.ok(days.length > 0 && days.length <= 400)
    assert.equal(
      days.reduce((count, day) => count + day.count, 0),
      movements.count,
    )
    assert.equal(days.at(-1)?.closing.total, closing.total)
    assert.equal(Number(opening.total) + Number(movements.funded), Number(closing.total))
    for (const [place, day] of days.entries()) assert.ok(day.from <= day.to && (place === 0 || day.from > (days[place - 1]?.to ?? '')))
  }
  for (const range of [
    ['1990-01-01', '1996-12-31'],
    ['1990-01-10', '2010-06-20'],
    ['0001-01-01', '9999-12-31'],
  ] as const) {
    const request = {
      applicationId: yearly,
      operator: 'MOMOCM' as const,
      filter: { dates: 'always' as const, from: range[0], to: range[1] },
      now: new Date('2026-11-21T12:00:00Z'),
      kind: null,
    }
    const walked = []
    for await (const lines of walkStatementLines(database.pool, { ...request, businessZone: 'UTC' }, 10_000)) walked.push(...lines)
    for (const page of [0, 1, 4, Math.ceil(walked.length / 37) - 1]) {
      const part = await readStatementLines(database.pool, { businessZone: 'UTC', ...request, page, size: 37 })
      assert.equal(part.total, walked.length)
      assert.deepEqual(part.lines, walked.slice(page * 37, (page + 1) * 37), `page ${page} of ${range.join(' to ')}`)
    }
  }
  const [, byMonth] = statements
  assert.deepEqual([byMonth?.days[0]?.from, byMonth?.days.at(-1)?.to], ['1990-01-10', '2010-06-20'])
})

test('a phone number, a date and an amount in a table are what a program reads: no mark before them', async () => {
  const rows = (async function* (): TableRows {
    yield [[{ text: '237677209341' }, { text: '2026-11-21T10:24:08.000Z' }, { decimal: '-5000.5' }]]
  })()
  assert.match(await textOf(rows), /^237677209341,2026-11-21T10:24:08\.000Z,-5000\.5\r$/m)
})
