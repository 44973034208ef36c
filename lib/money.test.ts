import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatMinor, parseAmountMinor, roundHalfUp } from './money.ts'

test('an amount is read exactly from its JSON text', () => {
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

test('zero, negatives, a third decimal and more than 9,999,999,999.99 are not amounts', () => {
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

test('what is written is read back as the same amount', () => {
  fc.assert(fc.property(fc.bigInt(1n, 999_999_999_999n), (minor) => parseAmountMinor(formatMinor(minor)) === minor))
})

test('totals beyond 2^53 are written digit for digit', () => {
  assert.equal(formatMinor(900719925474099312n), '9007199254740993.12')
  assert.equal(formatMinor(-50n), '-0.5')
})

test('fees are rounded half up to whole units where the currency has no decimals', () => {
  assert.equal(roundHalfUp(50n, 1n, 'XAF'), 100n)
  assert.equal(roundHalfUp(49n, 1n, 'XAF'), 0n)
  assert.equal(roundHalfUp(150n, 1n, 'XOF'), 200n)
})
