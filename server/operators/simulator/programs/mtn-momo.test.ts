import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import * as momo from 'mtn-momo'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { type CallbackServer, startCallbackServer } from '#server/operators/testing/connectors/callback-server.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { mtnAccountOf } from '../mtn/mtn-messages.ts'

const SECRET = 'a secret between two programs'
const HOST = '127.0.0.1'
const [COLLECTION_KEY, DISBURSEMENT_KEY] = (['collection', 'disbursement'] as const).map(
  (product) => mtnAccountOf(SECRET, product).subscriptionKey,
)

let folder: string
let simulator: Simulator
let callbacks: CallbackServer
const received: Record<string, unknown>[] = []
let collections: ReturnType<ReturnType<typeof momo.create>['Collections']>
let disbursements: ReturnType<ReturnType<typeof momo.create>['Disbursements']>
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-programs-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 20 })
  callbacks = await startCallbackServer()
  callbacks.onCallback(async ({ body }) => {
    received.push(JSON.parse(body.toString('utf8')))
    return true
  })
  const { Collections, Disbursements, Users } = momo.create({ callbackHost: HOST, baseUrl: `${simulator.url}/mtn` })
  const credentialsFor = async (primaryKey: string) => {
    const users = Users({ primaryKey })
    const userId = await users.create(HOST)
    return { userId, userSecret: (await users.login(userId)).apiKey, primaryKey }
  }
  collections = Collections(await credentialsFor(COLLECTION_KEY ?? ''))
  disbursements = Disbursements(await credentialsFor(DISBURSEMENT_KEY ?? ''))
})
after(async () => {
  await simulator.close()
  await callbacks.close()
  await rm(folder, { recursive: true, force: true })
})

const aPayment = (partyId: string) => ({
  amount: '500',
  currency: 'EUR',
  externalId: '123456',
  payerMessage: 'testing',
  payeeNote: 'hello',
  party: { partyIdType: momo.PayerType.MSISDN, partyId },
})

function requestToPay(phoneNumber: string): Promise<string> {
  const { party, ...payment } = aPayment(phoneNumber)
  return collections.requestToPay({ ...payment, payer: party, callbackUrl: `${callbacks.url}/callback` })
}

/** The program throws for what has failed, so that only the end is waited for. */
function ended<Payment extends { status: string }>(read: () => Promise<Payment>): Promise<Payment> {
  return waitUntil('the payment ends', async () => {
    const payment = await read()
    return payment.status === 'PENDING' ? undefined : payment
  })
}

test('SUCCESSFUL for a payment that the program requests, with a callback', async () => {
  const reference = await requestToPay('46733123341')
  const payment = await ended(() => collections.getTransaction(reference))
  assert.deepEqual([payment.status, payment.amount, payment.payer.partyId], ['SUCCESSFUL', '500', '46733123341'])
  assert.match(payment.financialTransactionId, /^\d+$/)
  const callback = await waitUntil('the callback arrives', () => received[0])
  assert.deepEqual([callback['status'], callback['externalId']], ['SUCCESSFUL', '123456'])
})

for (const [digits, name] of [
  ['901', 'NotEnoughFundsError'],
  ['903', 'ApprovalRejectedError'],
  ['905', 'PayerNotFoundError'],
] as const) {
  test(`${name} in the program for a payment of ${digits}`, async () => {
    const reference = await requestToPay(`46733123${digits}`)
    await assert.rejects(
      ended(() => collections.getTransaction(reference)),
      { name },
    )
  })
}

test('SUCCESSFUL for a transfer, and ResourceAlreadyExistError for its reference a second time', async () => {
  const { party, ...payment } = aPayment('46733123341')
  const transfer = { ...payment, payee: party, referenceId: randomUUID() }
  const reference = await disbursements.transfer(transfer)
  assert.equal((await ended(() => disbursements.getTransaction(reference))).status, 'SUCCESSFUL')
  await assert.rejects(disbursements.transfer(transfer), { name: 'ResourceAlreadyExistError' })
})

test('a balance for each product, and whether an account is active', async () => {
  for (const product of [collections, disbursements]) {
    const { availableBalance, currency } = await product.getBalance()
    // Includes the collects and deposits of the other tests.
    assert.match(availableBalance, /^1\d{8}$|^9{2}\d{6}$/)
    assert.equal(currency, 'EUR')
  }
  assert.equal(await disbursements.isPayerActive('46733123341'), true)
  // The program writes the kind of number in capitals here, and in small letters above.
  assert.deepEqual(await collections.isPayerActive('46733123905'), { result: false })
})

for (const [what, change, name] of [
  ['a currency that the sandbox does not have', { currency: 'XAF' }, 'InvalidCurrencyError'],
  ['a callback at another host', { callbackUrl: 'https://elsewhere.example/callback' }, 'InvalidCallbackUrlHostError'],
] as const) {
  test(`${name} in the program for ${what}`, async () => {
    const { party, ...payment } = aPayment('46733123341')
    await assert.rejects(collections.requestToPay({ ...payment, payer: party, ...change }), { name })
  })
}

test('ResourceNotFoundError in the program for an unused reference', async () => {
  await assert.rejects(collections.getTransaction(randomUUID()), { name: 'ResourceNotFoundError' })
})
