import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { until } from '#server/operators/testing/until.ts'
import { claimDueWork } from './operator-work-store.ts'

let harness: OperatorHarness
let hangingServer: Server
const hangingSockets = new Set<Socket>()

before(async () => {
  hangingServer = createServer((socket) => hangingSockets.add(socket)).listen(0, '127.0.0.1')
  await once(hangingServer, 'listening')
  const { port } = hangingServer.address() as AddressInfo
  harness = await OperatorHarness.open({ elsewhere: { SNFREE: `http://127.0.0.1:${port}` } })
})
after(async () => {
  for (const socket of hangingSockets) socket.destroy()
  hangingServer.close()
  await harness.close()
})

/** Drains what a test started, so that the next one begins with nobody at work. */
async function stopAll(): Promise<void> {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

test('the attempt is committed before the operator receives the submission', async () => {
  const item = await harness.make()
  const [claimed] = await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 100)
  assert.equal(claimed?.transactionId, item.transactionId)
  assert.deepEqual(await harness.attemptsOf(item), ['submit null'])
  assert.equal((await harness.workOf(item))?.['state'], 'submitting')
  assert.equal((await harness.books()).has(item.transactionId), false)
})

test('one execution, after two denials, for a submission whose process died before its call', async () => {
  const item = await harness.make()
  await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 1)
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  const attempts = await harness.attemptsOf(item)
  assert.deepEqual(attempts.slice(0, 4), ['submit interrupted', 'query not_found', 'query not_found', 'submit accepted'])
  await harness.compareBooks()
})

test('no second submission for a transfer whose process died after its call', async () => {
  const item = await harness.make()
  await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 1)
  const { applicationId, operator, type, amountMinor, phoneNumber, customerName } = item
  await harness.connectors
    .get('MOMOCM')
    ?.submit({ reference: item.transactionId, applicationId, operator, type, amountMinor, currency: 'XAF', phoneNumber, customerName })
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal((await harness.attemptsOf(item))[0], 'submit interrupted')
  assert.equal((await harness.books()).get(item.transactionId)?.submissions, 1)
  await harness.compareBooks()
})

test('unconfirmed until the operator reports that it has the transfer', async () => {
  const item = await harness.make({ phoneNumber: '237677209912' })
  await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 1)
  await until(
    async () => (await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 1)).some((work) => work.foundState === 'submitting'),
    'the lease ends',
  )
  const work = await harness.workOf(item)
  assert.equal(work?.['state'], 'unconfirmed')
  assert.ok(work?.['unconfirmed_since'] instanceof Date)
  harness.startDispatcher()
  await until(async () => (await harness.workOf(item))?.['state'] === 'submitted', 'the operator accepts')
  await stopAll()
  assert.equal((await harness.workOf(item))?.['unconfirmed_since'], null)
})

test('no submission by a process that was stopped between its claim and its call', async () => {
  const item = await harness.make()
  // The call may not start later than lease less call: here that is at once.
  harness.startDispatcher({ leaseMs: 300, callTimeoutMs: 1_000 })
  await until(async () => Number((await harness.workOf(item))?.['attempts']) > 1, 'the row comes back')
  await stopAll()
  assert.equal((await harness.attemptsOf(item))[0], 'submit not_sent')
  assert.equal((await harness.workOf(item))?.['unconfirmed_since'], null, 'what was not sent is not at risk')
  assert.equal((await harness.books()).has(item.transactionId), false)
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await harness.compareBooks()
})

test('no effect of the late answer to a submission that another process took over', async () => {
  const item = await harness.make({ phoneNumber: '237677209912' })
  const [first] = await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 1)
  await until(async () => (await claimDueWork(harness.database.pool, new Map([['MOMOCM', 5]]), 60_000)).length > 0, 'the lease ends')
  const { createAnswerRecorder } = await import('./answer-recorder.ts')
  const recorder = createAnswerRecorder({
    pool: harness.database.pool,
    random: () => 0.5,
    pollDelaysMs: [60_000],
    rules: { absenceMs: 50, acceptedAbsenceMs: 50, hintGapMs: 5 },
  })
  assert.ok(first)
  const outcome = { kind: 'failed', reason: 'Compte non inscrit', exchange: { httpStatus: 200, answer: '' } } as const
  assert.deepEqual(await recorder.submit({ work: first, kind: 'submit', outcome, durationMs: 1 }), { isCurrent: false })
  assert.equal((await harness.workOf(item))?.['state'], 'unconfirmed')
  await harness.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [item.transactionId])
})

test('one submission per transaction with two dispatchers on one database', async () => {
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

test('FAILED with Solde insuffisant for a row that a process of the release before wrote as refused', async () => {
  const item = await harness.make()
  await harness.database.pool.query("update operator_work set state = 'refused' where transaction_id = $1", [item.transactionId])
  harness.startDispatcher()
  const { status, message } = await harness.untilFinal(item)
  await stopAll()
  assert.deepEqual([status, message], ['FAILED', 'Solde insuffisant'])
  assert.deepEqual(await harness.attemptsOf(item), [])
})

test('no delay of an operator while another one hangs', async () => {
  const stuck = await Promise.all(Array.from({ length: 60 }, () => harness.make({ operator: 'SNFREE' })))
  const healthy = await Promise.all(
    Array.from({ length: 60 }, (_, index) => harness.make({ operator: index % 2 === 0 ? 'BFOM' : 'UGMTN' })),
  )
  harness.startDispatcher({ perOperatorMax: 4 })
  await until(async () => hangingSockets.size >= 4, 'the hanging operator has all its slots')
  for (const item of healthy) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  // 60 calls of 1 s in 4 slots take 15 s: most of the stuck ones have not even been tried.
  const states = await Promise.all(stuck.map(async (item) => (await harness.workOf(item))?.['state']))
  assert.ok(states.filter((state) => state === 'queued').length > 0, 'the healthy ones did not wait for the stuck ones')
  for (const item of stuck) assert.equal((await harness.read(item)).status, 'PENDING')
  await stopAll()
  await harness.database.pool.query("delete from operator_work where operator = 'SNFREE'")
})

test('SUCCESS, each sent once, after an operator was unreachable for a while', async () => {
  await harness.simulator.close()
  const items = await Promise.all(Array.from({ length: 20 }, () => harness.make()))
  harness.startDispatcher()
  await until(
    async () =>
      (await Promise.all(items.map((item) => harness.attemptsOf(item)))).every((attempts) => attempts.includes('submit not_sent')),
    'every row was tried',
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
  await until(async () => (await harness.books()).has(items[19]?.transactionId ?? ''), 'the last one is accepted')
  await until(
    async () => (await Promise.all(items.map((item) => harness.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
    'all are accepted',
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
  await until(async () => (await harness.attemptsOf(items[0] ?? assert.fail())).length === 1, 'a call is under way')
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
