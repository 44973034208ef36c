import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { errorSchema } from '#lib/schemas/api/responses.ts'
import { collectBody, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { answersOf, headOf, post, talk } from '#server/http/testing/raw-client.ts'

const COLLECT = '/api/v1/transaction/collect'
let harness: HttpHarness
/** Errors without a listener: outside a test runner each of them ends the process. */
const uncaught: Error[] = []
const note = (error: Error) => void uncaught.push(error)

before(async () => {
  process.on('uncaughtException', note)
  harness = await openHttpHarness()
})
after(async () => {
  await harness.close()
  process.off('uncaughtException', note)
})

async function expectAlive(): Promise<void> {
  assert.equal((await fetch(`${harness.baseUrl}/health/live`)).status, 200)
  assert.deepEqual(uncaught, [])
}

/** Sends bytes and resets the connection as soon as `when` resolves. */
async function sendAndReset(bytes: string, when: (socket: Socket) => Promise<unknown>): Promise<void> {
  const socket = connect(harness.port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  await when(socket)
  socket.resetAndDestroy()
}

test('200 for the next request after a reset at any moment of a CONNECT, an Upgrade or a request', async () => {
  const upgrade = headOf('GET /health/live HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket'])
  const requests = [
    headOf('CONNECT a:1 HTTP/1.1'),
    `${headOf('CONNECT a:1 HTTP/1.1', ['Content-Length: 1000'])}half`,
    `${headOf('CONNECT a:1 HTTP/1.1', ['Transfer-Encoding: chunked'])}5\r\nhello\r\n`,
    upgrade,
    `${headOf('GET / HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 10'])}half`,
    headOf('GET /health HTTP/1.1').repeat(20),
    headOf('GET /a-page HTTP/1.1'),
    post(harness, COLLECT, collectBody()),
    post(harness, COLLECT, collectBody()).slice(0, -20),
    'not HTTP at all\r\n\r\n',
    headOf('OPTIONS * HTTP/1.1'),
  ]
  const moments = [
    () => Promise.resolve(),
    () => delay(1),
    (socket: Socket) => once(socket, 'data', { signal: AbortSignal.timeout(50) }).catch(() => undefined),
  ]
  for (const request of requests)
    for (const moment of moments) await Promise.all(Array.from({ length: 20 }, () => sendAndReset(request, moment)))
  // Longer than the front door waits for a client to read its refusal.
  await delay(1_200)
  await expectAlive()
})

test('200 for the next request after an error that follows the refusal of CONNECT with a body', async () => {
  const socket = connect(harness.port, '127.0.0.1').on('error', () => undefined)
  socket.write(`${headOf('CONNECT a:1 HTTP/1.1', ['Transfer-Encoding: chunked'])}zz\r\n`)
  socket.resume()
  await once(socket, 'close', { signal: AbortSignal.timeout(5_000) })
  await expectAlive()
})

for (const [what, body] of [
  ['a chunk size that is not a number', 'zz\r\nhello\r\n0\r\n\r\n'],
  ['a negative chunk size', '-5\r\nhello\r\n0\r\n\r\n'],
  ['a chunk longer than its size', '3\r\nhello\r\n0\r\n\r\n'],
  ['a chunk size beyond 64 bits', 'fffffffffffffffff\r\nhello\r\n0\r\n\r\n'],
  ['Content-Length as a trailer', '5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n'],
] as const) {
  test(`400 immediately for ${what}`, async () => {
    const head = headOf(`POST ${COLLECT} HTTP/1.1`, [...credentialLines(), 'Transfer-Encoding: chunked'])
    const startedMs = performance.now()
    const answer = await talk(harness.port, head + body, (text) => answersOf(text).length > 0)
    assert.ok(performance.now() - startedMs < 2_000)
    assert.equal(answersOf(answer)[0]?.status, 400)
    errorSchema.parse(JSON.parse(answersOf(answer)[0]?.body ?? ''))
  })
}

test('400 immediately for a body that the client ends before its length', async () => {
  const socket = connect({ port: harness.port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8')
  socket.end(post(harness, COLLECT, collectBody()).slice(0, -5))
  const [text] = await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })
  assert.equal(answersOf(String(text))[0]?.status, 400)
  socket.destroy()
})

test('200 and then the end for a client that closes its sending half behind the request', async () => {
  const body = collectBody({ externalId: randomUUID() })
  for (const bytes of [
    post(harness, COLLECT, body),
    headOf('GET /health HTTP/1.1'),
    headOf('GET /a-page HTTP/1.1'),
    headOf('GET /health HTTP/1.1').repeat(3),
  ]) {
    const socket = connect({ port: harness.port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.end(bytes)
    await once(socket, 'end', { signal: AbortSignal.timeout(5_000) })
    const statuses = answersOf(text).map((answer) => answer.status)
    assert.deepEqual(statuses, Array(bytes.split(' HTTP/1.1\r\n').length - 1).fill(200))
  }
})

for (const [status, what, lines] of [
  [505, 'HTTP/0.9', ['GET /health/live HTTP/0.9', 'Host: x']],
  [505, 'HTTP/2.0', ['GET /health/live HTTP/2.0', 'Host: x']],
  [505, 'RTSP/1.0', ['GET /health/live RTSP/1.0', 'Host: x']],
  [505, 'RTSP/1.1', ['GET /health/live RTSP/1.1', 'Host: x']],
  [400, 'HTTP/1.2', ['GET /health/live HTTP/1.2', 'Host: x']],
  [400, 'no Host', ['GET /health/live HTTP/1.1']],
  [400, 'two Hosts', ['GET /health/live HTTP/1.1', 'Host: x', 'Host: x']],
  [400, 'a Host that is none', ['GET /health/live HTTP/1.1', 'Host: a b']],
  [400, 'two Authorizations', ['GET /health/live HTTP/1.1', 'Host: x', 'Authorization: Bearer a', 'authorization: Bearer a']],
  [400, 'two apiKeys', ['GET /health/live HTTP/1.1', 'Host: x', 'apiKey: a', 'APIKEY: a']],
  [400, 'two apiIds', ['GET /health/live HTTP/1.1', 'Host: x', 'apiId: a', 'apiId: b']],
  [400, 'two Content-Types', ['GET /health/live HTTP/1.1', 'Host: x', 'Content-Type: a/b', 'content-type: a/b']],
  [400, 'two Content-Encodings', ['GET /health/live HTTP/1.1', 'Host: x', 'Content-Encoding: gzip', 'content-encoding: br']],
  [431, '201 header lines', ['GET /health/live HTTP/1.1', 'Host: x', ...Array.from({ length: 200 }, (_, index) => `a${index}: b`)]],
  [
    431,
    'header lines beyond what node counts',
    ['GET /health/live HTTP/1.1', 'Host: x', ...Array.from({ length: 1_500 }, () => 'a: b'), 'Host: y'],
  ],
] as const) {
  test(`${status} and the five fields for ${what}`, async () => {
    const answer = await talk(harness.port, `${lines.join('\r\n')}\r\n\r\n`)
    assert.equal(answersOf(answer)[0]?.status, status, answer.slice(0, 300))
    assert.equal(errorSchema.parse(JSON.parse(answersOf(answer)[0]?.body ?? '')).path, '/health/live')
  })
}

test('200 for HTTP/1.0 without a Host, which load balancers still send to look at health', async () => {
  assert.equal(answersOf(await talk(harness.port, 'GET /health/live HTTP/1.0\r\n\r\n'))[0]?.status, 200)
})

test('16 answers to a thousand pipelined requests, the last of which closes the connection', async () => {
  for (const path of ['/health/live', '/api/v1/nothing', '/a-page']) {
    const answers = answersOf(await talk(harness.port, headOf(`GET ${path} HTTP/1.1`).repeat(1_000)))
    assert.equal(answers.length, 16)
    assert.equal(new Set(answers.map((answer) => answer.status)).size, 1)
    assert.deepEqual(
      answers.flatMap((answer, index) => (/^connection: close$/im.test(answer.head) ? [index] : [])),
      [15],
    )
  }
  await expectAlive()
})

test('answers in their order to pipelined requests that are slow, refused and quick', async () => {
  const body = collectBody()
  const bytes = [
    post(harness, COLLECT, body),
    headOf('GET /a-page HTTP/1.1'),
    headOf('GET /health/live HTTP/1.1'),
    post(harness, COLLECT, body),
    'GET /health/live HTTP/1.1\r\n\r\n',
  ]
  const answers = answersOf(await talk(harness.port, bytes.join('')))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 200, 400],
  )
  assert.match(answers[0]?.body ?? '', /transactionId/)
  assert.match(answers[1]?.body ?? '', /a-page/)
})

test('all answers to several pipelined requests with garbage behind them', async () => {
  const answers = answersOf(
    await talk(harness.port, `${post(harness, COLLECT, collectBody()).repeat(3)}${headOf('GET /health/live HTTP/1.1')}garbage\r\n\r\n`),
  )
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 200],
  )
})

test('200 immediately, and less than 150 MB more, while connections full of pipelined requests read no answer', async () => {
  const bytes = headOf('GET /api/v1/openapi.json HTTP/1.1').repeat(2_000)
  const before = process.memoryUsage().rss
  const sockets = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = connect(harness.port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return socket.pause()
    }),
  )
  for (const socket of sockets) socket.write(bytes)
  const startedMs = performance.now()
  await expectAlive()
  // Long enough to read what is in the kernel's buffers.
  await delay(500)
  assert.ok(performance.now() - startedMs < 2_000)
  assert.ok(process.memoryUsage().rss - before < 150 * 1024 * 1024, `${process.memoryUsage().rss - before} bytes`)
  for (const socket of sockets) socket.destroy()
})

test('no transaction from a request that is pipelined behind a closing answer', async () => {
  const externalId = randomUUID()
  const answer = await talk(harness.port, `GET /health/live HTTP/1.1\r\n\r\n${post(harness, COLLECT, collectBody({ externalId }))}`)
  assert.deepEqual(
    answersOf(answer).map((one) => one.status),
    [400],
  )
  const { rows } = await harness.database.pool.query('select 1 from transactions where external_id = $1', [externalId])
  assert.equal(rows.length, 0)
})

test('200 for a page’s request with garbage behind it, which then ends the connection', async () => {
  const answer = await talk(harness.port, `${headOf('GET /a-page HTTP/1.1')}garbage\r\n\r\n`)
  assert.deepEqual(
    answersOf(answer).map((one) => one.status),
    [200],
  )
})

test('415 for a Content-Type of 15 KB, in CPU time that grows with its length only', async () => {
  const hostile = [
    `application/json${' '.repeat(15_700)}x`,
    `application/json;${' ;'.repeat(7_800)}x`,
    `application/json; charset${' '.repeat(15_600)}=${'"'.repeat(50)}`,
  ]
  for (const contentType of hostile) {
    const before = process.cpuUsage()
    const head = headOf('POST /public/access_token HTTP/1.1', [`Content-Type: ${contentType}`, 'Content-Length: 2', 'Connection: close'])
    const answers = await Promise.all(Array.from({ length: 8 }, () => talk(harness.port, `${head}{}`)))
    const usedMs = process.cpuUsage(before).user / 1_000
    assert.ok(usedMs < 250, `${usedMs} ms`)
    for (const answer of answers) assert.equal(answersOf(answer)[0]?.status, 415)
  }
})

test('400 for a request without any body, regardless of its content type', async () => {
  for (const path of [COLLECT, '/api/v1/transaction/depositMultiple', '/public/access_token', '/public/refresh_token']) {
    for (const type of [[], ['Content-Type: application/json'], ['Content-Type: text/plain']]) {
      const credentials = credentialLines().filter((line) => !/^content-type/i.test(line))
      for (const framing of [[], ['Content-Length: 0'], ['Transfer-Encoding: chunked']]) {
        const end = framing[0]?.startsWith('Transfer') ? '0\r\n\r\n' : ''
        const answer = await talk(
          harness.port,
          headOf(`POST ${path} HTTP/1.1`, [...credentials, ...type, ...framing, 'Connection: close']) + end,
        )
        assert.equal(answersOf(answer)[0]?.status, 400, `${path} ${type} ${framing} ${answer}`)
      }
    }
  }
})

for (const [path, isApi] of [
  ['/kora-stores/transactions', false],
  ['/api/auth/session', false],
  ['/api/v1/transaction/getByApplicationProduct', true],
  ['/api/v1/nothing', true],
] as const) {
  test(`400 for ${path} with more than 200 parameters in its query string, before anything reads them`, async () => {
    for (const piece of ['a&', '=&', 'a=b&']) {
      const response = await fetch(`${harness.baseUrl}${path}?${piece.repeat(200)}a`, { headers: harness.headers })
      assert.equal(response.status, 400)
      if (isApi) errorSchema.parse(await response.json())
      else assert.match(await response.text(), /could not be read|^\{"code":"invalid"\}$/)
    }
    const within = await fetch(`${harness.baseUrl}${path}?${Array.from({ length: 200 }, (_, index) => `p${index}=1`).join('&')}`)
    assert.doesNotMatch(await within.text(), /more than 200|could not be read/)
  })
}

test('512 characters of a User-Agent of 15 KB reach the pages, and all of it the API', async () => {
  const headers = { ...harness.headers, 'user-agent': 'a'.repeat(15_000) }
  const page = await fetch(`${harness.baseUrl}/a-page`, { headers })
  assert.match(await page.text(), /"user-agent":"a{512}"/)
  assert.equal((await fetch(`${harness.baseUrl}/health/live`, { headers })).status, 200)
})

test('200 beside 2,000 idle connections', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 2_000 }, async () => {
      const socket = connect(harness.port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }),
  )
  const startedMs = performance.now()
  await expectAlive()
  assert.ok(performance.now() - startedMs < 1_000)
  for (const socket of sockets) socket.destroy()
})

function credentialLines(): string[] {
  return Object.entries(harness.headers).map(([name, value]) => `${name}: ${value}`)
}
