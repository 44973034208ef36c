import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf } from './guard-connector.ts'

const ours = { operator: 'UGAIRTEL', amountMinor: 500_000n, currency: 'UGX', phoneNumber: '256701234567' } as const
const benin = { operator: 'BJMOOV', amountMinor: 500_000n, currency: 'XOF', phoneNumber: '2290195000111' } as const

test('no difference for what an operator does not report, and for a number in any spelling', () => {
  assert.equal(differenceOf(ours, {}), undefined)
  assert.equal(differenceOf(ours, { amountMinor: 500_000n, currency: 'UGX' }), undefined)
  for (const phoneNumber of ['256701234567', '+256 701 234567', '00256701234567', '701234567', '0701234567'])
    assert.equal(differenceOf(ours, { phoneNumber }), undefined, phoneNumber)
  for (const phoneNumber of ['2290195000111', '0195000111', '22995000111', '95000111'])
    assert.equal(differenceOf(benin, { phoneNumber }), undefined, phoneNumber)
})

test('a sentence about the first difference: amount, currency, then number', () => {
  assert.equal(
    differenceOf(ours, { amountMinor: 500_001n, currency: 'EUR' }),
    'The operator reports another amount: 5000.01 instead of 5000',
  )
  assert.equal(differenceOf(ours, { currency: 'EUR' }), 'The operator reports another currency: EUR instead of UGX')
  for (const phoneNumber of ['256701234568', '701234568', '1234567', '', '2567012345670', '22901701234567', '25670****567'])
    assert.equal(differenceOf(ours, { phoneNumber }), 'The operator reports another phone number', phoneNumber)
})
