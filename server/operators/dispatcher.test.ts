import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { claimDueWork } from './operator-work-store.ts'

let room: OperatorHarness
let hangingServer: Server
const hangingSockets = new Set<Socket>()

before(async () => {
  hangingServer = createServer((socket) => hangingSockets.add(socket)).listen(0, '127.0.0.1')
  await once(hangingServer, 'listening')
  const { port } = hangingServer.address() as AddressInfo
  room = await OperatorHarness.open({ elsewhere: { SNFREE: `http://127.0.0.1:${port}` } })
})
after(async () => {
  for (const socket of hangingSockets) socket.destroy()
  hangingServer.close()
  await room.close()
})

/** Drains what a test started, so that the next one begins with nobody at work. */
async function stopAll(): Promise<void> {
  await Promise.all(room.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

test('the attempt is on record, committed, before the operator hears of it', async () => {
  const item = await room.make()
  const [claimed] = await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 100)
  assert.equal(claimed?.transactionId, item.transactionId)
  assert.deepEqual(await room.attemptsOf(item), ['submit null'])
  assert.equal((await room.workOf(item))?.['state'], 'submitting')
  assert.equal((await room.books()).has(item.transactionId), false)
})

test('a process that died before its call: asked about first, sent only after two denials, executed once', async () => {
  const item = await room.make()
  await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 1)
  room.startDispatcher()
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  const attempts = await room.attemptsOf(item)
  assert.deepEqual(attempts.slice(0, 4), ['submit interrupted', 'query not_found', 'query not_found', 'submit accepted'])
  await room.compareBooks()
})

test('a process that died after its call: the operator has the money movement, and it is not sent again', async () => {
  const item = await room.make()
  await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 1)
  const { applicationId, operator, type, amountMinor, phoneNumber, customerName } = item
  await room.connectors
    .get('MOMOCM')
    ?.submit({ reference: item.transactionId, applicationId, operator, type, amountMinor, currency: 'XAF', phoneNumber, customerName })
  room.startDispatcher()
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal((await room.attemptsOf(item))[0], 'submit interrupted')
  assert.equal((await room.books()).get(item.transactionId)?.submissions, 1)
  await room.compareBooks()
})

test('a row is unconfirmed while nobody knows what the operator did, and no longer once the operator says that it has it', async () => {
  const item = await room.make({ phoneNumber: '237677209912' })
  await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 1)
  await waitUntil('the lease ends', async () =>
    (await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 1)).some((work) => work.foundState === 'submitting'),
  )
  const work = await room.workOf(item)
  assert.equal(work?.['state'], 'unconfirmed')
  assert.ok(work?.['unconfirmed_since'] instanceof Date)
  room.startDispatcher()
  await waitUntil('the operator accepts', async () => (await room.workOf(item))?.['state'] === 'submitted')
  await stopAll()
  assert.equal((await room.workOf(item))?.['unconfirmed_since'], null)
})

test('a process that was stopped between claim and call does not send what others may have taken over', async () => {
  const item = await room.make()
  // The call may not start later than lease less call: here that is at once.
  room.startDispatcher({ leaseMs: 300, callTimeoutMs: 1_000 })
  await waitUntil('the row comes back', async () => Number((await room.workOf(item))?.['attempts']) > 1)
  await stopAll()
  assert.equal((await room.attemptsOf(item))[0], 'submit not_sent')
  assert.equal((await room.workOf(item))?.['unconfirmed_since'], null, 'what was not sent is not at risk')
  assert.equal((await room.books()).has(item.transactionId), false)
  room.startDispatcher()
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await room.compareBooks()
})

test('the late answer to a submission that another process took over decides nothing', async () => {
  const item = await room.make({ phoneNumber: '237677209912' })
  const [first] = await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 1)
  await waitUntil('the lease ends', async () => (await claimDueWork(room.database.pool, new Map([['MOMOCM', 5]]), 60_000)).length > 0)
  const { createAnswerRecorder } = await import('./answer-recorder.ts')
  const recorder = createAnswerRecorder({
    pool: room.database.pool,
    random: () => 0.5,
    pollDelaysMs: [60_000],
    rules: { absenceMs: 50, acceptedAbsenceMs: 50, hintGapMs: 5 },
  })
  assert.ok(first)
  const outcome = { kind: 'failed', reason: 'Compte non inscrit', exchange: { httpStatus: 200, answer: '' } } as const
  assert.deepEqual(await recorder.submit({ work: first, kind: 'submit', outcome, durationMs: 1 }), { isCurrent: false })
  assert.equal((await room.workOf(item))?.['state'], 'unconfirmed')
  await room.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [item.transactionId])
})

test('two dispatchers on one database submit every transaction once', async () => {
  // With the deadlines of real life: here no answer may be late, however busy the machine.
  const calm = await OperatorHarness.open({ callTimeoutMs: 10_000, dispatcher: { leaseMs: 20_000, perOperatorMax: 16 } })
  try {
    const items = await Promise.all(Array.from({ length: 400 }, (_, index) => calm.make({ operator: OPERATOR_CODES[index % 3] })))
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

test('an operator that hangs delays only itself', async () => {
  const stuck = await Promise.all(Array.from({ length: 60 }, () => room.make({ operator: 'SNFREE' })))
  const healthy = await Promise.all(Array.from({ length: 60 }, (_, index) => room.make({ operator: index % 2 === 0 ? 'BFOM' : 'UGMTN' })))
  room.startDispatcher({ perOperatorMax: 4 })
  await waitUntil('the hanging operator has all its slots', async () => hangingSockets.size >= 4)
  for (const item of healthy) assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  // 60 calls of 1 s in 4 slots take 15 s: most of the stuck ones have not even been tried.
  const states = await Promise.all(stuck.map(async (item) => (await room.workOf(item))?.['state']))
  assert.ok(states.filter((state) => state === 'queued').length > 0, 'the healthy ones did not wait for the stuck ones')
  for (const item of stuck) assert.equal((await room.read(item)).status, 'PENDING')
  await stopAll()
  await room.database.pool.query("delete from operator_work where operator = 'SNFREE'")
})

test('an operator that is away and comes back: nothing fails, nothing is sent twice', async () => {
  await room.simulator.close()
  const items = await Promise.all(Array.from({ length: 20 }, () => room.make()))
  room.startDispatcher()
  await waitUntil('every row was tried', async () =>
    (await Promise.all(items.map((item) => room.attemptsOf(item)))).every((attempts) => attempts.includes('submit not_sent')),
  )
  for (const item of items) {
    assert.equal((await room.read(item)).status, 'PENDING')
    const work = await room.workOf(item)
    assert.equal(work?.['unconfirmed_since'], null, 'what was never written is not at risk')
    assert.ok(work?.['state'] === 'queued' || work?.['state'] === 'submitting')
  }
  await room.restartSimulator()
  for (const item of items) assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await room.compareBooks()
})

test('an operator that restarts with transfers open goes on with them from its books', async () => {
  const items = await Promise.all(Array.from({ length: 20 }, () => room.make({ phoneNumber: '237677209914' })))
  room.startDispatcher()
  await waitUntil('the last one is accepted', async () => (await room.books()).has(items[19]?.transactionId ?? ''))
  await waitUntil('all are accepted', async () =>
    (await Promise.all(items.map((item) => room.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
  )
  await room.simulator.close()
  await room.restartSimulator()
  for (const item of items) assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  const books = await room.books()
  for (const item of items) assert.equal(books.get(item.transactionId)?.submissions, 1)
  await room.compareBooks()
})

test('drain lets calls under way end and writes their answers down', async () => {
  const items = await Promise.all(Array.from({ length: 30 }, () => room.make({ phoneNumber: '237677209907' })))
  const dispatcher = room.startDispatcher()
  await waitUntil('a call is under way', async () => (await room.attemptsOf(items[0] ?? assert.fail())).length === 1)
  await dispatcher.drain()
  for (const item of items) {
    const state = (await room.workOf(item))?.['state']
    assert.ok(state === 'unconfirmed' || state === 'queued', `${state}`)
  }
  room.startDispatcher()
  for (const item of items) assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await room.compareBooks()
})
