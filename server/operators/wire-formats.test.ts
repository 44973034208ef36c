import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AMOUNT_MINOR_MAX, formatMinor } from '#lib/money/money.ts'
import { jsonAmount } from './wire-formats.ts'

/** Fifteen digits, below 2^53. */
const LARGEST_MINOR = 10n ** 15n - 1n

test('the exact decimal in the JSON of every amount of up to fifteen digits', () => {
  const isExact = (amountMinor: bigint) => assert.equal(JSON.stringify(jsonAmount(amountMinor)), formatMinor(amountMinor))
  for (const amountMinor of [0n, 1n, 10n, 10_050n, AMOUNT_MINOR_MAX, LARGEST_MINOR - 1n, LARGEST_MINOR]) isExact(amountMinor)
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: LARGEST_MINOR }), isExact), { numRuns: 2_000 })
})

test('an error for more digits, and below zero', () => {
  for (const amountMinor of [LARGEST_MINOR + 1n, -1n]) assert.throws(() => jsonAmount(amountMinor), RangeError)
})
