import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDecimals, compareDecimals, formatMinor, parseAmountMinor, parseMinor, parseTypedAmount, roundHalfUp } from './money.ts'

test('the exact amount from its JSON text', () => {
  for (const [text, minor] of [
    ['5000', 500000n],
    ['100.5', 10050n],
    ['0.01', 1n],
    ['9999999999.99', 999999999999n],
    ['5.000', 500n],
    ['1e3', 100000n],
    ['12E-1', 120n],
    ['0.1e1', 100n],
  ] as const) {
    assert.equal(parseAmountMinor(text), minor, text)
  }
})

test('undefined for zero, negatives, a third decimal and more than 9,999,999,999.99', () => {
  for (const text of [
    '0',
    '-0',
    '0.00',
    '-5',
    '0.001',
    '10000000000',
    '1e400',
    '1e10',
    '0.1000000000000000055',
    'NaN',
    '',
    '1.',
    '.5',
    '+5',
  ]) {
    assert.equal(parseAmountMinor(text), undefined, text)
  }
})

test('parseAmountMinor returns what formatMinor wrote', () => {
  fc.assert(fc.property(fc.bigInt(1n, 999_999_999_999n), (minor) => parseAmountMinor(formatMinor(minor)) === minor))
})

test('every digit of totals beyond 2^53', () => {
  assert.equal(formatMinor(900719925474099312n), '9007199254740993.12')
  assert.equal(formatMinor(-50n), '-0.5')
})

test('fees are rounded half up to whole units where the currency has no decimals', () => {
  assert.equal(roundHalfUp(50n, 1n, 'XAF'), 100n)
  assert.equal(roundHalfUp(49n, 1n, 'XAF'), 0n)
  assert.equal(roundHalfUp(150n, 1n, 'XOF'), 200n)
})

test('the nearest whole unit of the currency, and of two equally near ones the larger, for every fraction', () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 10n ** 18n),
      fc.bigInt(1n, 10n ** 7n),
      fc.constantFrom('XAF' as const, 'XOF' as const, 'UGX' as const),
      (numerator, denominator, currency) => {
        const rounded = roundHalfUp(numerator, denominator, currency)
        assert.equal(rounded % 100n, 0n)
        const twiceTooMuch = 2n * (rounded * denominator - numerator)
        assert.ok(-denominator * 100n < twiceTooMuch && twiceTooMuch <= denominator * 100n, `${numerator} / ${denominator}: ${rounded}`)
      },
    ),
  )
  assert.equal(roundHalfUp(350n, 7n, 'XAF'), 100n)
  assert.equal(roundHalfUp(349n, 7n, 'XAF'), 0n)
})

test('parseMinor reads what formatMinor writes, also below zero', () => {
  fc.assert(fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), (minor) => parseMinor(formatMinor(minor)) === minor))
})

test('addDecimals and compareDecimals are exact beyond 2^53', () => {
  assert.equal(addDecimals('9007199254740993.12', '0.9'), '9007199254740994.02')
  assert.equal(addDecimals('-0.25', '0.25'), '0')
  assert.ok(compareDecimals('9007199254740993', '9007199254740992.99') > 0)
  assert.equal(compareDecimals('100.5', '100.50'), 0)
})

test('a typed amount is read by the habits of its language', () => {
  assert.equal(parseTypedAmount('1,250,000', 'en'), '1250000')
  assert.equal(parseTypedAmount('1\u202f250\u00a0000,50', 'fr'), '1250000.50')
  assert.equal(parseTypedAmount('100.5', 'fr'), '100.5')
})

test('undefined for typed text that is not a positive amount', () => {
  for (const typed of ['', '-5', '1,2', '1.234', '12345678901', 'abc']) assert.equal(parseTypedAmount(typed, 'en'), undefined, typed)
})
