import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import { type BatchCell, REPAIR_KINDS, type RepairKind } from './batch-fields.ts'
import { looksLikeDate, readExponent, readStoredNumber } from './read-amount.ts'
import { NATIONAL_LENGTHS } from './read-receiver.ts'
import { isPhoneRounded, type ReadRow, readRow } from './read-row.ts'
import { fieldOfHeader, recogniseColumns } from './recognise-columns.ts'

type Cells = { phone?: BatchCell; name?: BatchCell; amount?: BatchCell; operator?: BatchCell; country?: BatchCell }
const COLUMNS = { phoneNumber: 0, customerName: 1, amount: 2, operator: 3, country: 4 }

function read(cells: Cells, accepted: readonly RepairKind[] = []): ReadRow {
  const row = { phone: '237677209341', name: 'Awa', amount: '5000', operator: 'MOMOCM', country: '', ...cells }
  return readRow(
    [row.phone, row.name, row.amount, row.operator, row.country],
    {},
    {
      columns: COLUMNS,
      defaultOperator: null,
      acceptedRepairs: new Set(accepted),
    },
  )
}

function amountOf(amount: BatchCell, operator = 'MOMOCM', accepted: readonly RepairKind[] = []): string | undefined {
  const phone = operator === 'UGMTN' ? '256772123456' : '237677209341'
  const { amountMinor, problems } = read({ amount, operator, phone }, accepted)
  return amountMinor === null ? problems[0]?.kind : formatMinor(amountMinor)
}

function phoneOf(phone: BatchCell, operator = 'MOMOCM', accepted: readonly RepairKind[] = []): string | undefined {
  const { phoneNumber, problems } = read({ phone, operator }, accepted)
  return phoneNumber ?? problems[0]?.kind
}

test('an amount in hundredths, in the notation of both languages', () => {
  for (const text of ['1234', '1 234', '1\u00a0234,00', '1\u202f234.00', "1'234", '1234.0', '1234 XAF', 'FCFA 1 234', '01234'])
    assert.equal(amountOf(text), '1234', text)
  assert.equal(amountOf('1.234.567'), '1234567')
  assert.equal(amountOf('1,234,567'), '1234567')
  assert.equal(amountOf('1,234.50', 'UGMTN'), '1234.5')
  assert.equal(amountOf('1.234,50', 'UGMTN'), '1234.5')
  assert.equal(amountOf('1 234,5', 'UGMTN'), '1234.5')
  assert.equal(amountOf({ text: '1234.5599999999999', kind: 'number' }, 'UGMTN'), '1234.56')
  assert.equal(amountOf({ text: '1.5E3', kind: 'number' }), '1500')
  assert.equal(amountOf({ text: '1233.9999999999998', kind: 'number' }), '1234')
  assert.equal(amountOf({ text: '9999999999.950000001', kind: 'number' }, 'UGMTN'), '9999999999.95')
})

test('amount_decimals for a number whose further decimals are no rounding noise', () => {
  for (const text of ['1234.555555', '1234.560011', '0.004999'])
    assert.equal(amountOf({ text, kind: 'number' }, 'UGMTN'), 'amount_decimals', text)
})

test('any amount comes back from what formatAmount and formatMinor write, in both languages', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999n }), (amountMinor) => {
      const decimal = formatMinor(amountMinor)
      const texts = [decimal, formatAmount(decimal, 'fr'), formatAmount(decimal, 'en')]
      for (const text of texts) assert.equal(amountOf(text, 'UGMTN', ['thousands']), decimal, text)
    }),
  )
})

test('a thousand only if a person accepts it: one sign with three digits behind it', () => {
  for (const text of ['1.234', '1,234']) {
    assert.equal(amountOf(text), 'amount_thousands')
    assert.equal(amountOf(text, 'MOMOCM', ['thousands']), '1234')
  }
})

test('refused: amounts that a guess could change', () => {
  const wrong: [BatchCell, string][] = [
    ['', 'amount_missing'],
    ['abc', 'amount_characters'],
    ['12.34.56', 'amount_characters'],
    ['1,23,456', 'amount_characters'],
    ['0', 'amount_not_positive'],
    ['(500)', 'amount_not_positive'],
    ['-5', 'amount_not_positive'],
    ['10.5', 'amount_decimals'],
    ['99999999999', 'amount_too_large'],
    ['5000 UGX', 'amount_currency'],
    ['2.5E+05', 'amount_digits_lost'],
    ['12/05/2026', 'amount_date'],
    [{ text: '2026-01-05', kind: 'date' }, 'amount_date'],
    [{ text: '#N/A', kind: 'error' }, 'amount_error'],
    [{ text: '-5', kind: 'number' }, 'amount_not_positive'],
  ]
  for (const [cell, kind] of wrong) assert.equal(amountOf(cell), kind, JSON.stringify(cell))
})

test('the same phone number however it is written; no digit is added silently', () => {
  for (const text of [
    '237677209341',
    '+237 6 77 20 93 41',
    '00237677209341',
    '(237) 677-20-93-41',
    '237.677.20.93.41',
    "'237677209341",
    '237677209341.0',
  ])
    assert.equal(phoneOf(text), '237677209341', text)
  assert.equal(phoneOf({ text: '2.37677209341E11', kind: 'number' }), '237677209341')
  assert.equal(phoneOf('677209341'), 'phone_dial_code')
  assert.equal(phoneOf('677209341', 'MOMOCM', ['dial_code']), '237677209341')
  assert.equal(phoneOf('2.37677209341E+11'), 'phone_digits_lost')
  assert.equal(phoneOf('2.37677209341E+11', 'MOMOCM', ['exponent']), '237677209341')
  assert.equal(phoneOf('2.37E+11', 'MOMOCM', REPAIR_KINDS), 'phone_digits_lost')
})

test('old numbers of Benin and Ivory Coast are right as they are, and can be repaired', () => {
  assert.equal(phoneOf('22997123456', 'BJMTN'), '22997123456')
  assert.equal(phoneOf('22997123456', 'BJMTN', ['benin']), '2290197123456')
  assert.equal(phoneOf('97123456', 'BJMTN', ['benin', 'dial_code']), '2290197123456')
  assert.equal(phoneOf('22507123456', 'CIOM', ['ivory_coast']), '2250707123456')
  assert.deepEqual(read({ phone: '2290197123456', operator: 'BJMTN' }).repairs, [])
})

test('every number of every operator comes back from its national and its international form', () => {
  const operator = fc.constantFrom(...OPERATOR_CODES)
  fc.assert(
    fc.property(operator, fc.integer({ min: 100_000_000, max: 999_999_999 }), (code, random) => {
      const { country } = OPERATORS[code]
      const [length = 9] = NATIONAL_LENGTHS[country.name]
      const national = `7${String(random)}0`.slice(0, length).padEnd(length, '5')
      const whole = country.dialCode + national
      assert.equal(phoneOf(`+${whole}`, code), whole)
      assert.equal(phoneOf(national, code, ['dial_code']), whole)
    }),
  )
})

test('an operator by code, by name with its country anywhere in the row, never by the prefix of a number', () => {
  const operatorOf = (cells: Cells) => read(cells).operator
  assert.equal(operatorOf({ operator: ' momocm ' }), 'MOMOCM')
  assert.equal(operatorOf({ operator: 'Orange Money Cameroun' }), 'OMCM')
  assert.equal(operatorOf({ operator: 'Orange', country: 'Sénégal', phone: '771234567' }), 'SNOM')
  assert.equal(operatorOf({ operator: 'MTN', phone: '2290161123456' }), 'BJMTN')
  assert.equal(operatorOf({ operator: 'Wave', country: "Côte d'Ivoire" }), 'CIWAVE')
  assert.equal(operatorOf({ operator: 'Airtel' }), 'UGAIRTEL')
  assert.equal(operatorOf({ operator: 'Orange', phone: '771234567' }), null)
  assert.equal(operatorOf({ operator: '', phone: '221771234567' }), null)
  assert.deepEqual(
    read({ operator: 'OMCM', country: 'Mali' }).problems.map(({ kind }) => kind),
    ['operator_country'],
  )
})

test('any cells: never an exception, and a row without problems has all four fields', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('237677209341', 'MOMOCM', 'MTN', '5000', '1.234', '2.5E+05', 'Cameroun', '05/01/26'),
    fc.record({ text: fc.string({ maxLength: 20 }), kind: fc.constantFrom('text', 'number', 'date', 'error') }),
  )
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 6 }), fc.subarray([...REPAIR_KINDS]), (cells, accepted) => {
      const row = readRow(cells, {}, { columns: COLUMNS, defaultOperator: 'MOMOCM', acceptedRepairs: new Set(accepted) })
      if (row.problems.length > 0) return
      assert.ok(row.operator && row.phoneNumber && row.customerName && row.amountMinor !== null && row.amountMinor > 0n)
      assert.match(row.phoneNumber, /^\d{10,15}$/)
    }),
    { numRuns: 2_000 },
  )
})

test('what a maker typed counts instead of the cell', () => {
  const row = readRow(
    ['x', 'y', 'z', 'MOMOCM'],
    { phoneNumber: '237677209341', amount: '10' },
    { columns: COLUMNS, defaultOperator: null, acceptedRepairs: new Set() },
  )
  assert.deepEqual([row.phoneNumber, row.amountMinor, row.customerName, row.problems], ['237677209341', 1_000n, 'y', []])
})

test('an exponent is written out only if it has all digits; a stored number always has', () => {
  assert.deepEqual(readExponent('2.37677209341E+11'), { digits: '237677209341' })
  assert.deepEqual(readExponent('2,37677209341e11'), { digits: '237677209341' })
  for (const text of ['2.37E+11', '2.3767720934E+11', '2E+11', '-2.5E+01']) assert.equal(readExponent(text), 'lost', text)
  assert.equal(readExponent('12'), undefined)
  fc.assert(fc.property(fc.double({ min: 1e-20, max: 1e15, noNaN: true }), (number) => Number(readStoredNumber(String(number))) === number))
})

test('a warning for a stored number with five zeros at its end, which a spreadsheet may have rounded; none for a text or a corrected one', () => {
  const columns = { phoneNumber: 0 }
  const stored = [{ text: '237677000000', kind: 'number' as const }]
  assert.equal(isPhoneRounded(stored, {}, columns), true)
  assert.equal(isPhoneRounded([{ text: '237677010000', kind: 'number' }], {}, columns), false)
  assert.equal(isPhoneRounded(['237677000000'], {}, columns), false)
  assert.equal(isPhoneRounded(stored, { phoneNumber: '237677000001' }, columns), false)
})

test('dates as spreadsheets write them, and no phone number or amount', () => {
  for (const text of [
    '05/01/2026',
    '2026-01-05',
    '5-janv.',
    '5-Jan',
    'Jan-26',
    '01/05',
    '5 février 2026',
    '05.01.2026',
    '2026-01-05 00:00:00',
  ])
    assert.ok(looksLikeDate(text), text)
  for (const text of ['237677209341', '1234', '1.234', '1 234,50', '77-20-93-41', '1-2']) assert.ok(!looksLikeDate(text), text)
})

test('columns by their headers in both languages; two columns for a required field are for a person to decide', () => {
  assert.equal(fieldOfHeader('N° de téléphone'), 'phoneNumber')
  assert.equal(fieldOfHeader('Montant (FCFA)'), 'amount')
  assert.equal(fieldOfHeader('AMOUNT XAF'), 'amount')
  assert.equal(fieldOfHeader('Nom et prénoms'), 'customerName')
  assert.deepEqual(recogniseColumns(['Matricule', 'Noms et prénoms', 'Tél.', 'Net à payer', 'Réseau', 'Pays']), {
    customerName: 1,
    phoneNumber: 2,
    amount: 3,
    operator: 4,
    country: 5,
  })
  assert.equal(recogniseColumns(['Tel', 'Mobile', 'Nom', 'Montant']), undefined)
  assert.equal(recogniseColumns(['Tel', 'Nom']), undefined)
})

test('phone_length for a number with its dial code that lacks digits, or that has the dial code twice, whatever repairs are accepted', () => {
  for (const [phone, operator] of [
    ['221767775', 'SNOM'],
    ['221221767775', 'SNOM'],
    ['237677209', 'MOMOCM'],
    ['256772123', 'UGMTN'],
    ['2250707123', 'CIOM'],
    ['22507071', 'CIOM'],
    ['22670123', 'BFOM'],
    ['22370123', 'MLMOOV'],
    ['22901971', 'BJMTN'],
    ['2290197123', 'BJMTN'],
  ] as const)
    assert.equal(phoneOf(phone, operator, REPAIR_KINDS), 'phone_length', phone)
})

test('phone_length for a number of Benin that lacks two digits, with its dial code and without', () => {
  for (const phone of ['22901971234', '01971234', '+229 01 61 12 34', '22911223344'])
    assert.equal(phoneOf(phone, 'BJMTN', REPAIR_KINDS), 'phone_length', phone)
  for (const phone of ['22997123456', '22961123456', '22940123456']) assert.equal(phoneOf(phone, 'BJMTN'), phone)
})
