import assert from 'node:assert/strict'
import { constants, publicEncrypt, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { airtelAccountOf } from './airtel-messages.ts'

const SECRET = 'secret of the simulator'
const account = airtelAccountOf(SECRET)

let folder: string
let simulator: Simulator
let token = ''
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-airtel-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 0 })
  const { body } = await call('/auth/oauth2/token', {
    client_id: account.clientId,
    client_secret: account.clientSecret,
    grant_type: 'client_credentials',
  })
  token = String(body['access_token'])
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

type Fields = Record<string, unknown>
type Body = Fields & { status?: Fields; data?: { transaction?: Fields; key?: string; balance?: string } }

async function call(place: string, sent?: object): Promise<{ http: number; body: Body }> {
  const answer = await fetch(`${simulator.url}/airtel${place}`, {
    method: sent ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', 'x-country': 'UG', 'x-currency': 'UGX', authorization: `Bearer ${token}` },
    ...(sent && { body: JSON.stringify(sent) }),
  })
  return { http: answer.status, body: (await answer.json()) as Body }
}

const anId = () => randomBytes(12).toString('hex')

const collect = (id: string, msisdn = '702123341') =>
  call('/merchant/v1/payments/', {
    reference: 'Order 4711',
    subscriber: { country: 'UG', currency: 'UGX', msisdn },
    transaction: { amount: 500, country: 'UG', currency: 'UGX', id },
  })

async function payOut(id: string, pin: string): Promise<{ http: number; body: Body }> {
  const { body } = await call('/v1/rsa/encryption-keys')
  const key = `-----BEGIN PUBLIC KEY-----\n${body.data?.key}\n-----END PUBLIC KEY-----`
  const sealed = publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(pin)).toString('base64')
  return sendPayOut(id, sealed)
}

const sendPayOut = (id: string, pin: string) =>
  call('/standard/v1/disbursements/', { payee: { msisdn: '702123341' }, reference: 'Order 4711', pin, transaction: { amount: 500, id } })

const refusalOf = ({ http, body }: { http: number; body: Body }) => [
  http,
  body.status?.['code'],
  body.status?.['success'],
  body.status?.['response_code'],
  body.status?.['result_code'],
  body.status?.['message'],
]

test('HTTP 200 with code 400 for refusals: a wrong PIN and one sealed with another key are DP00900001013', async () => {
  const expected = [200, '400', false, 'DP00900001013', undefined, 'Incorrect Encrypted Pin']
  assert.deepEqual(refusalOf(await payOut(anId(), '0000')), expected)
  assert.deepEqual(refusalOf(await sendPayOut(anId(), randomBytes(256).toString('base64'))), expected)
})

test('ESB000041 for a payment, and DP00900001011 for a payout, whose id was used before', async () => {
  const [paymentId, payoutId] = [anId(), anId()]
  await collect(paymentId)
  await payOut(payoutId, account.pin)
  assert.deepEqual(refusalOf(await collect(paymentId)), [
    200,
    '400',
    false,
    undefined,
    'ESB000041',
    'External Transaction ID already exists.',
  ])
  assert.deepEqual(refusalOf(await payOut(payoutId, account.pin)), [200, '400', false, 'DP00900001011', '521050', 'Duplicate exttRID'])
})

test('a refund moves the whole payment back, once, and one of a payment that does not exist is refused', async () => {
  const balance = async () => (await call('/standard/v2/users/balance?type=COLL')).body.data?.balance
  const id = anId()
  const before = await balance()
  await collect(id)
  const moneyId = await waitUntil('the payment ends', async () => {
    const { body } = await call(`/standard/v1/payments/${id}`)
    return body.data?.transaction?.['airtel_money_id']
  })
  const refund = (airtelMoneyId: unknown) => call('/standard/v1/payments/refund', { transaction: { airtel_money_id: airtelMoneyId } })
  assert.deepEqual((await refund(moneyId)).body.data?.transaction, { airtel_money_id: moneyId, status: 'SUCCESS' })
  assert.equal(await balance(), before)
  assert.deepEqual(refusalOf(await refund(moneyId)).slice(0, 3), [200, '400', false])
  assert.equal((await refund('000000000000')).body.status?.['result_code'], 'ESB000045')
  assert.equal(await balance(), before)
})
