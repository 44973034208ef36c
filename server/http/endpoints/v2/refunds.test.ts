import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codedErrorSchema } from '#lib/schemas/api/responses.ts'
import { listedTransactionSchema, refundListSchema, transactionListSchema } from '#lib/schemas/api/transaction-responses.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { anIntakeItem, fund } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { UnansweredStarts } from '#server/transactions/unanswered-starts.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
  await fund(harness.database.pool, harness.partner.applicationId, 'MOMOCM', 100_000_000n)
})
after(() => harness.close())

const refundsOf = (id: string) => `${harness.baseUrl}/api/v2/transactions/${id}/refunds`
const post = (id: string, body: unknown) =>
  fetch(refundsOf(id), { method: 'POST', headers: { ...harness.headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
const list = async (id: string) => refundListSchema.parse(await (await fetch(refundsOf(id), { headers: harness.headers })).json())

async function aCollect(event: 'succeeded' | 'failed' = 'succeeded', overrides = {}): Promise<string> {
  const { applicationId } = harness.partner
  const item = anIntakeItem(applicationId, { type: 'COLLECT', ...overrides })
  await takeIn(harness.database.pool, [item])
  await transition(harness.database.pool, [{ applicationId, transactionId: item.transactionId, event, actor: SYSTEM_ACTOR }])
  return item.transactionId
}

async function messageOf(response: Response): Promise<string> {
  const { message } = codedErrorSchema.parse(await response.json())
  return `${response.status} ${message}`
}

test('200 with the refund, the same one again, and 400 for more than is left', async () => {
  const id = await aCollect()
  const body = { externalId: randomUUID(), amount: 2000 }
  const first = await post(id, body)
  assert.equal(first.status, 200)
  const refund = listedTransactionSchema.parse(await first.json())
  assert.deepEqual(
    [refund.transactionType, refund.amount, refund.refundOf, refund.phoneNumber, refund.externalId],
    ['DEPOSIT', 2000, id, '237677209341', body.externalId],
  )
  assert.equal(listedTransactionSchema.parse(await (await post(id.toUpperCase(), body)).json()).transactionId, refund.transactionId)
  assert.equal(
    await messageOf(await post(id, { externalId: randomUUID(), amount: 3000.01 })),
    '400 amount must be at most 3000: this is left of the collect.',
  )
  assert.deepEqual(await list(id), { refunds: [refund], refundedAmount: 2000, remainingAmount: 3000 })
  assert.equal((await post(id, { externalId: randomUUID() })).status, 200)
  const rest = await list(id)
  assert.deepEqual([rest.refunds.map(({ amount }) => amount), rest.remainingAmount], [[2000, 3000], 0])
  const found = await fetch(`${harness.baseUrl}/api/v2/transactions?limit=10`, { headers: harness.headers })
  const { transactions } = transactionListSchema.parse(await found.json())
  assert.equal(transactions.find(({ transactionId }) => transactionId === id)?.refundedAmount, 5000)
})

test('200 with a refund whose webhook was kept back until its answer was read', async () => {
  const { runtime } = harness
  const { unansweredStarts } = runtime
  const keptBack: string[] = []
  runtime.unansweredStarts = new (class extends UnansweredStarts {
    override async during<Value>(ids: readonly string[], work: () => Promise<Value>): Promise<Value> {
      const answer = await super.during(ids, work)
      keptBack.push(...ids)
      return answer
    }
  })()
  try {
    const response = await post(await aCollect(), { externalId: randomUUID(), amount: 100 })
    const { transactionId } = listedTransactionSchema.parse(await response.json())
    assert.deepEqual(keptBack, [transactionId])
  } finally {
    runtime.unansweredStarts = unansweredStarts
  }
})

test('one refund for two equal requests at once', async () => {
  const id = await aCollect()
  const body = { externalId: randomUUID() }
  const both = await Promise.all([post(id, body), post(id, body)])
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  assert.equal((await list(id)).refunds.length, 1)
})

test('400 for what cannot be refunded and for wrong fields, with a sentence for each', async () => {
  const externalId = randomUUID()
  assert.match(await messageOf(await post(await aCollect('failed'), { externalId })), /^400 The collect must be SUCCESS/)
  const id = await aCollect()
  assert.match(await messageOf(await post(id, {})), /^400 externalId must be there|^400 externalId/)
  for (const amount of [0, -1, '5', 1.001, null])
    assert.match(await messageOf(await post(id, { externalId, amount })), /^400 amount must be a number/)
  assert.match(await messageOf(await post(id, { externalId, webhookUrl: 'ftp://x' })), /^400 webhookUrl must be/)
  assert.match(await messageOf(await post(id, [])), /^400 The body must be a JSON object/)
  const silent = await aCollect('succeeded', { source: 'person', webhookUrl: null, actor: { kind: 'person', id: randomUUID() } })
  assert.match(await messageOf(await post(silent, { externalId })), /^400 webhookUrl must be there/)
  assert.deepEqual((await list(id)).refunds, [])
})

test('404 for what is no transaction of the application, 401 without credentials, 405 with both methods for PUT', async () => {
  const id = await aCollect()
  const body = { externalId: randomUUID() }
  assert.deepEqual([(await post(randomUUID(), body)).status, (await post('x', body)).status], [404, 404])
  assert.equal((await fetch(refundsOf(randomUUID()), { headers: harness.headers })).status, 404)
  assert.equal((await fetch(refundsOf(id))).status, 401)
  const put = await fetch(refundsOf(id), { method: 'PUT', headers: harness.headers })
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, POST'])
})
