import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { OperatorCode } from '#lib/operators/operators.ts'
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
  type ReadLines,
  readLines,
  WAVE_COLLECT_HEADER,
  WAVE_PAYOUT_HEADER,
  xlsx,
} from '../testing/statements.ts'
import type { ReadingWallet } from './statement-lines.ts'

const [transactionId, applicationId] = [randomUUID(), randomUUID()]

async function read(content: string | Uint8Array, operator: OperatorCode, overrides: Partial<ReadingWallet> = {}): Promise<ReadLines> {
  return must(await readLines(content, aReadingWallet(operator, overrides)))
}

async function problemOf(content: string | Uint8Array, operator: OperatorCode, overrides: Partial<ReadingWallet> = {}) {
  const result = await readLines(content, aReadingWallet(operator, overrides))
  assert.ok(!result.ok, 'the file was accepted')
  return result.error
}

/** The part of a line that most tests compare, in francs. */
const shown = ({ lines }: ReadLines) =>
  lines.map(({ kind, gross_minor, fee_minor, net_minor, operator_id }) => [
    operator_id,
    kind,
    ...[gross_minor, fee_minor, net_minor].map((minor) => Number(minor) / 100),
  ])

const MTN_IN = mtnRow({
  Id: '21937683628',
  'External id': `${transactionId}.${applicationId}`,
  Date: '2026-11-05 23:30:00',
  Status: 'Successful',
  Type: 'Debit',
  From: 'FRI:237677000001/MSISDN',
  To: 'FRI:237670000009/MSISDN',
  'To / Fee': '50',
  Amount: '5000',
})
const MTN_OUT = mtnRow({
  Id: '21937683629',
  'External id': transactionId,
  Date: '2026-11-05 08:00:00',
  Status: 'Successful',
  Type: 'Transfer',
  From: 'FRI:237670000009/MSISDN',
  To: 'FRI:237677000002/MSISDN',
  'From / Fee': '25',
  Amount: '-3000',
})

const MTN_RETURNED = mtnRow({
  Id: '21937683630',
  Date: '2026-11-05 07:00:00',
  Status: 'Successful',
  Type: 'Transfer',
  From: 'FRI:237670000009/MSISDN',
  To: 'FRI:237677000002/MSISDN',
  'From / Fee': '25',
  'From / Refunded fee': '10',
  'From / Taxes': '4',
  'From / Refunded taxes': '3',
  Amount: '-3000',
})

test('MTN: repeated headings are read by their place, the amount is gross with our fee beside it, and out is negative', async () => {
  const file = await read(csv([MTN_HEADER, MTN_IN, MTN_OUT, MTN_RETURNED]), 'MOMOCM', { zone: 'Africa/Douala' })
  assert.deepEqual(shown(file), [
    ['21937683628', 'payment', 5000, 50, 4950],
    ['21937683629', 'payment', -3000, 25, -3025],
    // Returned parts of the fee and of the tax are not taken.
    ['21937683630', 'payment', -3000, 15, -3016],
  ])
  const [collect, deposit] = file.lines
  assert.deepEqual([collect?.our_id, collect?.our_application_id, deposit?.our_id], [transactionId, applicationId, transactionId])
  assert.deepEqual([collect?.at, collect?.local_day, collect?.phone_forms], ['2026-11-05T22:30:00.000Z', '2026-11-05', ['237677000001']])
  assert.deepEqual(file.summary.accounts, ['237670000009'])
})

test('MTN: 56 columns with accounts, an External id that was cut, a reversal without one, failed lines in no sum', async () => {
  const wide = (row: readonly string[], from: string, to: string) => {
    const copy = [...row]
    copy.splice(10, 0, to)
    copy.splice(7, 0, from)
    return copy
  }
  const cut = mtnRow({ ...toCells(MTN_IN), 'External id': `${transactionId}.${applicationId}`.slice(0, 40) })
  const reversal = mtnRow({ ...toCells(MTN_OUT), Id: '3', 'External id': '', Type: 'Reversal', Amount: '3000', 'From / Fee': '' })
  const failed = mtnRow({ ...toCells(MTN_IN), Id: '4', Status: 'Failed' })
  const header = wide(MTN_HEADER, 'From account', 'To account')
  const file = await read(csv([header, ...[cut, reversal, failed].map((row) => wide(row, 'FRI:1/MM', 'FRI:2/MM'))]), 'MOMOCM')
  assert.deepEqual(
    file.lines.map(({ kind, our_id, our_application_id, net_minor }) => [kind, our_id, our_application_id, net_minor]),
    [
      ['payment', transactionId, null, '495000'],
      ['reversal', null, null, '300000'],
      ['failed', transactionId, applicationId, '0'],
    ],
  )
  assert.deepEqual([file.summary.failed, file.summary.inMinor], [1, '795000'])
})

function toCells(row: readonly string[]): Record<string, string> {
  return Object.fromEntries(MTN_HEADER.flatMap((name, place) => (name === 'Currency' ? [] : [[name, row[place] ?? '']])))
}

test('MTN: another column, a missing one and one at another place refuse the file with both headers', async () => {
  const swapped = [...MTN_HEADER]
  ;[swapped[2], swapped[3]] = ['Status', 'Date']
  for (const header of [[...MTN_HEADER, 'Information'], MTN_HEADER.filter((name) => name !== 'Balance'), swapped]) {
    const problem = await problemOf(csv([header, MTN_IN]), 'MOMOCM')
    assert.equal(problem.kind, 'columns_moved')
    assert.match(String(problem.values?.['expected']), /^Id, External id, Date, Status/)
    assert.match(String(problem.values?.['found']), /^Id, External id/)
  }
})

test('Wave collects: the amount is net, and 12 AM, 12 PM and afternoon hours are on the right day', async () => {
  const row = (id: string, time: string) => [
    time,
    id,
    'merchant_payment',
    '495',
    '5',
    'XOF',
    '+2250707123456',
    `${transactionId}.${applicationId}`,
    '',
    '',
    '',
  ]
  const times = ['2026-11-05 12:00:00 AM', '2026-11-05 12:00:00 PM', '2026-11-05 02:11:09 PM', '2026-11-05 11:59:59 PM']
  const file = await read(csv([WAVE_COLLECT_HEADER, ...times.map((time, place) => row(`T${place}`, time))]), 'CIWAVE')
  assert.deepEqual(
    file.lines.map(({ at }) => at.slice(0, 19)),
    ['2026-11-05T00:00:00', '2026-11-05T12:00:00', '2026-11-05T14:11:09', '2026-11-05T23:59:59'],
  )
  assert.deepEqual(shown(file)[0], ['T0', 'payment', 500, 5, 495])
  assert.deepEqual([file.lines[0]?.our_id, file.lines[0]?.phone_forms], [transactionId, ['2250707123456', '22507123456']])
})

test('the list of a day of Wave: a reversal is known by its mark alone, and its whole amount is gross', async () => {
  const header = 'timestamp,transaction_id,transaction_type,is_reversal,amount,fee,balance,currency,counterparty_mobile,client_reference'
  const row = (id: string, isReversal: string, amount: string) =>
    `2026-11-05T10:00:00Z,${id},merchant_payment,${isReversal},${amount},5,,XOF,+221771234567,`
  const file = await read([header, row('T1', 'false', '495'), row('T2', 'true', '-495')].join('\n'), 'SNWAVE')
  assert.deepEqual(shown(file), [
    ['T1', 'payment', 500, 5, 495],
    ['T2', 'reversal', -495, 0, -495],
  ])
})

test('Wave payouts: the same lines with a good header, with headers in broken UTF-8, and as Windows-1252', async () => {
  const row = [
    '2026-11-05T14:11:09',
    'pt-1',
    'api_payout',
    '-3008',
    '8',
    '100000',
    'XOF',
    'Awa Diop',
    '221771234567',
    transactionId,
    '',
    '',
    '',
  ]
  const text = csv([WAVE_PAYOUT_HEADER, row], ';')
  const broken = Buffer.from(text, 'utf8').toString('latin1')
  const files = [text, broken, text.replace(/[éèà]/g, '\ufffd'), Buffer.from(text, 'latin1'), text.replace(/é/g, '?')]
  for (const file of files) {
    const { lines, summary } = await read(file, 'SNWAVE')
    assert.deepEqual([lines[0]?.gross_minor, lines[0]?.fee_minor, lines[0]?.net_minor], ['-300000', '800', '-300800'])
    assert.deepEqual([lines[0]?.our_id, summary.openingMinor, summary.closingMinor], [transactionId, '10300800', '10000000'])
  }
})

const ORANGE_ROWS = [
  ['Relevé de compte', '', ''],
  ['Période du 05/11/2026 au 05/11/2026'],
  ['Compte : 699000111'],
  ...ORANGE_CM_HEADER,
  [
    '1',
    '05/11/2026',
    '08:15:00',
    'MP261105.0815.A1',
    'Merchant Payment',
    'Web',
    'Succès',
    'USSD',
    '655123456',
    'Normal',
    '',
    '699000111',
    'Marchand',
    '',
    '2 500',
    '',
    '',
  ],
  [
    '2',
    '05/11/2026',
    '08:16:00',
    'MP261105.0816.A2',
    'Merchant Payment',
    'Web',
    'Echec',
    'USSD',
    '655123456',
    'Normal',
    '',
    '699000111',
    'Marchand',
    '',
    '9 000',
    '',
    '',
  ],
  [
    '3',
    '05/11/2026',
    '09:00:00',
    'CI261105.0900.A3',
    'Cash in',
    'Web',
    'Succès',
    'USSD',
    '655999999',
    'Normal',
    '',
    '699000111',
    'Marchand',
    '1 000',
    '',
    '',
    '',
  ],
  ['Total', '', '', '', '', '', '', '', '', '', '', '', '', '1 000', '2 500', '', ''],
]
/** The same report with a second account below. */
const TWO_SECTIONS = [
  ...ORANGE_ROWS,
  ['Compte : 699000222'],
  ...ORANGE_CM_HEADER,
  [
    '1',
    '05/11/2026',
    '10:00:00',
    'MP261105.1000.B1',
    'Merchant Payment',
    'Web',
    'Succès',
    'USSD',
    '655123456',
    'Normal',
    '',
    '699000222',
    'Marchand',
    '',
    '700',
    '',
    '',
  ],
  ['Total', '', '', '', '', '', '', '', '', '', '', '', '', '', '700', '', ''],
]

test('Orange Cameroon: a banner and a header over two rows, Echec in no sum, and the printed total equals the sum of Succès', async () => {
  for (const file of [csv(ORANGE_ROWS, ';'), await xlsx(ORANGE_ROWS)]) {
    const read1 = await read(file, 'OMCM', { number: '237699000111', ownNumbers: ['237699000111'], zone: 'Africa/Douala' })
    assert.deepEqual(shown(read1), [
      ['MP261105.0815.A1', 'payment', 2500, 0, 2500],
      ['MP261105.0816.A2', 'failed', 9000, 0, 0],
      ['CI261105.0900.A3', 'payment', -1000, 0, -1000],
    ])
    assert.deepEqual([read1.lines[0]?.phone_forms, read1.lines[0]?.at], [['237655123456'], '2026-11-05T07:15:00.000Z'])
  }
  const wrong = ORANGE_ROWS.map((row) => row.map((cell) => (cell === '2 500' && row[0] === 'Total' ? '2 501' : cell)))
  assert.deepEqual(await problemOf(csv(wrong, ';'), 'OMCM'), { kind: 'total_differs', values: { printed: '2501', summed: '2500' } })
})

test('Orange Cameroon: of two sections the one of the wallet is read; without a number both are refused, and so is another wallet', async () => {
  const one = await read(csv(TWO_SECTIONS, ';'), 'OMCM', { number: '699000222' })
  assert.deepEqual(shown(one), [['MP261105.1000.B1', 'payment', 700, 0, 700]])
  assert.equal((await problemOf(csv(TWO_SECTIONS, ';'), 'OMCM')).kind, 'several_accounts')
  assert.equal((await problemOf(csv(TWO_SECTIONS, ';'), 'OMCM', { number: '699000333' })).kind, 'wrong_wallet')
})

test('Orange Burkina Faso: our id, phones without 226, and balances that must chain in either order of rows', async () => {
  const row = (id: string, time: string, [credit, debit, before, after]: string[], reference = transactionId) => [
    time,
    'SUCCESS',
    id,
    '',
    '70123456',
    reference,
    'MERCHPAY',
    credit || debit || '',
    credit ?? '',
    debit ?? '',
    '0',
    before ?? '',
    after ?? '',
    '',
    '',
  ]
  const rows = [
    row('A1', '05/11/2026 08:00:00', ['1000', '', '50000', '51000']),
    row('A2', '05/11/2026 09:00:00', ['', '400', '51000', '50600']),
    row('A3', '05/11/2026 10:00:00', ['25', '', '50600', '50625']),
  ]
  for (const ordered of [rows, rows.toReversed()]) {
    const file = await read(csv([ORANGE_BF_HEADER, ...ordered]), 'BFOM')
    assert.deepEqual([file.summary.openingMinor, file.summary.closingMinor], ['5000000', '5062500'])
    const collect = file.lines.find(({ operator_id }) => operator_id === 'A1')
    assert.deepEqual([collect?.our_id, collect?.phone_forms, collect?.net_minor], [transactionId, ['22670123456'], '100000'])
  }
  const gap = csv([ORANGE_BF_HEADER, ...rows.filter((_, place) => place !== 1)])
  assert.deepEqual(await problemOf(gap, 'BFOM'), { kind: 'balance_broken', values: { row: 3 } })
  const wrong = await read(
    csv([ORANGE_BF_HEADER, row('A1', '05/11/2026 08:00:00', ['1000', '', '50000', '51001']), ...rows.slice(1)]),
    'BFOM',
  )
  assert.deepEqual(
    wrong.bad.map(({ row_number, problem }) => [row_number, problem]),
    [[2, 'sum']],
  )
})

const MOOV_ROWS = [
  ['Organization Name', 'KORA STORES'],
  ['Short Code', '2290195000999'],
  ['Account', 'Utility Account'],
  ['Time Period', 'From 05-11-2026 to 05-11-2026'],
  [''],
  MOOV_HEADER,
  [
    'M3',
    '\t05-11-2026 23:59:59',
    '\t05-11-2026 23:59:40',
    'Payment',
    'Completed',
    'XOF',
    '',
    '-4,000.00',
    '1,100.00',
    'Pay',
    '2290197000001 - AWA',
    '',
    '',
  ],
  ['M2', '\t', '\t05-11-2026 12:30:00', 'Payment', 'Expired', 'XOF', '3,000.00', '', '', 'Pay', '97000002 - KOFFI', '', ''],
  [
    'M1',
    '\t05-11-2026 00:00:00',
    '\t04-11-2026 23:59:59',
    'Payment',
    'Completed',
    'XOF',
    '5,100.00',
    '',
    '5,100.00',
    'Pay',
    '97000002 - KOFFI',
    '',
    '',
  ],
  ['', '', '', 'Totals', '', '', '5,100.00', '-4,000.00', '', '', '', '', ''],
]

test('Moov: five banner rows, a tab before times, newest first; Expired lines carry amounts and are in no sum', async () => {
  const file = await read(csv(MOOV_ROWS), 'BJMOOV', { zone: 'Africa/Porto-Novo', number: '95000999' })
  assert.deepEqual(shown(file), [
    ['M3', 'payment', -4000, 0, -4000],
    ['M2', 'failed', 3000, 0, 0],
    ['M1', 'payment', 5100, 0, 5100],
  ])
  assert.deepEqual([file.summary.openingMinor, file.summary.closingMinor, file.summary.firstDay], ['0', '110000', '2026-11-05'])
  assert.deepEqual(file.lines[2]?.phone_forms, ['2290197000002', '22997000002'])
  assert.equal((await problemOf(csv(MOOV_ROWS), 'BJMOOV', { number: '2290195111111' })).kind, 'wrong_wallet')
})

const AIRTEL_ROWS = [
  ['Mobile Number', '256750000777'],
  AIRTEL_HEADER,
  ['99001', '05-11-2026 02:11 PM', 'Merchant payment from 0751234567 JOHN', 'Transaction Successful', '20000', 'Credit', '100', '119900'],
  ['99002', '05-11-2026 12:05 AM', 'Disbursement to 256752000111', 'Transaction Successful', '5000', 'Debit', '0', '100000'],
]

test('Airtel: compressed, with our number above the header, the direction from a mark and the phone from the text', async () => {
  const file = await read(gzipSync(csv(AIRTEL_ROWS)), 'UGAIRTEL', { zone: 'Africa/Kampala', number: '0750000777' })
  assert.deepEqual(shown(file), [
    ['99001', 'payment', 20000, 100, 19900],
    ['99002', 'payment', -5000, 0, -5000],
  ])
  assert.deepEqual(
    file.lines.map(({ at, local_day, phone_forms }) => [at.slice(0, 16), local_day, phone_forms[0]]),
    [
      ['2026-11-05T11:11', '2026-11-05', '256751234567'],
      ['2026-11-04T21:05', '2026-11-05', '256752000111'],
    ],
  )
  const whole = gzipSync(csv(AIRTEL_ROWS))
  assert.deepEqual(await problemOf(whole.subarray(0, whole.length - 12), 'UGAIRTEL'), { kind: 'gzip_damaged' })
})

test('the same keys for the same lines as CSV with any separator, compressed, and saved again as a workbook', async () => {
  const files: [OperatorCode, string[][]][] = [
    ['MOMOCM', [MTN_HEADER, MTN_IN, MTN_OUT]],
    ['BJMOOV', MOOV_ROWS],
    ['OMCM', ORANGE_ROWS],
    ['UGAIRTEL', AIRTEL_ROWS],
  ]
  for (const [operator, rows] of files) {
    const forms = [
      csv(rows),
      csv(rows, ';'),
      csv(rows, '\t'),
      csv(rows, '|'),
      `sep=;\r\n${csv(rows, ';')}`,
      `\ufeff${csv(rows)}`,
      Buffer.from(`\ufeff${csv(rows)}`, 'utf16le'),
      gzipSync(csv(rows)),
      await xlsx(rows),
    ]
    const keys = await Promise.all(forms.map(async (form) => (await read(form, operator)).lines.map(({ line_key }) => line_key)))
    for (const each of keys) assert.deepEqual(each, keys[0])
  }
})

for (const [zone, operator] of [
  ['Africa/Douala', 'MOMOCM'],
  ['Africa/Kampala', 'UGMTN'],
  ['Africa/Porto-Novo', 'BJMTN'],
] as const) {
  test(`the operator's own day around midnight and around a cut-off at 23:00: ${zone}`, async () => {
    const currency = operator === 'UGMTN' ? 'UGX' : operator === 'MOMOCM' ? 'XAF' : 'XOF'
    const times = ['2026-11-05 23:59:59', '2026-11-06 00:00:00', '2026-11-06 22:59:59', '2026-11-06 23:00:00']
    const rows = times.map((time, place) => mtnRow({ ...toCells(MTN_IN), Id: String(place), Date: time, Currency: currency }))
    const days = async (cutoffMinute: number) =>
      (await read(csv([MTN_HEADER, ...rows]), operator, { zone, cutoffMinute })).lines.map(({ local_day }) => local_day.slice(8))
    assert.deepEqual(await days(0), ['05', '06', '06', '06'])
    assert.deepEqual(await days(23 * 60), ['05', '05', '05', '06'])
  })
}

test("the operator's own day around midnight in Dakar, also with twelve hours and with a zone in the time", async () => {
  const times = ['11/05/2026 11:59:59 PM', '11/06/2026 12:00:00 AM', '2026-11-05T23:59:59.999Z', '2026-11-06T00:59:59+01:00']
  const row = (id: number, time: string) => [time, `D${id}`, 'merchant_payment', '495', '5', 'XOF', '+221771234567', '', '', '', '']
  for (const [place, time] of times.entries()) {
    // The day first is only unusual once the file has a thirteenth day.
    const proof = row(9, time.startsWith('11/') ? '11/13/2026 1:00:00 PM' : '2026-11-13T13:00:00Z')
    const { lines } = await read(csv([WAVE_COLLECT_HEADER, proof, row(place, time)]), 'SNWAVE', { zone: 'Africa/Dakar' })
    assert.equal(lines[1]?.local_day, place === 1 ? '2026-11-06' : '2026-11-05', time)
  }
})
