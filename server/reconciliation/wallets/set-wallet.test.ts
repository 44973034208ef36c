import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOfWallet } from './set-wallet.ts'

const settings = {
  number: '237677000000',
  zone: 'Africa/Douala',
  cutoffMinute: 90,
  feePpm: 5_000,
  feeFixedMinor: 2_500n,
  feeRounding: 'half_up' as const,
  feeTaxPpm: 192_500,
  feeForm: 'netted' as const,
  openingDay: '2026-03-01',
  openingMinor: -9_007_199_254_740_993n,
}

test('every setting of a wallet by the name that people read, amounts digit for digit, and null for what is not set', () => {
  assert.deepEqual(factsOfWallet(settings), {
    walletNumber: '237677000000',
    timeZone: 'Africa/Douala',
    cutoffMinute: 90,
    operatorFeePpm: 5_000,
    operatorFeeFixedMinor: '2500',
    operatorFeeTaxPpm: 192_500,
    operatorFeeRounding: 'half_up',
    operatorFeeForm: 'netted',
    openingDay: '2026-03-01',
    openingMinor: '-9007199254740993',
  })
  const unset = { ...settings, number: null, feePpm: null, feeFixedMinor: null, openingDay: null, openingMinor: null }
  const { walletNumber, operatorFeePpm, operatorFeeFixedMinor, openingDay, openingMinor } = factsOfWallet(unset)
  assert.deepEqual([walletNumber, operatorFeePpm, operatorFeeFixedMinor, openingDay, openingMinor], [null, null, null, null, null])
})
