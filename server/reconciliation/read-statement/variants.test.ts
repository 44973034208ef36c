import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { rowsXml, sheetXml, workbook } from '#server/testing/batches/workbook.ts'
import { must } from '#server/testing/partner.ts'
import {
  AIRTEL_HEADER,
  aReadingWallet,
  csv,
  MOOV_HEADER,
  MTN_HEADER,
  mtnRow,
  ORANGE_BF_HEADER,
  ORANGE_CM_HEADER,
  readLines,
  WAVE_COLLECT_HEADER,
  WAVE_PAYOUT_HEADER,
  xlsx,
} from '../testing/statements.ts'

const OURS = '01980000-0000-7000-8000-000000000001'

/** A statement of one format: rows of texts, the places of its times (`YYYY-MM-DD HH:MM:SS`) and of its amounts, which are plain numbers. */
type Layout = {
  name: string
  operator: OperatorCode
  banner: string[][]
  header: string[][]
  rows: string[][]
  times: number[]
  amounts: number[]
}

const mtn = (id: string, day: string, amount: string, fee: string) =>
  mtnRow({
    Id: id,
    'External id': OURS,
    Date: `2026-11-${day} 13:05:09`,
    Status: 'Successful',
    Type: 'Debit',
    From: 'FRI:237677000001/MSISDN',
    'From name': 'Clarisse, dite "Cla"',
    To: 'FRI:237670000009/MSISDN',
    'To / Fee': fee,
    Amount: amount,
  })
const wave = (id: string, day: string, amount: string, fee: string) => [
  `2026-11-${day} 13:05:09`,
  id,
  'merchant_payment',
  amount,
  fee,
  'XOF',
  '+2250707123456',
  OURS,
  '',
  '',
  'Boutique',
]
const payout = (id: string, day: string, amount: string, fee: string, balance: string) => [
  `2026-11-${day} 13:05:09`,
  id,
  'api_payout',
  amount,
  fee,
  balance,
  'XOF',
  'Awa',
  '+221771234567',
  OURS,
  '',
  '',
  'Kora',
]
const orangeBf = (id: string, day: string, credit: string, before: string, after: string) => [
  `2026-11-${day} 13:05:09`,
  'TS',
  id,
  'O1',
  '70123456',
  OURS,
  'Merchant Payment',
  credit,
  credit,
  '0',
  '0',
  before,
  after,
  '',
  'F1',
]
const moov = (id: string, day: string, paidIn: string, balance: string) => [
  id,
  `2026-11-${day} 13:05:09`,
  `2026-11-${day} 13:05:00`,
  'Payment',
  'Completed',
  'XOF',
  paidIn,
  '',
  balance,
  'Pay',
  '2290197000001 - AWA',
  '',
  '',
]
const airtel = (id: string, day: string, amount: string, balance: string) => [
  id,
  `2026-11-${day} 13:05:09`,
  'Payment from 0751234567',
  'Transaction Success',
  amount,
  'CR',
  '0',
  balance,
]
const orangeCm = (number: string, day: string, credit: string) => [
  number,
  `2026-11-${day}`,
  '13:05:09',
  `MP.A${number}`,
  'Merchant Payment',
  'Web',
  'Succès',
  'USSD',
  '655123456',
  'Normal',
  '',
  '699000111',
  'Marchand',
  '0',
  credit,
  '',
  'X',
]

const LAYOUTS: readonly Layout[] = [
  {
    ...{ name: 'MTN', operator: 'MOMOCM', banner: [], header: [MTN_HEADER] },
    rows: [mtn('21937683628', '05', '5000', '50'), mtn('21937683629', '25', '1250', '')],
    ...{ times: [2], amounts: [MTN_HEADER.indexOf('To / Fee'), MTN_HEADER.indexOf('Amount')] },
  },
  {
    ...{ name: 'Wave collects', operator: 'CIWAVE', banner: [], header: [WAVE_COLLECT_HEADER] },
    ...{ rows: [wave('T1', '05', '4950', '50'), wave('T2', '25', '1237.5', '12.5')], times: [0], amounts: [3, 4] },
  },
  {
    ...{ name: 'Wave payouts', operator: 'SNWAVE', banner: [], header: [WAVE_PAYOUT_HEADER] },
    ...{
      rows: [payout('pt-1', '05', '-3008', '8', '100000'), payout('pt-2', '25', '-1003', '3', '98997')],
      times: [0],
      amounts: [3, 4, 5],
    },
  },
  {
    ...{ name: 'Orange Cameroon', operator: 'OMCM', banner: [['Relevé de compte'], ['Compte : 699000111']], header: ORANGE_CM_HEADER },
    ...{ rows: [orangeCm('1', '05', '5000'), orangeCm('2', '25', '1250')], times: [], amounts: [13, 14] },
  },
  {
    ...{ name: 'Orange Burkina Faso', operator: 'BFOM', banner: [], header: [ORANGE_BF_HEADER] },
    ...{
      rows: [orangeBf('A1', '05', '1000', '50000', '51000'), orangeBf('A2', '25', '2500', '51000', '53500')],
      times: [0],
      amounts: [7, 8, 9, 10, 11, 12],
    },
  },
  {
    ...{
      name: 'Moov',
      operator: 'BJMOOV',
      banner: [['Organization Name', 'KORA'], ['Short Code', '2290195000999'], [''], [''], ['']],
      header: [MOOV_HEADER],
    },
    ...{ rows: [moov('M2', '25', '2500', '53500'), moov('M1', '05', '1000', '51000')], times: [1, 2], amounts: [6, 8] },
  },
  {
    ...{ name: 'Airtel', operator: 'UGAIRTEL', banner: [['Mobile Number', '256751000000']], header: [AIRTEL_HEADER] },
    ...{ rows: [airtel('9001', '05', '5000', '105000'), airtel('9002', '25', '1250', '106250')], times: [1], amounts: [4, 7] },
  },
]

const whole = ({ banner, header, rows }: Layout) => [...banner, ...header, ...rows]
/** The rows with another writing of the times or the amounts. */
function rewritten(layout: Layout, { time, amount }: { time?: (text: string) => string; amount?: (text: string) => string }): Layout {
  const rows = layout.rows.map((row) =>
    row.map((cell, place) => {
      if (cell !== '' && time && layout.times.includes(place)) return time(cell)
      return cell !== '' && amount && layout.amounts.includes(place) ? amount(cell) : cell
    }),
  )
  return { ...layout, rows }
}
const text = (layout: Layout, separator?: string) => csv(whole(layout), separator)
/** Without quotes where a value needs none, as programs write it. */
const plain = (layout: Layout, separator = ',') =>
  whole(layout)
    .map((row) =>
      row.map((cell) => (/["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator),
    )
    .join('\n')
const capitals = (layout: Layout): Layout => ({ ...layout, header: layout.header.map((row) => row.map((name) => name.toUpperCase())) })
const grouped = (sign: string, decimal: string) => (amount: string) => {
  const [units = '', cents = '00'] = amount.split('.')
  return `${units.replace(/\B(?=(\d{3})+$)/g, sign)}${decimal}${cents.padEnd(2, '0')}`
}
const dayFirst = (time: string) => time.replace(/^(\d{4})-(\d{2})-(\d{2})/, '$3/$2/$1')
const halfDay = (time: string) => dayFirst(time).replace('13:05', '01:05').concat(' PM')
const serialOf = (time: string) => String(Date.parse(`${time.replace(' ', 'T')}Z`) / 86_400_000 + 25_569)
const STYLES = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>'

/** As a person gets it who opens the file in a spreadsheet and saves it: times and amounts are numbers, dates are days since 1900. */
async function savedByExcel(layout: Layout): Promise<Buffer> {
  const number = (cell: string) => `<c><v>${cell}</v></c>`
  const date = (cell: string) => `<c s="1"><v>${serialOf(cell)}</v></c>`
  const xml = rowsXml(whole(rewritten(layout, { time: date, amount: number })))
  return workbook({ sheet: sheetXml(xml.replaceAll(/ r="[A-Z[\\\]^_`a-z{|}~\u007f-\uffff]+\d+"/g, '')), styles: STYLES })
}

const VARIANTS: readonly { name: string; of: (layout: Layout) => string | Uint8Array | Promise<Uint8Array> }[] = [
  { name: 'semicolons', of: (layout) => text(layout, ';') },
  { name: 'tabs', of: (layout) => text(layout, '\t') },
  { name: 'bars', of: (layout) => text(layout, '|') },
  { name: 'quotes only where they are needed', of: (layout) => plain(layout) },
  { name: 'semicolons without quotes', of: (layout) => plain(layout, ';') },
  { name: 'a byte order mark', of: (layout) => `\ufeff${text(layout)}` },
  { name: 'a byte order mark and the separator in the first row', of: (layout) => `\ufeffsep=;\r\n${text(layout, ';')}` },
  { name: 'Windows line ends and an empty last line', of: (layout) => `${plain(layout).replaceAll('\n', '\r\n')}\r\n` },
  { name: 'line ends of old Macintosh programs', of: (layout) => plain(layout).replaceAll('\n', '\r') },
  { name: 'empty lines between the rows', of: (layout) => plain(layout).replaceAll('\n', '\n\n') },
  { name: 'headings in capitals', of: (layout) => text(capitals(layout)) },
  { name: 'Windows-1252', of: (layout) => Buffer.from(text(layout), 'latin1') },
  { name: 'UTF-8 that was converted twice', of: (layout) => Buffer.from(text(layout), 'utf8').toString('latin1') },
  { name: 'UTF-16 with its mark', of: (layout) => Buffer.from(`\ufeff${text(layout)}`, 'utf16le') },
  { name: 'gzip', of: (layout) => gzipSync(text(layout)) },
  { name: 'thousands with commas', of: (layout) => text(rewritten(layout, { amount: grouped(',', '.') })) },
  {
    name: 'thousands with spaces and decimals with commas',
    of: (layout) => text(rewritten(layout, { amount: grouped('\u202f', ',') }), ';'),
  },
  { name: 'thousands with points', of: (layout) => text(rewritten(layout, { amount: grouped('.', ',') })) },
  {
    name: 'the currency behind amounts',
    of: (layout) => text(rewritten(layout, { amount: (amount) => `${amount} ${layout.operator === 'UGAIRTEL' ? 'UGX' : 'FCFA'}` })),
  },
  { name: 'dates with the day first', of: (layout) => text(rewritten(layout, { time: dayFirst })) },
  { name: 'hours with PM', of: (layout) => text(rewritten(layout, { time: halfDay })) },
  { name: 'ISO times', of: (layout) => text(rewritten(layout, { time: (time) => time.replace(' ', 'T').concat('.000') })) },
  { name: 'banner rows and an empty row above', of: (layout) => `"Kora Stores"\r\n"Du 05/11/2026 au 25/11/2026"\r\n\r\n${text(layout)}` },
  { name: 'a note below', of: (layout) => `${text(layout)}\r\n\r\n"Generated by the portal"` },
  { name: 'a workbook of texts', of: (layout) => xlsx(whole(layout)) },
  { name: 'a workbook with dates as serial numbers', of: savedByExcel },
]

for (const layout of LAYOUTS) {
  test(`the same lines with the same keys in ${VARIANTS.length} ways to write a statement: ${layout.name}`, async () => {
    const read = async (content: string | Uint8Array, name: string) => {
      const result = await readLines(content, aReadingWallet(layout.operator, { number: null }))
      assert.ok(result.ok, `${name}: ${JSON.stringify(result)}`)
      assert.deepEqual(result.value.bad, [], name)
      return result.value.lines.map(({ row_number, ...line }) => ({ ...line, type: '', status: '' }))
    }
    const expected = await read(text(layout), 'as it is')
    assert.equal(expected.length, layout.rows.length)
    assert.ok(expected.every(({ kind }) => kind === 'payment'))
    assert.deepEqual(expected.map(({ at }) => at).toSorted(), ['2026-11-05T13:05:09.000Z', '2026-11-25T13:05:09.000Z'])
    for (const { name, of } of VARIANTS) assert.deepEqual(await read(await of(layout), name), expected, name)
  })
}

test('a totals row below the lines is no line: in each language', async () => {
  for (const total of ['Total', 'TOTAL GENERAL', 'Totaux', 'Grand total'])
    for (const layout of LAYOUTS.filter(({ operator }) => operator !== 'OMCM')) {
      const width = layout.header[0]?.length ?? 0
      const row = Array.from({ length: width }, (_, place) => (place === 0 ? total : layout.amounts.includes(place) ? '6250' : ''))
      const { lines, bad } = must(await readLines(csv([...whole(layout), row]), aReadingWallet(layout.operator)))
      assert.deepEqual([lines.length, bad], [layout.rows.length, []], `${layout.name}: ${total}`)
    }
})
