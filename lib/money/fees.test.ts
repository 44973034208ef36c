import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { collectCredit, computeFees, DEFAULT_FEE_SCHEDULE, type FeeSchedule, refundAfterFees, smallestCollect } from './fees.ts'

const schedule: fc.Arbitrary<FeeSchedule> = fc
  .record({
    systemRatePpm: fc.constantFrom(0, 1, 10_000, 25_000, 333_333, 600_000),
    systemFixedMinor: fc.bigInt({ min: 0n, max: 200_000n }),
    appRatePpm: fc.constantFrom(0, 5_000, 100_000, 300_000, 399_000),
    appFixedMinor: fc.bigInt({ min: 0n, max: 200_000n }),
  })
  .filter((one) => one.systemRatePpm + one.appRatePpm < 1_000_000)

test('1 hundredth is the smallest collect of the default schedule', () => {
  assert.equal(smallestCollect(DEFAULT_FEE_SCHEDULE, 'XAF'), 1n)
})

test('the smallest collect of fixed fees is the first amount above them', () => {
  const fixed = { ...DEFAULT_FEE_SCHEDULE, systemRatePpm: 0, appRatePpm: 0, systemFixedMinor: 50_000n, appFixedMinor: 100n }
  assert.equal(smallestCollect(fixed, 'XAF'), 50_101n)
  assert.equal(collectCredit(50_100n, computeFees(50_100n, 'XAF', fixed)), 0n)
})

test('a credit above zero from the smallest collect on, and none for the amount below it', () => {
  fc.assert(
    fc.property(schedule, fc.bigInt({ min: 0n, max: 5_000n }), (one, more) => {
      const smallest = smallestCollect(one, 'XOF')
      const credit = (amountMinor: bigint) => collectCredit(amountMinor, computeFees(amountMinor, 'XOF', one))
      assert.ok(credit(smallest + more) > 0n)
      assert.ok(smallest === 1n || credit(smallest - 1n) <= 0n)
    }),
    { numRuns: 2_000 },
  )
})

test('a smallest collect also for a schedule that takes nearly everything', () => {
  for (const systemRatePpm of [999_001, 999_500, 999_999]) {
    const greedy = { systemRatePpm, systemFixedMinor: 999_999_999_999n, appRatePpm: 0, appFixedMinor: 999_999_999_999n }
    const enough = smallestCollect(greedy, 'UGX')
    for (let more = 0n; more < 1_000n; more++) assert.ok(collectCredit(enough + more, computeFees(enough + more, 'UGX', greedy)) > 0n)
  }
})

test('the refund after fees is the largest one that the amount covers, and zero if the fees take everything', () => {
  assert.equal(refundAfterFees(500_000n, 'XAF', DEFAULT_FEE_SCHEDULE), 492_600n)
  assert.equal(refundAfterFees(10_050n, 'XAF', DEFAULT_FEE_SCHEDULE), 9_950n)
  assert.equal(refundAfterFees(100n, 'XAF', { ...DEFAULT_FEE_SCHEDULE, systemFixedMinor: 5_000n }), 0n)
  const schedule = fc.record({
    systemRatePpm: fc.integer({ min: 0, max: 400_000 }),
    systemFixedMinor: fc.bigInt({ min: 0n, max: 50_000n }),
    appRatePpm: fc.integer({ min: 0, max: 400_000 }),
    appFixedMinor: fc.bigInt({ min: 0n, max: 50_000n }),
  })
  fc.assert(
    fc.property(schedule, fc.bigInt({ min: 1n, max: 99_999_999n }), (fees, amountMinor) => {
      const cost = (depositMinor: bigint): bigint => {
        const { feeSystemMinor, feeAppMinor } = computeFees(depositMinor, 'XAF', fees)
        return depositMinor + feeSystemMinor + feeAppMinor
      }
      const unitMinor = amountMinor % 100n === 0n ? 100n : 1n
      const refundMinor = refundAfterFees(amountMinor, 'XAF', fees)
      if (refundMinor > 0n) assert.ok(cost(refundMinor) <= amountMinor)
      assert.ok(cost(refundMinor + unitMinor) > amountMinor)
    }),
  )
})
