import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { must } from '#server/testing/partner.ts'
import { aReadingWallet, csv, MTN_HEADER, mtnRow, ORANGE_CM_HEADER, readLines, xlsx } from '../testing/statements.ts'
import type { ReadingWallet } from './statement-lines.ts'

const OURS = '0198a1b2-0000-7000-8000-00000000000a'

/** One line as finance compares it: operator id, UTC time, kind, gross, fee and net in hundredths. */
async function linesOf(content: string | Uint8Array, operator: OperatorCode, wallet: Partial<ReadingWallet> = {}) {
  const { lines, bad, summary } = must(await readLines(content, aReadingWallet(operator, wallet)))
  const read = lines.map((line) => [
    line.operator_id,
    line.at.slice(0, 19),
    line.kind,
    Number(line.gross_minor),
    Number(line.fee_minor),
    Number(line.net_minor),
  ])
  return { read, lines, summary, bad: bad.map(({ row_number, problem }) => [row_number, problem]) }
}

test('Wave Senegal collects: commas, hours of twelve before and after midnight, a refund and a settlement to the bank', async () => {
  const file = `timestamp,transaction_id,transaction_type,amount,fee,currency,counterparty_mobile,client_reference,checkout_api_session_id,aggregated_merchant_id,aggregated_merchant_name
2026-11-03 12:00:01 AM,T_6AAA,merchant_payment,9900,100,XOF,+221771234567,${OURS},cos-1,,
2026-11-03 12:30:00 PM,T_6BBB,merchant_payment,"24,750",250,XOF,+221781234567,,cos-2,,
2026-11-03 11:59:59 PM,T_6BBB,merchant_payment_refund,"-24,750",-250,XOF,+221781234567,,cos-2,,
2026-11-03 11:00:00 PM,T_6CCC,merchant_sweep,-9900,0,XOF,,,,,
`
  const { read, bad, lines } = await linesOf(file, 'SNWAVE')
  assert.deepEqual(bad, [])
  assert.deepEqual(read, [
    ['T_6AAA', '2026-11-03T00:00:01', 'payment', 1_000_000, 10_000, 990_000],
    ['T_6BBB', '2026-11-03T12:30:00', 'payment', 2_500_000, 25_000, 2_475_000],
    ['T_6BBB', '2026-11-03T23:59:59', 'reversal', -2_475_000, 0, -2_475_000],
    ['T_6CCC', '2026-11-03T23:00:00', 'transfer', -990_000, 0, -990_000],
  ])
  assert.equal(lines[0]?.our_id, OURS)
})

test('Wave payouts saved by a French spreadsheet: semicolons, Windows-1252, spaces between thousands and decimals with commas', async () => {
  const file = [
    'Horodatage;Identifiant de transaction;Type de transaction;Montant;Frais;Solde;Devise;Nom de contrepartie;Numéro de téléphone de contrepartie;Référence client;Identifiant de session API;Identifiant marchand agrégé;Nom marchand agrégé',
    `03/11/2026 08:15:00;pt-1a2b;api_payout;-15 150,00;150,00;1 984 850,00;XOF;Aïcha Koné;+225 07 07 12 34 56;${OURS}.${OURS};;;`,
    '13/11/2026 18:15:00;pt-1a2c;api_payout_reversal;15 150,00;-150,00;2 000 000,00;XOF;Aïcha Koné;+225 07 07 12 34 56;;;;',
  ].join('\r\n')
  const { read, bad, lines, summary } = await linesOf(Buffer.from(file, 'latin1'), 'CIWAVE')
  assert.deepEqual(bad, [])
  assert.deepEqual(read, [
    ['pt-1a2b', '2026-11-03T08:15:00', 'payment', -1_500_000, 15_000, -1_515_000],
    ['pt-1a2c', '2026-11-13T18:15:00', 'reversal', 1_515_000, 0, 1_515_000],
  ])
  assert.deepEqual([lines[0]?.our_id, lines[0]?.our_application_id], [OURS, OURS])
  assert.ok(lines[0]?.phone_forms.includes('2250707123456'))
  assert.deepEqual([summary.openingMinor, summary.closingMinor], ['200000000', '200000000'])
})

test('Orange Burkina Faso: semicolons and a mark, newest first, a failed row between two whose balances chain, phones without the dial code', async () => {
  const file = `\ufeffTRANSFER_DATE;TRANSFER_STATUS;TRANSFER_ID;ORDER_ID;MSISDN;REFERENCE_NUMBER;STATEMENT;TRANSFER_AMOUNT;CREDIT;DEBIT;FEES;PREVIOUS_BAL;AFTER_BAL;REMARKS;FTXN_ID
04/11/2026 09:00:00;TS;CI261104.0900.B1;O-3;70123456;${OURS};Cash In;2000;0;2000;0;12500;10500;;F3
04/11/2026 08:30:00;TF;MP261104.0830.B0;O-2;76123456;;Merchant Payment;700;700;0;0;12500;12500;;F2
04/11/2026 08:00:00;TS;MP261104.0800.A9;O-1;06123456;;Merchant Payment;2500;2500;0;0;10000;12500;;F1
`
  const { read, bad, lines, summary } = await linesOf(file, 'BFOM')
  assert.deepEqual(bad, [])
  assert.deepEqual(read, [
    ['CI261104.0900.B1', '2026-11-04T09:00:00', 'payment', -200_000, 0, -200_000],
    ['MP261104.0830.B0', '2026-11-04T08:30:00', 'failed', 70_000, 0, 0],
    ['MP261104.0800.A9', '2026-11-04T08:00:00', 'payment', 250_000, 0, 250_000],
  ])
  assert.deepEqual([summary.isNewestFirst, summary.openingMinor, summary.closingMinor], [true, '1000000', '1050000'])
  assert.ok(lines[2]?.phone_forms.includes('22606123456'))
})

const MOOV_BANNER = `Organization Name:,KORA STORES BENIN
Short Code:,,60123
Time Period:,"From 03-11-2026 00:00:00 to 03-11-2026 23:59:59"
Report Date:,"04-11-2026 07:00:00"
,
Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Currency,Paid In,Withdrawn,Balance,Reason Type,Opposite Party,Linked Transaction ID,Remark`

test('Moov Benin: five rows of a banner, tabs before times, withdrawn amounts with a minus, expired rows in no sum, a charge of its own', async () => {
  const file = `${MOOV_BANNER}
BK3ZZ9,\t03-11-2026 21:10:00,\t03-11-2026 21:09:58,Business Payment to 2290197000002,Completed,XOF,,"-10,000.00","89,950.00",B2C Payment,2290197000002 - KOFFI,,
BK3ZZ8,\t03-11-2026 21:10:00,\t03-11-2026 21:09:58,Business Payment Charge,Completed,XOF,,-50.00,"99,950.00",Business Pay Charge,,BK3ZZ9,
BK3ZZ7,,\t03-11-2026 20:00:00,Payment from 2290197000003,Expired,XOF,"5,000.00",,,Customer Pay,2290197000003 - AWA,,
BK3ZZ6,\t03-11-2026 00:00:00,\t02-11-2026 23:59:59,Payment from 2290197000004,Completed,XOF,"25,000.00",,"100,000.00",Customer Pay,2290197000004 - AWA,,
`
  const { read, bad } = await linesOf(file, 'BJMOOV', { zone: 'Africa/Porto-Novo' })
  assert.deepEqual(bad, [])
  assert.deepEqual(read, [
    ['BK3ZZ9', '2026-11-03T20:10:00', 'payment', -1_000_000, 0, -1_000_000],
    ['BK3ZZ8', '2026-11-03T20:10:00', 'fee', -5_000, 0, -5_000],
    ['BK3ZZ7', '2026-11-03T19:00:00', 'failed', 500_000, 0, 0],
    ['BK3ZZ6', '2026-11-02T23:00:00', 'payment', 2_500_000, 0, 2_500_000],
  ])
})

test('Moov: a line one moment before the local midnight is of the day before, whatever the day is in UTC', async () => {
  const at = (id: string, time: string) => `${id},${time},${time},Pay,Completed,XOF,100,,,Customer Pay,2290197000004 - AWA,,`
  const file = [MOOV_BANNER, at('A', '03-11-2026 23:59:59'), at('B', '04-11-2026 00:00:00')].join('\n')
  const { lines } = await linesOf(file, 'BJMOOV', { zone: 'Africa/Porto-Novo' })
  assert.deepEqual(
    lines.map(({ local_day }) => local_day),
    ['2026-11-03', '2026-11-04'],
  )
})

test('Airtel Uganda: gzip, the header again on each page, a charge, a totals row', async () => {
  const header = 'Transaction ID,Transaction Date,Description,Status,Transaction Amount,Credit/Debit,Fee,Balance'
  const file = `Mobile Number,256751000000
${header}
118001,03-Nov-26 11:58 PM,Received from 0751234567 NAKATO,Transaction Success,"50,000",Credit,0,"150,000"
118002,04-Nov-26 12:01 AM,Paid to 0701234567 OKELLO,Transaction Success,"20,000",Debit,500,"129,500"
${header}
118003,04-Nov-26 09:00 AM,Monthly service charge,Transaction Success,"1,000",Debit,0,"128,500"
118004,04-Nov-26 09:10 AM,Received from 0751234567 NAKATO,Transaction Failed,"7,000",Credit,0,"128,500"
Total,,,,"78,000",,500,
`
  const { read, bad } = await linesOf(gzipSync(file), 'UGAIRTEL', { zone: 'Africa/Kampala', number: '256751000000' })
  assert.deepEqual(bad, [])
  assert.deepEqual(read, [
    ['118001', '2026-11-03T20:58:00', 'payment', 5_000_000, 0, 5_000_000],
    ['118002', '2026-11-03T21:01:00', 'payment', -2_000_000, 50_000, -2_050_000],
    ['118003', '2026-11-04T06:00:00', 'fee', -100_000, 0, -100_000],
    ['118004', '2026-11-04T06:10:00', 'failed', 700_000, 0, 0],
  ])
})

const orangeRow = (cells: readonly string[]) => cells.concat(Array.from({ length: 17 }, () => '')).slice(0, 17)
const orangeLine = (number: string, reference: string, status: string, debit: string, credit: string) =>
  orangeRow([
    number,
    '03/11/2026',
    '23:30:00',
    reference,
    'Paiement',
    'Web',
    status,
    'USSD',
    '655123456',
    'Normal',
    '',
    '699000111',
    'Marchand',
    debit,
    credit,
    '',
    'X',
  ])

test('Orange Cameroon as a workbook of texts: two accounts, Echec in no sum, printed totals; a changed total refuses the file', async () => {
  const section = (account: string, lines: readonly string[][], debit: string, credit: string) => [
    orangeRow([`Compte : ${account}`]),
    ...ORANGE_CM_HEADER.map((row) => row.map((name) => name.replace('699000111', account))),
    ...lines,
    orangeRow(['Total', '', '', '', '', '', '', '', '', '', '', '', '', debit, credit]),
  ]
  const ours = [
    orangeLine('1', 'MP261103.2330.A1', 'Succès', '0', '12 500'),
    orangeLine('2', 'MP261103.2330.A2', 'Echec', '0', '9 000'),
    orangeLine('3', 'CI261103.2330.A3', 'Succès', '2 000', '0'),
  ]
  const others = section('699000222', [orangeLine('1', 'MP9', 'Succès', '0', '700')], '0', '700')
  const file = (credit: string) => xlsx([['Relevé de compte'], ...section('699000111', ours, '2 000', credit), ...others])
  const wallet = { number: '699000111', zone: 'Africa/Douala' }
  const { read, bad } = await linesOf(await file('12 500'), 'OMCM', wallet)
  assert.deepEqual(bad, [])
  assert.deepEqual(read, [
    ['MP261103.2330.A1', '2026-11-03T22:30:00', 'payment', 1_250_000, 0, 1_250_000],
    ['MP261103.2330.A2', '2026-11-03T22:30:00', 'failed', 900_000, 0, 0],
    ['CI261103.2330.A3', '2026-11-03T22:30:00', 'payment', -200_000, 0, -200_000],
  ])
  const changed = await readLines(await file('12 600'), aReadingWallet('OMCM', wallet))
  assert.ok(!changed.ok)
  assert.equal(changed.error.kind, 'total_differs')
})

const momo = (id: string, cells: Record<string, string>) =>
  mtnRow({
    Id: id,
    Date: '2026-11-03 23:59:59',
    Status: 'Successful',
    From: 'FRI:237677000001/MSISDN',
    To: 'FRI:237670000009/MSISDN',
    ...cells,
  })

test('MTN: a collect with its fee beside, a payout, a reversal without our id, a transfer to a bank and a failed row', async () => {
  const file = csv([
    MTN_HEADER,
    momo('30111', { 'External id': OURS, Type: 'Debit', Amount: '10,000.00', 'To / Fee': '100.00' }),
    momo('30112', {
      'External id': `${OURS}.0198`,
      Type: 'Transfer',
      From: 'FRI:237670000009/MSISDN',
      To: 'FRI:237677000002/MSISDN',
      Amount: '-5,000.00',
      'From / Fee': '-25.00',
      'From / Taxes': '-10.00',
    }),
    momo('30113', { Type: 'Reversal', Amount: '5,000.00' }),
    momo('30114', { Type: 'Transfer', From: 'FRI:237670000009/MSISDN', To: 'FRI:10021/SP', Amount: '-50000' }),
    momo('30115', { Type: 'Debit', Status: 'Failed', Amount: '8,000.00' }),
  ])
  const { read, bad, lines } = await linesOf(file, 'MOMOCM', { zone: 'Africa/Douala' })
  assert.deepEqual(bad, [])
  const at = '2026-11-03T22:59:59'
  assert.deepEqual(read, [
    ['30111', at, 'payment', 1_000_000, 10_000, 990_000],
    ['30112', at, 'payment', -500_000, 2_500, -503_500],
    ['30113', at, 'reversal', 500_000, 0, 500_000],
    ['30114', at, 'transfer', -5_000_000, 0, -5_000_000],
    ['30115', at, 'failed', 800_000, 0, 0],
  ])
  assert.deepEqual([lines[0]?.our_id, lines[1]?.our_id, lines[2]?.our_id], [OURS, OURS, null])
})

test('MTN: the file of another account of ours is refused, with both numbers', async () => {
  const file = csv([MTN_HEADER, momo('30111', { Type: 'Debit', Amount: '100' })])
  const result = await readLines(file, aReadingWallet('MOMOCM', { number: '237670000008' }))
  assert.ok(!result.ok)
  assert.equal(result.error.kind, 'wrong_wallet')
})

test('two statements put below each other, each with its header: every line once, and a line in both as the second of its key', async () => {
  const header = 'Transaction ID,Transaction Date,Description,Status,Transaction Amount,Credit/Debit,Fee,Balance'
  const line = (id: string) => `${id},2026-11-03 10:00:00,Received from 0751234567,Transaction Success,100,CR,0,`
  const { lines, bad } = await linesOf([header, line('1'), line('2'), header, line('2'), line('3')].join('\n'), 'UGAIRTEL')
  assert.deepEqual(bad, [])
  assert.deepEqual(
    lines.map(({ operator_id, occurrence }) => [operator_id, occurrence]),
    [
      ['1', 0],
      ['2', 0],
      ['2', 1],
      ['3', 0],
    ],
  )
})

test('amount: a file that was cut off within an amount has a bad row for it, and its other lines are read', async () => {
  const mtn = csv([MTN_HEADER, momo('1', { Type: 'Debit', Amount: '500' }), momo('2', { Type: 'Debit', Amount: '1250' })])
  const wave = `timestamp,transaction_id,transaction_type,amount,fee,currency,counterparty_mobile,client_reference,checkout_api_session_id,aggregated_merchant_id,aggregated_merchant_name
2026-11-03 10:00:00 AM,T_1,merchant_payment,495,5,XOF,+221771234567,,,,
2026-11-03 10:05:00 AM,T_2,merchant_payment,49`
  const moov = `${MOOV_BANNER}
A,03-11-2026 10:00:00,03-11-2026 10:00:00,Pay,Completed,XOF,100,,,Customer Pay,2290197000004 - AWA,,
B,03-11-2026 10:05:00,03-11-2026 10:05:00,Pay,Completed,XOF,12`
  // Without quotes: an open quote refuses the whole file.
  const cut = mtn.slice(0, mtn.lastIndexOf('1250') + 2).replaceAll('"', '')
  for (const [file, operator] of [
    [cut, 'MOMOCM'],
    [wave, 'SNWAVE'],
    [wave.concat(',1'), 'SNWAVE'],
    [moov, 'BJMOOV'],
  ] as const) {
    const { lines, bad } = await linesOf(file, operator)
    assert.deepEqual([lines.length, bad.map(([, problem]) => problem)], [1, ['amount']], operator)
  }
})
