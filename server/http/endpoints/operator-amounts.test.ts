import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { operatorStatusSchema } from '#lib/schemas/api/operator-responses.ts'
import { codedErrorSchema, errorSchema } from '#lib/schemas/api/responses.ts'
import { setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { anIntakeItem, fund } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'
import { OPERATORS_PATH } from './v2/operators.ts'

let harness: HttpHarness
before(async () => {
  const amounts = { collectMaximum: 10_000, depositMinimum: 100, depositMaximum: 500_000, depositMultipleOf: 5 }
  harness = await openHttpHarness({ amounts: [{ operator: 'MOMOCM', protocol: 'amounts', document: amounts }] })
  await fund(harness.database.pool, harness.partner.applicationId, 'MOMOCM', 100_000_000n)
})
after(() => harness.close())

async function answerOf(path: string, body: unknown): Promise<string> {
  const response = await fetch(harness.baseUrl + path, { method: 'POST', headers: harness.headers, body: JSON.stringify(body) })
  return response.ok
    ? '200'
    : `${response.status} ${(path.startsWith('/api/v2') ? codedErrorSchema : errorSchema).parse(await response.json()).message}`
}

const deposit = (amount: number) => answerOf('/api/v1/transaction/deposit', aPayment(amount))
const aPayment = (amount: number) => aCollect({ transferMethod: 'MOMOCM', phoneNumber: '237677209341', amount })

const ALLOWED = 'amount must be from 100 to 500000 and a multiple of 5 for DEPOSIT with MOMOCM.'

test('400 with what is allowed for an amount that the settings of the operator exclude, although the application enforces nothing', async () => {
  for (const amount of [95, 102, 100.5, 500_005]) assert.equal(await deposit(amount), `400 ${ALLOWED}`, String(amount))
  for (const amount of [100, 105]) assert.equal(await deposit(amount), '200', String(amount))
  assert.equal(await answerOf('/api/v1/transaction/collect', aPayment(102)), '200')
  assert.equal(
    await answerOf('/api/v1/transaction/collect', aPayment(10_001)),
    '400 amount must be from 0.01 to 10000 for COLLECT with MOMOCM.',
  )
  assert.equal(await answerOf('/api/v1/transaction/depositMultiple', [aPayment(100), aPayment(101)]), `400 [1] ${ALLOWED}`)
})

test('400 for the refund of a collect in a part that is no multiple, with what the customer would receive', async () => {
  const item = anIntakeItem(harness.partner.applicationId, { type: 'COLLECT' })
  await takeIn(harness.database.pool, [item])
  const { applicationId, transactionId } = item
  await transition(harness.database.pool, [{ applicationId, transactionId, event: 'succeeded', actor: SYSTEM_ACTOR }])
  const refund = (amount: number) => answerOf(`/api/v2/transactions/${transactionId}/refunds`, { externalId: randomUUID(), amount })
  assert.equal(await refund(102), `400 ${ALLOWED} The customer would receive 102.`)
  assert.equal(await refund(105), '200')
})

test('200 with the strictest limits of operator and application', async () => {
  const { applicationId } = harness.partner
  const service = { isEnabled: true, enforcesLimits: true, minimumMinor: 201_00n, maximumMinor: 1_000_000_00n }
  must(
    await setTransferService(harness.database.pool, { applicationId, operator: 'MOMOCM', type: 'DEPOSIT', service, actor: SYSTEM_ACTOR }),
  )
  await harness.directory.refresh()
  const response = await fetch(harness.baseUrl + OPERATORS_PATH, { headers: harness.headers })
  const listed = operatorStatusSchema.array().parse(await response.json())
  const momo = listed.find(({ transferMethod }) => transferMethod === 'MOMOCM') ?? assert.fail()
  const shown = ({ minimumAmount, maximumAmount, amountMultiple, enforcesLimits }: typeof momo.deposit) => [
    minimumAmount,
    maximumAmount,
    amountMultiple,
    enforcesLimits,
  ]
  assert.deepEqual(shown(momo.deposit), [205, 500_000, 5, true])
  assert.deepEqual(shown(momo.collect), [0.01, 10_000, null, true])
  assert.equal(await deposit(200), '400 amount must be from 205 to 500000 and a multiple of 5 for DEPOSIT with MOMOCM.')
  assert.equal(await deposit(205), '200')
})
