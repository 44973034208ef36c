import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { setTimeout as nextTimer } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { request } from 'undici'
import { waitUntil } from '#server/testing/wait-until.ts'
import { Books } from './books.ts'
import { DueQueue } from './callback-sender.ts'
import { startSimulator } from './start-simulator.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-books-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const SECRET = 'secret of the simulator'

function transferRequest(overrides: Record<string, unknown> = {}) {
  return {
    reference: randomUUID(),
    direction: 'DEPOSIT' as const,
    amount: '5000',
    currency: 'XAF' as const,
    phoneNumber: '237677209341',
    customerName: 'Clarisse',
    context: randomUUID(),
    ...overrides,
  }
}

async function startProcess(port = 0): Promise<{ child: ChildProcess; url: string; port: number }> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, '--port', String(port), '--folder', path.join(folder, 'process'), '--delay-ms', '150'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SIMULATOR_SECRET: SECRET },
  })
  const [line] = await once(createInterface({ input: child.stdout ?? assert.fail() }), 'line')
  return { child, ...JSON.parse(line) }
}

async function call(url: string, method: 'GET' | 'POST', place: string, body?: unknown, secret = SECRET) {
  const answer = await request(`${url}${place}`, {
    method,
    headers: { authorization: `Bearer ${secret}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> }
}

test('every accepted transfer is in the books of a simulator that was killed with SIGKILL', async () => {
  const first = await startProcess()
  const transfers = Array.from({ length: 200 }, () => transferRequest())
  const answers = await Promise.all(transfers.map((transfer) => call(first.url, 'POST', '/v1/MOMOCM/transfers', transfer)))
  assert.equal(
    answers.every((answer) => answer.status === 202),
    true,
  )
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const second = await startProcess(first.port)
  const again = await call(second.url, 'POST', '/v1/MOMOCM/transfers', transfers[0])
  assert.equal(again.status, 200)
  const entries = await waitUntil('everything is executed', async () => {
    const { body } = await call(second.url, 'GET', '/books')
    const found = body['entries'] as { reference: string; timesExecuted: number; submissions: number; duplicates: number; status: string }[]
    return found.every((entry) => entry.status === 'SUCCESS') && found
  })
  assert.equal(entries.length, 200)
  assert.equal(
    entries.every((entry) => entry.timesExecuted === 1),
    true,
  )
  const repeated = entries.find((entry) => entry.reference === transfers[0]?.reference)
  assert.deepEqual([repeated?.submissions, repeated?.duplicates], [2, 1])
  second.child.kill('SIGTERM')
  assert.deepEqual(await once(second.child, 'exit'), [0, null])
})

test('200, 409, 401, 400 or 404 for a repeated reference, other content, a wrong secret, garbage or an unknown path', async () => {
  const { child, url } = await startProcess()
  const transfer = transferRequest()
  const answers = await Promise.all(Array.from({ length: 10 }, () => call(url, 'POST', '/v1/MOMOCM/transfers', transfer)))
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [...Array(9).fill(200), 202])
  assert.equal((await call(url, 'POST', '/v1/MOMOCM/transfers', { ...transfer, amount: '5001' })).status, 409)
  assert.equal((await call(url, 'POST', '/v1/MOMOCM/transfers', transferRequest(), 'wrong')).status, 401)
  assert.equal((await call(url, 'POST', '/v1/UGMTN/transfers', transferRequest())).status, 400)
  assert.equal((await call(url, 'POST', '/v1/MOMOCM/transfers', { reference: 1 })).status, 400)
  assert.equal((await call(url, 'GET', `/v1/OMCM/transfers/${transfer.reference}`)).status, 404)
  assert.equal((await call(url, 'GET', `/v1/MOMOCM/transfers/${randomUUID()}`)).body['code'], 'UNKNOWN_REFERENCE')
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('200 with the new balance for money that comes or leaves, also after a restart; 401 or 400, and no movement, otherwise', async () => {
  const options = { port: 0, folder: path.join(folder, 'funding'), secret: SECRET }
  const first = await startSimulator(options)
  const funding = (amount: unknown) => ({ operator: 'MOMOCM', account: 'deposit', amount })
  const { body: opening } = await call(first.url, 'POST', '/funding', funding(0))
  const before = Number(opening['balance'])
  assert.deepEqual(await call(first.url, 'POST', '/funding', funding(-40_000.5)), { status: 200, body: { balance: before - 40_000.5 } })
  assert.equal((await call(first.url, 'POST', '/funding', funding(1), 'another secret')).status, 401)
  for (const wrong of [funding('1'), { ...funding(1), operator: 'NOBODY' }, { ...funding(1), account: 'both' }, []])
    assert.equal((await call(first.url, 'POST', '/funding', wrong)).status, 400)
  await first.close()
  const second = await startSimulator(options)
  assert.deepEqual(await call(second.url, 'POST', '/funding', funding(500)), { status: 200, body: { balance: before - 39_500.5 } })
  await second.close()
})

test('half a line at the end of the books is ignored', async () => {
  const place = path.join(folder, 'torn')
  const books = new Books(place)
  const transfer = transferRequest()
  books.accept({ operator: 'MOMOCM', protocol: 'gateway' }, transfer, 1, Date.now())
  books.execute(transfer.reference, Date.now())
  books.close()
  await appendFile(path.join(place, 'books.jsonl'), '{"what":"executed","refer')
  const reopened = new Books(place)
  assert.equal(reopened.find(transfer.reference)?.timesExecuted, 1)
  const next = transferRequest()
  reopened.accept({ operator: 'MOMOCM', protocol: 'gateway' }, next, 1, Date.now())
  reopened.close()
  const last = new Books(place)
  assert.equal(last.find(next.reference)?.status, 'PENDING')
  last.close()
})

test('items leave the queue in the order of their due times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 300 }), async (instants) => {
      let nowMs = 0
      const seen: number[] = []
      await new Promise<void>((resolve) => {
        const queue = new DueQueue<number>(
          () => nowMs,
          (item) => {
            seen.push(item)
            if (seen.length === instants.length + 1) resolve()
          },
        )
        // The clock is stopped until all are in; then everything is due.
        for (const instant of instants) queue.add(instant, instant)
        nowMs = 1_000
        queue.add(0, 0)
      })
      assert.deepEqual(seen, [0, ...instants.sort((left, right) => left - right)])
    }),
    { numRuns: 50 },
  )
})

test('an item that is due in months is not due now', async () => {
  let looks = 0
  const queue = new DueQueue<string>(
    () => {
      looks++
      return 0
    },
    () => assert.fail('nothing is due'),
  )
  queue.add(2 ** 40, 'far away')
  for (let turn = 0; turn < 20; turn++) await nextTimer(1)
  queue.clear()
  assert.equal(looks, 1)
})

test('the books are readable after another reader disconnected in the middle', async () => {
  const simulator = await startSimulator({ port: 0, folder: path.join(folder, 'left'), secret: SECRET, delayMs: 600_000 })
  try {
    const context = 'x'.repeat(100)
    for (let count = 0; count < 400; count++)
      await call(simulator.url, 'POST', '/v1/MOMOCM/transfers', transferRequest({ context, customerName: 'y'.repeat(400) }))
    const socket = connect(simulator.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /books HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'readable')
    socket.resetAndDestroy()
    const { body } = await call(simulator.url, 'GET', '/books')
    assert.equal((body['entries'] as unknown[]).length, 400)
  } finally {
    await simulator.close()
  }
})

test('FAILED for 915, and SUCCESS in queries and books after the slow time, even when the simulator was restarted in between', async () => {
  const place = path.join(folder, 'taken back')
  const start = (slowDelayMs: number) => startSimulator({ port: 0, folder: place, secret: SECRET, delayMs: 0, slowDelayMs })
  const transfer = transferRequest({ phoneNumber: '237677209915' })
  const first = await start(600_000)
  await call(first.url, 'POST', '/v1/MOMOCM/transfers', transfer)
  const until = ({ url }: { url: string }, status: string) =>
    waitUntil(`the transfer is ${status}`, async () => {
      const { body } = await call(url, 'GET', `/v1/MOMOCM/transfers/${transfer.reference}`)
      return body['status'] === status
    })
  await until(first, 'FAILED')
  await first.close()
  const second = await start(0)
  await until(second, 'SUCCESS')
  const { body } = await call(second.url, 'GET', '/books')
  assert.deepEqual(
    (body['entries'] as { timesExecuted: number }[]).map(({ timesExecuted }) => timesExecuted),
    [1],
  )
  await second.close()
})
