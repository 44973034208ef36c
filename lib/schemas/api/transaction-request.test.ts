import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatMinor } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { parseJson } from '#lib/text/json.ts'
import { parseBatch, parseTransactionRequest } from './transaction-request.ts'

const operators = fc.constantFrom(...OPERATOR_CODES)
const digits = (minLength: number, maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })

/** A body that the specification allows, as text, and what it means. */
const validBodies = fc.record({
  operator: operators,
  customerName: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
    .filter((name) => name.trim() !== '' && !name.includes('\0') && [...name].length <= 200),
  externalId: fc.uuid({ version: 4 }),
  rest: digits(7, 12),
  amountMinor: fc.bigInt(1n, 999_999_999_999n),
})

const VALID = {
  transferMethod: 'OMCM',
  customerName: 'Awa Ndiaye',
  externalId: '7f2c1b1e-58a4-4c35-9c0d-0d1a6f0f5b11',
  phoneNumber: '237699000111',
  amount: 5000,
  webhookUrl: 'https://partner.example/hooks',
  countryName: 'CAMEROON',
}

function read(text: string) {
  const json = parseJson(text)
  assert.ok(json.ok)
  return parseTransactionRequest(json.value)
}

function write(
  body: { operator: (typeof OPERATOR_CODES)[number]; customerName: string; externalId: string; rest: string; amountMinor: bigint },
  countryName?: string,
): string {
  const { country } = OPERATORS[body.operator]
  const fields = {
    transferMethod: body.operator,
    customerName: body.customerName,
    externalId: body.externalId,
    phoneNumber: country.dialCode + body.rest,
    amount: '@',
    webhookUrl: 'https://partner.example/hooks',
    countryName: countryName ?? country.name,
  }
  return JSON.stringify(fields).replace('"@"', formatMinor(body.amountMinor))
}

test('the exact amount of every body that the specification allows', () => {
  fc.assert(
    fc.property(validBodies, (body) => {
      const result = read(write(body))
      assert.ok(result.ok, result.ok ? '' : result.error.join(' '))
      assert.equal(result.value.amount, body.amountMinor)
      assert.equal(result.value.customerName, body.customerName)
    }),
  )
})

test('one sentence for every country other than the operator’s', () => {
  fc.assert(
    fc.property(validBodies, fc.constantFrom(...COUNTRY_NAMES), (body, countryName) => {
      const isRight = OPERATORS[body.operator].country.name === countryName
      assert.equal(read(write(body, countryName)).ok, isRight)
    }),
  )
})

test('a value or at most one sentence per field for any JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const json = parseJson(text)
      if (!json.ok) return
      const result = parseTransactionRequest(json.value)
      assert.equal(result.ok, false)
      if (!result.ok)
        assert.ok(result.error.length >= 1 && result.error.length <= 7 && result.error.every((sentence) => sentence.endsWith('.')))
      assert.equal(typeof parseBatch(json.value).ok, 'boolean')
    }),
  )
})

test('one sentence per field, even when two rules refuse it', () => {
  const result = read(JSON.stringify({ transferMethod: 'OMCM', phoneNumber: '+5', countryName: 'CAMEROON' }))
  assert.ok(!result.ok)
  assert.equal(result.error.filter((sentence) => sentence.startsWith('phoneNumber')).length, 1)
  assert.equal(result.error.length, 5)
})

test('a sentence with the name of a repeated field, regardless of its values; none for an unknown field', () => {
  const text = JSON.stringify(VALID)
  for (const twice of [
    text.replace('{', '{"amount":5000,'),
    text.replace('{', '{"\\u0061mount":-1,'),
    text.replace('}', ',"amount":-1}'),
  ]) {
    const result = read(twice)
    assert.deepEqual(result.ok ? [] : result.error, ['amount must not be repeated.'], twice)
  }
  for (const ignored of ['"x":1,"x":2,', '"x":{"amount":1,"amount":2},', '"__proto__":{"a":1},"__proto__":2,', '"Amount":1,'])
    assert.equal(read(text.replace('{', `{${ignored}`)).ok, true, ignored)
})

test('a sentence with the name of a field that contains NUL; none for an unknown field', () => {
  for (const field of ['transferMethod', 'customerName', 'externalId', 'phoneNumber', 'webhookUrl', 'countryName'] as const) {
    const result = read(JSON.stringify({ ...VALID, [field]: `${VALID[field]}\0` }))
    assert.ok(!result.ok && result.error.includes(`${field} must not contain NUL.`), field)
  }
  for (const ignored of [{ note: 'a\0b' }, { 'a\0': 1 }, { note: { deep: ['\0'] } }])
    assert.equal(read(JSON.stringify({ ...VALID, ...ignored })).ok, true, JSON.stringify(ignored))
})

test('a purpose, which only people enter, is an unknown field of a request', () => {
  const parsed = read(JSON.stringify({ ...VALID, purpose: 'Invoice 7' }))
  assert.ok(parsed.ok)
  assert.ok(!('purpose' in parsed.value))
})

test('externalId in lower case', () => {
  const result = read(JSON.stringify({ ...VALID, externalId: VALID.externalId.toUpperCase() }))
  assert.equal(result.ok && result.value.externalId, VALID.externalId)
})
