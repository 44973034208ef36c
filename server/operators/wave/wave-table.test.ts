import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { TABLE_ROWS } from '#server/operators/testing/table-rows.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'

const CODES = [
  ['CIWAVE', '2250701020'],
  ['SNWAVE', '221772093'],
] as const

for (const hasNoCallbacks of [false, true]) {
  describe(hasNoCallbacks ? 'without callbacks' : 'with callbacks', () => {
    let harness: OperatorHarness
    /** All at once: what is never answered costs every test its deadline otherwise. */
    const made = new Map<string, Promise<IntakeItem>[]>()
    before(async () => {
      // Longer deadlines than usual: with so many at once, a busy machine must not make answers late.
      const dispatcher = { absenceMs: 500, leaseMs: 10_000 }
      harness = await OperatorHarness.open({ usesOwnProtocols: true, hasNoCallbacks, callTimeoutMs: 2_000, dispatcher })
      harness.startDispatcher()
      for (const [operator, numbers] of CODES) {
        for (const type of ['COLLECT', 'DEPOSIT'] as const) {
          const items = TABLE_ROWS.map(([digits]) => harness.make({ operator, type, phoneNumber: `${numbers}${digits}` }))
          made.set(`${operator} ${type}`, items)
        }
      }
      await Promise.all([...made.values()].flat())
    })
    after(() => harness.close())

    for (const [operator] of CODES) {
      for (const type of ['COLLECT', 'DEPOSIT'] as const) {
        test(`every row of the table through Wave's protocol, a ${type} at ${operator}: result, message and reference`, async () => {
          const items = await Promise.all(made.get(`${operator} ${type}`) ?? [])
          assert.equal(items.length, TABLE_ROWS.length)
          for (const [index, item] of items.entries()) {
            const [digits, status, message] = TABLE_ROWS[index] ?? assert.fail()
            const transaction = await harness.untilFinal(item)
            assert.deepEqual([digits, transaction.status, transaction.message], [digits, status, message])
            if (status === 'SUCCESS') assert.match(transaction.operatorReference ?? '', type === 'COLLECT' ? /^T[0-9A-F]{10}$/ : /^pt-/)
          }
        })
      }
    }

    test('equal books on both sides', () => harness.compareBooks())

    test('PENDING, with the link of the customer, for 912', async () => {
      const item = await harness.make({ operator: 'SNWAVE', type: 'COLLECT', phoneNumber: '221772093912' })
      const work = await waitUntil('the link is stored', async () => {
        const found = await harness.workOf(item)
        return found?.['customer_link'] ? found : undefined
      })
      assert.match(String(work['customer_link']), /^http:\/\/127\.0\.0\.1:\d+\/wave\/c\/cos-[0-9a-f]{16}$/)
      assert.equal((await harness.read(item)).status, 'PENDING')
    })

    if (hasNoCallbacks) return
    test('verified webhooks reach their transactions', () => {
      assert.ok(harness.callbacks > 10)
      assert.equal(harness.callbackOutcomes.includes('unverified') || harness.callbackOutcomes.includes('malformed'), false)
    })
  })
}
