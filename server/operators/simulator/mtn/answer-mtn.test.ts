import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type MtnSimulatorProduct, mtnAccountOf } from './mtn-messages.ts'

const SECRET = 'secret of the simulator'

let folder: string
let simulator: Simulator
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-mtn-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 0 })
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

async function tokenOf(product: MtnSimulatorProduct): Promise<string> {
  const { apiUser, apiKey, subscriptionKey } = mtnAccountOf(SECRET, product)
  const answer = await fetch(`${simulator.url}/mtn/${product}/token/`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}`,
      'ocp-apim-subscription-key': subscriptionKey,
    },
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

async function call(product: MtnSimulatorProduct, place: string, body?: object, reference = ''): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${simulator.url}/mtn/${product}/${place}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${await tokenOf(product)}`,
      'ocp-apim-subscription-key': mtnAccountOf(SECRET, product).subscriptionKey,
      'x-target-environment': 'mtncameroon',
      'x-reference-id': reference,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}
type Body = Record<string, unknown>

const messages = { payerMessage: 'Order 4711', payeeNote: 'From Clarisse' }

async function requestToPay(partyId: string): Promise<{ reference: string; ended: Body }> {
  const reference = randomUUID()
  const payment = { amount: '500', currency: 'XAF', externalId: 'x', payer: { partyIdType: 'MSISDN', partyId }, ...messages }
  assert.equal((await call('collection', 'v1_0/requesttopay', payment, reference)).status, 202)
  const ended = await waitUntil('the payment ends', async () => {
    const { body } = await call('collection', `v1_0/requesttopay/${reference}`)
    return body['status'] !== 'PENDING' && body
  })
  return { reference, ended }
}

async function refund(referenceIdToRefund: string, amount: string): Promise<{ reference: string; status: number; ended: Body }> {
  const reference = randomUUID()
  const order = { amount, currency: 'XAF', externalId: 'r', referenceIdToRefund, ...messages }
  const { status } = await call('disbursement', 'v1_0/refund', order, reference)
  return { reference, status, ended: (await call('disbursement', `v1_0/refund/${reference}`)).body }
}

test('payerMessage and payeeNote of a payment in the answer to a query, as they came', async () => {
  const { ended } = await requestToPay('237677209341')
  assert.deepEqual({ payerMessage: ended['payerMessage'], payeeNote: ended['payeeNote'] }, messages)
})

test('a reason as an object where the digit before the ending is even, and as text where it is odd', async () => {
  assert.deepEqual((await requestToPay('237677208901')).ended['reason'], { code: 'NOT_ENOUGH_FUNDS', message: 'Transaction failed' })
  assert.equal((await requestToPay('237677209901')).ended['reason'], 'NOT_ENOUGH_FUNDS')
})

test('202 for refunds, which move the money back up to the amount that was paid, and FAILED beyond it', async () => {
  const { reference } = await requestToPay('237677209341')
  const balance = async () => Number((await call('disbursement', 'v1_0/account/balance')).body['availableBalance'])
  const before = await balance()
  const [part, rest, more] = [await refund(reference, '200'), await refund(reference, '300'), await refund(reference, '1')]
  assert.deepEqual([part.status, part.ended['status'], part.ended['payerMessage']], [202, 'SUCCESSFUL', messages.payerMessage])
  assert.equal(rest.ended['status'], 'SUCCESSFUL')
  assert.deepEqual([more.status, more.ended['status']], [202, 'FAILED'])
  assert.equal(await balance(), before - 500)
})

test('409 for a refund under a reference that was used, and nothing moves; 404 for an unknown one', async () => {
  const { reference } = await requestToPay('237677209341')
  const first = await refund(reference, '100')
  const again = { amount: '100', currency: 'XAF', externalId: 'r', referenceIdToRefund: reference }
  assert.equal((await call('disbursement', 'v1_0/refund', again, first.reference)).status, 409)
  assert.equal((await call('disbursement', `v1_0/refund/${randomUUID()}`)).status, 404)
})
