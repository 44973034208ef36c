import assert from 'node:assert/strict'
import { constants, publicEncrypt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { sonatelAccountOf } from './sonatel-credentials.ts'

const SECRET = 'secret of the simulator'
const account = sonatelAccountOf(SECRET)

let folder: string
let simulator: Simulator
let token = ''
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-sonatel-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 0 })
  const { clientId, clientSecret } = account
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
  const answer = await fetch(`${simulator.url}/orange-sonatel/oauth/v1/token`, { method: 'POST', body: form })
  token = String(((await answer.json()) as { access_token: string }).access_token)
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

async function call<Body>(place: string, sent?: object): Promise<Body> {
  const answer = await fetch(`${simulator.url}/orange-sonatel${place}`, {
    method: sent ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(sent && { body: JSON.stringify(sent) }),
  })
  return (await answer.json()) as Body
}

type Taken = { transactionId: string; reference: string }

test('two payments for a cash-in that is sent twice with one reference, and a search that finds both', async () => {
  const { key } = await call<{ key: string }>('/api/account/v1/publicKeys')
  const pem = `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`
  const encryptedPinCode = publicEncrypt({ key: pem, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(account.pin)).toString('base64')
  const cashIn = {
    partner: { idType: 'MSISDN', id: account.channelMsisdn, encryptedPinCode },
    customer: { idType: 'MSISDN', id: '772093341' },
    amount: { value: 500, unit: 'XOF' },
    reference: 'order-1',
  }
  const taken = [await call<Taken>('/api/eWallet/v1/cashins', cashIn), await call<Taken>('/api/eWallet/v1/cashins', cashIn)]
  assert.deepEqual(
    taken.map(({ reference }) => reference),
    ['order-1', 'order-1'],
  )
  const found = await call<Taken[]>('/api/eWallet/v1/transactions?reference=order-1')
  assert.deepEqual(
    found.map(({ transactionId }) => transactionId),
    taken.map(({ transactionId }) => transactionId),
  )
  assert.equal(new Set(taken.map(({ transactionId }) => transactionId)).size, 2)
  await waitUntil('both are executed', async () => {
    const { entries } = (await (await fetch(`${simulator.url}/books`)).json()) as { entries: BookEntry[] }
    return entries.filter(({ timesExecuted }) => timesExecuted === 1).length === 2
  })
})

test('415 for a GET without a content type', async () => {
  const headers = { authorization: `Bearer ${token}` }
  const url = `${simulator.url}/orange-sonatel/api/account/v1/publicKeys`
  assert.equal((await fetch(url, { headers })).status, 415)
  assert.equal((await fetch(url, { headers: { ...headers, 'content-type': 'application/json' } })).status, 200)
})

test('another QR code for each request of one reference, of which only the newest can be paid, once; no transaction before that', async () => {
  const order = {
    code: account.merchantCode,
    name: 'Boutique Sandaga',
    amount: { value: 500, unit: 'XOF' },
    restrictions: { isSingleUse: true },
    validity: 600,
    callbackSuccessUrl: 'https://pay.example.com/',
    callbackCancelUrl: 'https://pay.example.com/',
    reference: 'order-2',
    // A slow customer: the test pays.
    metadata: { customer: '772093914' },
  }
  const make = async () => (await call<{ qrId: string }>('/api/eWallet/v4/qrcode', order)).qrId
  const ids = [await make(), await make()]
  assert.equal(new Set(ids).size, 2)
  const search = () => call<{ status: string }[]>('/api/eWallet/v1/transactions?reference=order-2')
  assert.deepEqual(await search(), [])
  for (const id of [...ids, ...ids]) await fetch(`${simulator.url}/orange-sonatel/qr/${id}`, { method: 'POST', redirect: 'manual' })
  assert.deepEqual(
    (await search()).map(({ status }) => status),
    ['SUCCESS'],
  )
})
