import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { anMtnSubmission } from './mtn-testing.ts'

const CODES = [
  ['MOMOCM', '237677209'],
  ['BJMTN', '2290196123'],
  ['UGMTN', '256772123'],
] as const

const ROWS = [
  ['341', 'SUCCESS', 'Transaction réussie'],
  ['901', 'FAILED', 'Solde insuffisant'],
  ['902', 'FAILED', 'Numéro invalide'],
  ['903', 'FAILED', 'Transaction annulée par le client'],
  ['904', 'FAILED', 'Timeout opérateur'],
  ['905', 'FAILED', 'Compte non inscrit'],
  ['906', 'SUCCESS', 'Transaction réussie'],
  ['907', 'SUCCESS', 'Transaction réussie'],
  ['908', 'FAILED', 'Timeout opérateur'],
  ['909', 'SUCCESS', 'Transaction réussie'],
  ['910', 'SUCCESS', 'Transaction réussie'],
  ['911', 'SUCCESS', 'Transaction réussie'],
  ['913', 'FAILED', 'Transaction annulée par le client'],
  ['914', 'SUCCESS', 'Transaction réussie'],
] as const

let harness: OperatorHarness
before(async () => {
  // Longer deadlines than usual: with so many at once, a busy machine must not make answers late.
  harness = await OperatorHarness.open({ usesOwnProtocols: true, callTimeoutMs: 2_000, dispatcher: { absenceMs: 500, leaseMs: 10_000 } })
  harness.startDispatcher()
})
after(() => harness.close())

for (const [operator, numbers] of CODES) {
  for (const type of ['COLLECT', 'DEPOSIT'] as const) {
    test(`every row of the table through MTN's protocol, a ${type} at ${operator}: result, message and books`, async () => {
      const items = await Promise.all(
        ROWS.map(([digits]) =>
          harness.make({ operator, type, phoneNumber: `${numbers}${digits}`, transactionId: anMtnSubmission().reference }),
        ),
      )
      for (const [index, item] of items.entries()) {
        const [digits, status, message] = ROWS[index] ?? assert.fail()
        const transaction = await harness.untilFinal(item)
        assert.deepEqual([digits, transaction.status, transaction.message], [digits, status, message])
        if (status === 'SUCCESS') assert.match(transaction.operatorReference ?? '', /^\d{12}$/)
      }
      await harness.compareBooks()
    })
  }
}

test('PENDING for 912, which MTN leaves open', async () => {
  const item = await harness.make({ operator: 'MOMOCM', phoneNumber: '237677209912' })
  await waitUntil(
    'three queries',
    async () => (await harness.attemptsOf(item)).filter((attempt) => attempt === 'query pending').length >= 3,
  )
  assert.equal((await harness.read(item)).status, 'PENDING')
})

test("the operator's own code in the event of a failed transaction", async () => {
  const item = await harness.make({ operator: 'MOMOCM', type: 'COLLECT', phoneNumber: '237677209903' })
  await harness.untilFinal(item)
  const { rows } = await harness.database.pool.query(
    "select reason from transaction_events where application_id = $1 and transaction_id = $2 and event = 'failed'",
    [item.applicationId, item.transactionId],
  )
  assert.deepEqual(rows, [{ reason: 'APPROVAL_REJECTED' }])
})
