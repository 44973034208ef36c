import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { simulatedOrangeWeb } from '#server/operators/simulator/simulated-operators.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { TABLE_ROWS } from '#server/operators/testing/table-rows.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'

/** Orange gives no reason for a failure, and who turns back lets the page expire. */
const MESSAGES: Readonly<Record<string, string>> = {
  '901': 'Transaction refusée',
  '902': 'Transaction refusée',
  '903': 'Timeout opérateur',
  '905': 'Transaction refusée',
  '907': 'Transaction réussie',
  '913': 'Timeout opérateur',
}

for (const hasNoCallbacks of [false, true]) {
  describe(hasNoCallbacks ? 'without callbacks' : 'with callbacks', () => {
    let harness: OperatorHarness
    let items: IntakeItem[]
    before(async () => {
      const dispatcher = { absenceMs: 300, leaseMs: 10_000 }
      harness = await OperatorHarness.open({
        usesOwnProtocols: true,
        settings: simulatedOrangeWeb,
        hasNoCallbacks,
        callTimeoutMs: 2_000,
        dispatcher,
      })
      harness.startDispatcher()
      const make = ([digits]: (typeof TABLE_ROWS)[number]) =>
        harness.make({ operator: 'CIOM', type: 'COLLECT', phoneNumber: `2250701020${digits}` })
      items = await Promise.all(TABLE_ROWS.map(make))
    })
    after(() => harness.close())

    test('every row of the table through Orange Web Payment: result, and a message where Orange has one', async () => {
      for (const [index, item] of items.entries()) {
        const [digits, status, message] = TABLE_ROWS[index] ?? assert.fail()
        const transaction = await harness.untilFinal(item)
        assert.deepEqual([digits, transaction.status, transaction.message], [digits, status, MESSAGES[digits] ?? message])
        if (status === 'SUCCESS') assert.match(transaction.operatorReference ?? '', /^MP260301\./)
      }
      await harness.compareBooks()
    })

    test('a deposit through the gateway protocol', async () => {
      const item = await harness.make({ operator: 'CIOM', type: 'DEPOSIT', phoneNumber: '2250701020341' })
      assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
    })

    test('PENDING, with the link of the customer, for 912', async () => {
      const item = await harness.make({ operator: 'CIOM', type: 'COLLECT', phoneNumber: '2250701020912' })
      const work = await waitUntil('the link is stored', async () => {
        const found = await harness.workOf(item)
        return found?.['customer_link'] && found['state'] === 'submitted' ? found : undefined
      })
      assert.match(String(work['customer_link']), /\/orange-web\/pay\/[0-9a-f]{64}$/)
      assert.equal(String(work['customer_link']).endsWith(String(work['operator_token'])), true)
    })
  })
}
