import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createRandom } from '#lib/seeded-random.ts'
import type { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { FAULTS_OF_SUBMISSIONS } from './call-faults.ts'
import { type Disturbed, openDisturbed } from './disturbed-harness.ts'

let disturbed: Disturbed | undefined
afterEach(() => disturbed?.close())

/** Every protocol in which the operator knows a submission again by its reference. */
const TRANSFERS: readonly (readonly [OperatorCode, TransactionType])[] = [
  ['MOMOCM', 'COLLECT'],
  ['MOMOCM', 'DEPOSIT'],
  ['UGAIRTEL', 'COLLECT'],
  ['UGAIRTEL', 'DEPOSIT'],
  ['OMCM', 'COLLECT'],
  ['OMCM', 'DEPOSIT'],
  ['BJMOOV', 'COLLECT'],
  ['BJMOOV', 'DEPOSIT'],
  ['SNWAVE', 'DEPOSIT'],
  ['SNFREE', 'COLLECT'],
]
const ROWS = [
  ['341', 'SUCCESS'],
  ['901', 'FAILED'],
] as const

async function untilSettled(harness: OperatorHarness, items: readonly IntakeItem[]): Promise<string[]> {
  const ends: string[] = []
  for (const item of items) {
    const { status, message } = await harness.untilFinal(item)
    ends.push(`${item.operator} ${item.type} ${item.phoneNumber.slice(-3)} ${status} ${message}`)
  }
  await waitUntil('everything that was taken has ended', async () =>
    [...(await harness.books()).values()].every(({ status }) => status !== 'PENDING'),
  )
  return ends
}

for (const [name, fault] of Object.entries(FAULTS_OF_SUBMISSIONS)) {
  test(`executed once, and FAILED only if it was not executed, at every operator: a submission is ${name}`, async () => {
    disturbed = await openDisturbed({ first: fault })
    const { harness, repetitions } = disturbed
    const random = createRandom(4)
    const orders = TRANSFERS.flatMap(([operator, type]) =>
      ROWS.map(([digits, status]) => ({ operator, type, status, phoneNumber: phoneNumberOf(operator, random, digits) })),
    )
    const items = await Promise.all(orders.map(({ status: _, ...order }) => harness.make(order)))
    harness.startDispatcher()
    const ends = await untilSettled(harness, items)
    assert.deepEqual(
      ends.map((end) => end.split(' ').slice(0, 4).join(' ')),
      orders.map(({ operator, type, status, phoneNumber }) => `${operator} ${type} ${phoneNumber.slice(-3)} ${status}`),
    )
    await harness.compareBooks((entry) => repetitions.causedFor(entry))
  })
}
