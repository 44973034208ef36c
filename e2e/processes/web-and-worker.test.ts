import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Agent } from 'undici'
import { type Partner, signIn } from '#e2e/contract/service.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { transactionIdOf } from '#server/operators/testing/compare-books.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Receiver, startReceiver } from '#server/webhooks/testing.ts'
import { aCollect, openConnections, post } from './requests.ts'

let database: TestDatabase
let folder: string
let environment: Record<string, string>
let web: Service
let worker: Service
let partner: Partner
let agent: Agent
let receiver: Receiver

before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-processes-'))
  agent = openConnections(32)
  receiver = await startReceiver((response) => response.writeHead(200).end())
  const created = await createTestPartner(database.pool)
  const port = await freePort()
  environment = {
    ...PRODUCTION,
    SANDBOX: '1',
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SIMULATOR_PORT: String(await freePort()),
    SIMULATOR_DELAY_MS: '50',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  }
  worker = await startWorker()
  web = await startService({ port, environment: { ...environment, ROLE: 'web' } })
  partner = await signIn(web.baseUrl, created)
})
after(async () => {
  await agent.destroy()
  await Promise.all([web.stop(), worker.stop()])
  await receiver.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** A worker opens no port of its own: it is there when its simulator answers. */
async function startWorker(): Promise<Service> {
  const simulatorUrl = `http://127.0.0.1:${environment['SIMULATOR_PORT']}`
  return startService({
    environment: { ...environment, ROLE: 'worker' },
    readiness: () =>
      fetch(`${simulatorUrl}/health`).then(
        (answer) => answer.ok,
        () => false,
      ),
  })
}

async function statusOf(transactionId: unknown): Promise<unknown> {
  return (await post(agent, web.baseUrl, `transaction-status?id=${String(transactionId)}`, partner.headers)).body['status']
}

test('SUCCESS and a webhook from the worker for a collect that the web process accepted', async () => {
  const request = aCollect({ webhookUrl: receiver.url })
  const accepted = await post(agent, web.baseUrl, 'collect', partner.headers, request)
  assert.deepEqual([accepted.status, accepted.body['transactionStatus']], [200, 'PENDING'])
  const { transactionId } = accepted.body
  await waitUntil('the transaction succeeds', async () => (await statusOf(transactionId)) === 'SUCCESS')
  const webhook = await waitUntil('the webhook arrives', async () =>
    receiver.received.find((one) => one.body.includes(String(transactionId))),
  )
  assert.equal(JSON.parse(webhook.body).status, 'SUCCESS')
})

test('one id, one transfer and one webhook for fifty equal requests at once', async () => {
  const request = aCollect({ webhookUrl: receiver.url, transferMethod: 'OMCM' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(agent, web.baseUrl, 'collect', partner.headers, request)))
  const ids = new Set(answers.map((answer) => answer.body['transactionId']))
  assert.deepEqual([answers.every((answer) => answer.status === 200), ids.size], [true, 1])
  const [transactionId] = ids
  await waitUntil('the transaction succeeds', async () => (await statusOf(transactionId)) === 'SUCCESS')
  await waitUntil('the webhook arrives', async () => receiver.received.some((one) => one.body.includes(String(transactionId))))
  const books = (await (await fetch(`http://127.0.0.1:${environment['SIMULATOR_PORT']}/books`)).json()) as {
    entries: { protocol: string; reference: string; context: string; timesExecuted: number; duplicates: number }[]
  }
  const transfers = books.entries
    .filter((entry) => transactionIdOf(entry) === transactionId)
    .map(({ timesExecuted, duplicates }) => ({ timesExecuted, duplicates }))
  assert.deepEqual(transfers, [{ timesExecuted: 1, duplicates: 0 }])
  assert.equal(receiver.received.filter((one) => one.body.includes(String(transactionId))).length, 1)
})

for (const [what, overrides, isVerified] of [
  ['of Orange, whose address names the transaction', { transferMethod: 'OMCM' }, false],
  ['of Airtel, which is signed', { transferMethod: 'UGAIRTEL', countryName: 'UGANDA', phoneNumber: '256702209341' }, true],
] as const) {
  test(`a callback ${what}, reaches its transaction through the web process`, async () => {
    const accepted = await post(agent, web.baseUrl, 'collect', partner.headers, aCollect({ webhookUrl: receiver.url, ...overrides }))
    const { transactionId } = accepted.body
    const callback = await waitUntil('the callback arrives', async () => {
      const { rows } = await database.pool.query(
        "select outcome, is_verified from all_operator_attempts where transaction_id = $1 and kind = 'callback'",
        [transactionId],
      )
      return rows[0]
    })
    assert.deepEqual(callback, { outcome: 'succeeded', is_verified: isVerified })
  })
}

test('one webhook for each of forty collects when one worker ends and another takes over', async () => {
  const transactionIds: unknown[] = []
  for (let round = 0; round < 40; round++) {
    const accepted = await post(agent, web.baseUrl, 'collect', partner.headers, aCollect({ webhookUrl: receiver.url }))
    transactionIds.push(accepted.body['transactionId'])
    if (round === 20) assert.equal(await worker.stop(), 0)
  }
  worker = await startWorker()
  await waitUntil('all of them succeed', async () =>
    (await Promise.all(transactionIds.map(statusOf))).every((status) => status === 'SUCCESS'),
  )
  await waitUntil('every webhook arrives', async () =>
    transactionIds.every((id) => receiver.received.some((one) => one.body.includes(String(id)))),
  )
  for (const id of transactionIds) assert.equal(receiver.received.filter((one) => one.body.includes(String(id))).length, 1)
  assert.deepEqual(await verifyBooks(database.pool), [])
})
