import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let harness: OperatorHarness
let hangingServer: Server
const hangingSockets = new Set<Socket>()

before(async () => {
  hangingServer = createServer((socket) => hangingSockets.add(socket)).listen(0, '127.0.0.1')
  await once(hangingServer, 'listening')
  // Three times what a busy machine needs for a call: a late submission would be sent twice, rightly.
  harness = await OperatorHarness.open({ callTimeoutMs: 3_000 })
})

function hangingUrl(): string {
  // A server that listens on a port has such an address.
  const { port } = hangingServer.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
after(async () => {
  for (const socket of hangingSockets) socket.destroy()
  hangingServer.close()
  await harness.close()
})

/** Drains the dispatchers that a test started. */
async function stopAll(): Promise<void> {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

test('one submission per transaction with two dispatchers on one database', async () => {
  // With the deadlines of real life: here no answer may be late, however busy the machine.
  const calm = await OperatorHarness.open({ callTimeoutMs: 10_000, dispatcher: { leaseMs: 20_000, queriesMax: 16, submissionsMax: 16 } })
  try {
    const items = await Promise.all(Array.from({ length: 200 }, (_, index) => calm.make({ operator: OPERATOR_CODES[index % 3] })))
    calm.startDispatcher()
    calm.startDispatcher()
    for (const item of items) assert.equal((await calm.untilFinal(item)).status, 'SUCCESS')
    const books = await calm.books()
    for (const item of items) assert.equal(books.get(item.transactionId)?.submissions, 1)
    await calm.compareBooks()
  } finally {
    await calm.close()
  }
})

test('no delay of an operator while another one hangs', async () => {
  // 60 calls of 20 s in 4 slots take five minutes: longer than the healthy ones on any machine.
  const hanging = await OperatorHarness.open({
    elsewhere: { SNFREE: hangingUrl() },
    callTimeoutMs: 20_000,
    dispatcher: { leaseMs: 30_000 },
  })
  const stuck = await Promise.all(Array.from({ length: 60 }, () => hanging.make({ operator: 'SNFREE' })))
  const healthy = await Promise.all(
    Array.from({ length: 60 }, (_, index) => hanging.make({ operator: index % 2 === 0 ? 'BFOM' : 'UGMTN' })),
  )
  const dispatcher = hanging.startDispatcher({ queriesMax: 4, submissionsMax: 4 })
  await waitUntil('the hanging operator has all its slots', async () => hangingSockets.size >= 4)
  for (const item of healthy) assert.equal((await hanging.untilFinal(item)).status, 'SUCCESS')
  const states = await Promise.all(stuck.map(async (item) => (await hanging.workOf(item))?.['state']))
  assert.ok(states.filter((state) => state === 'queued').length > 0, 'the healthy ones did not wait for the stuck ones')
  for (const item of stuck) assert.equal((await hanging.read(item)).status, 'PENDING')
  const drained = dispatcher.drain()
  // Their calls end now, not after 20 s. No more are made.
  for (const socket of hangingSockets) socket.destroy()
  await drained
  await hanging.close()
})

test('SUCCESS, each sent once, after an operator was unreachable for a while', async () => {
  await harness.simulator.close()
  const items = await Promise.all(Array.from({ length: 20 }, () => harness.make()))
  harness.startDispatcher()
  await waitUntil('every row was tried', async () =>
    (await Promise.all(items.map((item) => harness.attemptsOf(item)))).every((attempts) => attempts.includes('submit not_sent')),
  )
  for (const item of items) {
    assert.equal((await harness.read(item)).status, 'PENDING')
    const work = await harness.workOf(item)
    assert.equal(work?.['unconfirmed_since'], null, 'what was never written is not at risk')
    assert.ok(work?.['state'] === 'queued' || work?.['state'] === 'submitting')
  }
  await harness.restartSimulator()
  for (const item of items) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await harness.compareBooks()
})

test('SUCCESS of open transfers after their operator restarted with its books', async () => {
  const items = await Promise.all(Array.from({ length: 20 }, () => harness.make({ phoneNumber: '237677209914' })))
  harness.startDispatcher()
  await waitUntil('the last one is accepted', async () => (await harness.books()).has(items[19]?.transactionId ?? ''))
  await waitUntil('all are accepted', async () =>
    (await Promise.all(items.map((item) => harness.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
  )
  await harness.simulator.close()
  await harness.restartSimulator()
  for (const item of items) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  const books = await harness.books()
  for (const item of items) assert.equal(books.get(item.transactionId)?.submissions, 1)
  await harness.compareBooks()
})

test('the answers of calls in progress are stored when drain resolves', async () => {
  const items = await Promise.all(Array.from({ length: 30 }, () => harness.make({ phoneNumber: '237677209907' })))
  const dispatcher = harness.startDispatcher()
  await waitUntil('a call is in progress', async () => (await harness.attemptsOf(items[0] ?? assert.fail())).length === 1)
  await dispatcher.drain()
  for (const item of items) {
    const state = (await harness.workOf(item))?.['state']
    assert.ok(state === 'unconfirmed' || state === 'queued', `${state}`)
  }
  harness.startDispatcher()
  for (const item of items) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await harness.compareBooks()
})
