import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { parseMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { type Account, type BookLine, Books } from '../books.ts'
import { type Simulator, startSimulator } from '../start-simulator.ts'
import { hasTwoAccounts, offsetMsOf, walletNumberOf } from './wallets.ts'

const DAY = '2026-11-20'
const DAY_MS = 86_400_000
const PROTOCOLS: Partial<Record<OperatorCode, string>> = { CIOM: 'orange-web', SNFREE: 'gateway' }

let folder: string
let simulator: Simulator
let books: Books
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-statements-'))
  const lines = OPERATOR_CODES.flatMap(linesOf)
  await writeFile(path.join(folder, 'books.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  simulator = await startSimulator({ port: 0, folder, secret: 'a secret of statements' })
  books = new Books(folder)
})
after(async () => {
  books.close()
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

/** One line of each kind in the first and the last millisecond of the operator's day, in the middle, and beside it. */
function linesOf(operator: OperatorCode): BookLine[] {
  const startMs = Date.parse(`${DAY}T00:00:00Z`) - offsetMsOf(operator)
  const protocol = PROTOCOLS[operator] ?? OPERATORS[operator].protocol
  const transfer = (atMs: number, direction: 'COLLECT' | 'DEPOSIT', amount: string, end: (reference: string) => BookLine[]): BookLine[] => {
    const reference = randomUUID()
    const phoneNumber = `${OPERATORS[operator].country.dialCode}670000123`
    const order = { reference, direction, amount, currency: 'XOF', phoneNumber, customerName: '', context: `${reference}.${randomUUID()}` }
    return [{ what: 'accepted', operator, protocol, dueAtMs: null, atMs, request: order }, ...end(reference)]
  }
  const executed = (atMs: number, fee?: string) => (reference: string) => [
    { what: 'executed' as const, reference, atMs, ...(fee && { fee }) },
  ]
  const moved = (kind: 'fee' | 'funding', amount: string, account: Account): BookLine => {
    return { what: 'moved', id: `M${amount.length}${kind}`, operator, account, kind, amount, atMs: startMs + DAY_MS / 2 }
  }
  return [
    { what: 'opening', operator, collect: '1000000', deposit: '2000000' },
    ...transfer(startMs - 1, 'COLLECT', '111', executed(startMs - 1)),
    ...transfer(startMs, 'COLLECT', '500', executed(startMs, printsFees(operator) ? '5' : undefined)),
    ...transfer(startMs + 1_000, 'COLLECT', '999', (reference) => [{ what: 'failed', reference, message: 'Timeout opérateur' }]),
    ...transfer(startMs + DAY_MS / 2, 'DEPOSIT', '3000', executed(startMs + DAY_MS / 2)),
    ...transfer(startMs + DAY_MS / 2 + 1_000, 'COLLECT', '700', (reference) => [
      ...executed(startMs + DAY_MS / 2 + 1_000)(reference),
      { what: 'refunded', reference, account: 'collect', refund: { id: randomUUID(), amount: '700', atMs: startMs + DAY_MS / 2 + 60_000 } },
    ]),
    moved('fee', '-25', 'collect'),
    moved('funding', '50000', 'deposit'),
    ...transfer(startMs + DAY_MS - 1, 'DEPOSIT', '200', executed(startMs + DAY_MS - 1)),
    ...transfer(startMs + DAY_MS, 'DEPOSIT', '222', executed(startMs + DAY_MS)),
    { what: 'day_lost', operator, day: '2026-11-19' },
  ]
}

/** The others have no column for it. */
function printsFees(operator: OperatorCode): boolean {
  return !['orange-cm', 'moov'].includes(OPERATORS[operator].protocol)
}

async function get(operator: string, query: string): Promise<{ status: number; file: Buffer; name: string }> {
  const answer = await request(`${simulator.url}/statements/${operator}?${query}`)
  const name = String(answer.headers['content-disposition']).replace(/.*filename="([^"]*)".*/, '$1')
  return { status: answer.statusCode, file: Buffer.from(await answer.body.arrayBuffer()), name }
}

/** The cells of a file, read as simply as its layout allows. */
function rowsOf(file: Buffer): string[][] {
  const isZip = file.subarray(0, 2).toString() === 'PK'
  if (isZip)
    return [...file.toString('utf8').matchAll(/<row r="\d+">(.*?)<\/row>/g)].map(([, row = '']) => {
      const cells: string[] = []
      for (const [, column = '', text = ''] of row.matchAll(/<c r="([A-Z]+)\d+"[^>]*><is><t[^>]*>(.*?)<\/t>/g))
        cells[column.charCodeAt(0) - 65] = text
      return Array.from(cells, (cell) => cell ?? '')
    })
  const text = (file[0] === 0x1f ? gunzipSync(file) : file).toString('utf8')
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
}

/** The movement of a file's lines as it prints them, in hundredths: amounts as they are signed or marked, without what failed. */
const NET_OF: Record<string, (row: Record<string, string>) => bigint> = {
  mtn: (row) => (row['Status'] === 'Successful' ? minor(row['Amount']) - minor(row['To / Fee']) - minor(row['From / Fee']) : 0n),
  wave: (row) => minor(row['amount'] ?? row['Montant']),
  'orange-cm': (row) => (row['Statut'] === 'Succès' ? minor(row['Crédit']) - minor(row['Débit']) : 0n),
  'orange-bf': (row) => minor(row['AFTER_BAL']) - minor(row['PREVIOUS_BAL']),
  moov: (row) => (row['Transaction Status'] === 'Completed' ? minor(row['Paid In']) + minor(row['Withdrawn']) : 0n),
  airtel: airtelNet,
  statement: airtelNet,
}

function airtelNet(row: Record<string, string>): bigint {
  if (row['Status'] !== 'Transaction Success') return 0n
  return (row['Credit/Debit'] === 'CR' ? 1n : -1n) * minor(row['Transaction Amount']) - minor(row['Fee'])
}

function minor(text: string | undefined): bigint {
  return parseMinor(text || '0')
}

/** Rows below the last heading, by heading. A heading that occurs again keeps its first cell, except for what follows it. */
function recordsOf(name: string, rows: string[][]): Record<string, string>[] {
  const place = rows.findLastIndex((row) =>
    row.some((cell) => /^(Id|timestamp|Horodatage|N° de Compte|TRANSFER_DATE|Receipt No\.|Transaction ID)$/.test(cell)),
  )
  const headings = (rows[place] ?? []).map((heading, index) => heading || (rows[place - 1]?.[index] ?? ''))
  const lines = rows.slice(place + 1).filter(([first]) => !(name.startsWith('orange-cm') && first === 'Total'))
  return lines.map((row) => Object.fromEntries(headings.map((heading, index) => [heading, row[index] ?? ''] as const).toReversed()))
}

for (const operator of OPERATOR_CODES) {
  const files =
    OPERATORS[operator].brand === 'Wave' || hasTwoAccounts(operator) ? (['collect', 'deposit'] as const) : ([undefined] as const)
  test(`the change of the books on the operator's own day is what the lines of the statement sum to, at ${operator}`, async () => {
    let sumMinor = 0n
    for (const account of files) {
      const { status, file, name } = await get(operator, `day=${DAY}${account ? `&account=${account}` : ''}`)
      assert.equal(status, 200)
      const layout = Object.keys(NET_OF).find((each) => name.startsWith(each)) ?? assert.fail(name)
      for (const record of recordsOf(name, rowsOf(file))) sumMinor += NET_OF[layout]?.(record) ?? 0n
    }
    // 500 − 5 − 3000 + 700 − 700 − 25 + 50,000 − 200; the neighbours of the day and what failed count nothing.
    assert.equal(sumMinor, printsFees(operator) ? 4_727_000n : 4_727_500n)
    const { bothMinor } = books.accountsOf(operator)
    assert.equal(bothMinor, 300_000_000n + 11_100n + sumMinor - 22_200n)
  })
}

test('404 for a day whose statement was lost, and 400 for what no operator prints', async () => {
  assert.equal((await get('MOMOCM', 'day=2026-11-19')).status, 404)
  for (const [operator, query] of [
    ['XX', `day=${DAY}`],
    ['MOMOCM', 'day=2026-13-01'],
    ['MOMOCM', `day=${DAY}&account=both`],
    ['MOMOCM', `day=${DAY}&variant=none`],
    ['SNWAVE', `day=${DAY}&variant=other-wallet`],
  ] as const)
    assert.equal((await get(operator, query)).status, 400, `${operator} ${query}`)
})

test('54 columns in Cameroon and 56 elsewhere, whose headings repeat, with our id except for a reversal, and no zone', async () => {
  for (const [operator, columns] of [
    ['MOMOCM', 54],
    ['BJMTN', 56],
  ] as const) {
    const rows = rowsOf((await get(operator, `day=${DAY}`)).file)
    assert.deepEqual(new Set(rows.map((row) => row.length)), new Set([columns]))
    assert.equal(rows[0]?.filter((heading) => heading === 'Currency').length, 17)
    assert.deepEqual(
      rows.map((row) => row[4]),
      ['Type', 'Debit', 'Debit', 'Fee', 'Debit', 'Reversal'],
    )
    assert.deepEqual(
      rows.map((row) => row[1] !== ''),
      [true, true, true, false, true, false],
    )
    assert.deepEqual(rows[1]?.slice(2, 4), [`${DAY} 00:00:00`, 'Successful'])
  }
})

test("twelve hours in Wave's file of collects, and headings encoded twice and the balance in that of payouts", async () => {
  const collects = rowsOf((await get('CIWAVE', `day=${DAY}`)).file)
  assert.deepEqual(
    collects.slice(1).map((row) => [row[0], row[3], row[4]]),
    [
      [`${DAY} 12:00:00 AM`, '495', '5'],
      [`${DAY} 12:00:01 PM`, '700', '0'],
      [`${DAY} 12:01:00 PM`, '-700', '0'],
    ],
  )
  const payouts = rowsOf((await get('CIWAVE', `day=${DAY}&account=deposit`)).file)
  assert.equal(payouts[0]?.[8], 'NumÃ©ro de tÃ©lÃ©phone de contrepartie')
  assert.deepEqual(
    payouts.slice(1).map((row) => [row[0], row[3], row[5]]),
    [
      [`${DAY}T12:00:00`, '-3000', '2997606'],
      [`${DAY}T12:00:00`, '-25', '2997581'],
      [`${DAY}T12:00:00`, '50000', '3047581'],
      [`${DAY}T23:59:59`, '-200', '3047381'],
    ],
  )
})

test('a workbook named .xls in Cameroon, whose total is that of what succeeded', async () => {
  const { file, name } = await get('OMCM', `day=${DAY}`)
  assert.match(name, /\.xls$/)
  assert.equal(file.subarray(0, 2).toString(), 'PK')
  const rows = rowsOf(file)
  const total = rows.find(([first]) => first === 'Total') ?? assert.fail()
  assert.deepEqual([total[13], total[14]], ['3925', '51200'])
  assert.equal(rows.filter((row) => row[6] === 'Echec' && row[14] === '999').length, 1)
})

test('numbers without the country code and a balance that chains in Burkina Faso', async () => {
  const rows = rowsOf((await get('BFOM', `day=${DAY}`)).file).slice(1)
  assert.equal(rows[0]?.[4], '670000123')
  for (const [index, row] of rows.entries()) {
    assert.equal(minor(row[12]) - minor(row[11]), minor(row[8]) - minor(row[9]))
    if (index > 0) assert.equal(row[11], rows[index - 1]?.[12])
  }
})

test('five rows of a banner, a tab before times, and expired payments with an amount at Moov', async () => {
  const rows = rowsOf((await get('MLMOOV', `day=${DAY}`)).file)
  assert.equal(rows[5]?.[0], 'Receipt No.')
  assert.ok(rows.slice(6).every((row) => row[1]?.startsWith('\t') && row[2]?.startsWith('\t')))
  assert.deepEqual(
    rows.filter((row) => row[4] === 'Expired').map((row) => row[6]),
    ['999'],
  )
})

test('a compressed file with the number of the wallet, and of the customer only in the description, at Airtel', async () => {
  const { file } = await get('UGAIRTEL', `day=${DAY}&account=collect`)
  assert.equal(file.readUInt16BE(0), 0x1f8b)
  const rows = rowsOf(file)
  assert.deepEqual(rows[0], ['Mobile Number', walletNumberOf('UGAIRTEL', 'collect')])
  assert.deepEqual(rows[2]?.slice(1, 3), ['20-Nov-2026 12:00:00 AM', 'Merchant Payment from 670000123'])
})

test('half of the lines again in an overlapping file, and what each other variant changes', async () => {
  const idsOf = async (query: string) =>
    rowsOf((await get('MOMOCM', query)).file)
      .slice(1)
      .map((row) => row[0])
  const day = await idsOf(`day=${DAY}`)
  const overlapping = await idsOf(`day=${DAY}&variant=overlap`)
  assert.deepEqual(overlapping, day.slice(2))
  const plain = rowsOf((await get('MOMOCM', `day=${DAY}`)).file)
  const variant = async (name: string) => rowsOf((await get('MOMOCM', `day=${DAY}&variant=${name}`)).file)
  assert.deepEqual((await variant('moved-column'))[0]?.slice(0, 4), ['Date', 'Id', 'External id', 'Status'])
  const otherNumbers = (await variant('other-wallet')).flat().filter((cell) => cell.startsWith('FRI:237670000'))
  assert.ok(otherNumbers.includes('FRI:237670000999/MSISDN') && !otherNumbers.includes('FRI:237670000201/MSISDN'))
  assert.deepEqual(
    (await variant('zone-shift')).map((row) => row[2]?.slice(11, 13)),
    plain.map((row) => row[2]?.slice(11, 13)).map(anHourLater),
  )
})

function anHourLater(hour: string | undefined): string | undefined {
  return hour === undefined || !/^\d+$/.test(hour) ? hour : String((Number(hour) + 1) % 24).padStart(2, '0')
}
