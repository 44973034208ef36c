import assert from 'node:assert/strict'
import { createCipheriv, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type Client, createClientAsync } from 'soap'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { moovAccountOf } from '../moov/moov-messages.ts'

const SECRET = 'a secret between two programs'
const account = moovAccountOf(SECRET, 'bj')

let folder: string
let simulator: Simulator
let client: Client
let token: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-programs-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 20 })
  client = await createClientAsync(`${simulator.url}/moov/bj/com.tlc.merchant.api/UssdPush?wsdl`)
  const cipher = createCipheriv('aes-256-cbc', account.key, Buffer.alloc(16))
  token = cipher.update(`0:${account.username}:${account.password}`, 'utf8', 'base64') + cipher.final('base64')
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

/** Returns an answer as a SOAP library reads it: an object with the names of its elements. */
async function call(operation: string, parameters: object): Promise<Record<string, Record<string, string>>> {
  const [answer] = await client[`${operation}Async`]({ token, ...parameters })
  return answer
}

const aPush = (msisdn: string, externaldata1: string) => ({
  msisdn,
  message: 'Payment',
  amount: '500',
  externaldata1,
  externaldata2: '',
  fee: '0',
})

test('the operations that the description offers', () => {
  const names = ['Push', 'PushWithPending', 'getTransactionStatus', 'transferFlooz', 'getBalance', 'getMobileAccountStatus']
  assert.deepEqual(Object.keys(client.describe()['UssdPush'].UssdPushPort), names)
})

test('status 100, and then 0, for a push', async () => {
  const reference = randomUUID()
  const { result } = await call('PushWithPending', aPush('2290195209341', reference))
  assert.deepEqual([result?.['status'], result?.['transid']], ['100', reference])
  const { response } = await waitUntil('the push ends', async () => {
    const answer = await call('getTransactionStatus', { request: { transid: reference } })
    return answer['response']?.['status'] === '100' ? undefined : answer
  })
  assert.deepEqual([response?.['status'], response?.['description']], ['0', 'SUCCESS'])
  assert.match(response?.['referenceid'] ?? '', /^\d{15}$/)
})

test('status 0 in the answer to a push that waits for the customer, and the reason if the customer refuses', async () => {
  const paid = (await call('Push', aPush('2290195209341', randomUUID())))['return']
  assert.deepEqual([paid?.['status'], paid?.['description']], ['0', 'SUCCESS'])
  assert.equal((await call('Push', aPush('2290195209901', randomUUID())))['return']?.['status'], '10')
})

test('status 3 for a number that does not exist, and 94 for an unused reference', async () => {
  assert.equal((await call('PushWithPending', aPush('2290195209902', randomUUID())))['result']?.['status'], '3')
  assert.equal((await call('getTransactionStatus', { request: { transid: randomUUID() } }))['response']?.['status'], '94')
})

test('a transfer, the balance and an account', async () => {
  const transfer = { destination: '2290195209341', amount: '500', referenceid: randomUUID(), walletid: '0', extendeddata: '' }
  const sent = (await call('transferFlooz', { request: transfer }))['return']
  assert.deepEqual([sent?.['status'], sent?.['referenceid']], ['100', transfer.referenceid])
  assert.match(sent?.['transactionid'] ?? '', /^\d{15}$/)
  assert.match((await call('getBalance', { request: { msisdn: account.accountMsisdn } }))['return']?.['balance'] ?? '', /^\d{8,9}$/)
  assert.equal((await call('getMobileAccountStatus', { request: { msisdn: '2290195209341' } }))['return']?.['subscriberstatus'], 'ACTIVE')
})

test('a fault in the library for an operation that does not exist', async () => {
  await assert.rejects(
    client['getBalanceAsync']({ _xml: '<tns:Unknown xmlns:tns="http://api.merchant.tlc.com/"/>' }),
    /soap:Client: No such operation/,
  )
})
