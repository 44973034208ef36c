import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { createDirectory } from '#server/applications/directory.ts'
import { BODY_BYTES_MAX } from '#server/http/api/read-json-body.ts'
import { collectBody, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'

let harness: HttpHarness

before(async () => {
  harness = await openHttpHarness({
    frontDoor: {
      headersTimeoutMs: 1_000,
      requestTimeoutMs: 2_000,
      bodyTimeoutMs: 300,
      linger: { timeMs: 300, bytesMax: 1024 * 1024 },
    },
  })
})
after(() => harness.close())

/** Writes bytes as they are and returns everything that arrives until the other side closes. */
function talk(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(harness.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(bytes)
  })
}

function fiveFields(text: string): { status: number; message: string; path: string } {
  const body = JSON.parse(text)
  assert.deepEqual(Object.keys(body).sort(), ['error', 'message', 'path', 'status', 'timestamp'])
  return body
}

function bodyOf(response: string): string {
  return response.slice(response.indexOf('\r\n\r\n') + 4)
}

const head = (lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

test('200 for a collect', async () => {
  const response = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, {
    method: 'POST',
    headers: harness.headers,
    body: collectBody(),
  })
  assert.equal(response.status, 200, await response.clone().text())
})

test('200 for the absolute form of a request target', async () => {
  const response = await talk(head(['GET http://anything.example/health/live HTTP/1.1', 'Host: x', 'Connection: close']))
  assert.match(response, /^HTTP\/1\.1 200 /)
})

for (const [name, bytes, status, path] of [
  [
    'a head of 100 KB',
    head(['GET /api/v1/transaction/collect HTTP/1.1', 'Host: x', `X-Long: ${'a'.repeat(100_000)}`]),
    431,
    '/api/v1/transaction/collect',
  ],
  ['what is not HTTP', 'hello\r\n\r\n', 400, ''],
  ['an unknown method', head(['BREW /health HTTP/1.1', 'Host: x']), 400, '/health'],
  [
    'two different lengths',
    head(['POST /api/v1/transaction/collect HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Content-Length: 4']),
    400,
    '/api/v1/transaction/collect',
  ],
  [
    'a length and chunks at once',
    head(['POST /api/v1/transaction/collect HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Transfer-Encoding: chunked']),
    400,
    '/api/v1/transaction/collect',
  ],
  ['a tunnel', head(['CONNECT other.example:443 HTTP/1.1', 'Host: x']), 405, 'other.example:443'],
  ['a target that is not a path', head(['OPTIONS * HTTP/1.1', 'Host: x']), 400, '*'],
  [
    'an unknown expectation',
    head(['POST /api/v1/transaction/collect HTTP/1.1', 'Host: x', 'Expect: a-miracle', 'Content-Length: 0']),
    417,
    '/api/v1/transaction/collect',
  ],
] as const) {
  test(`${status} and the five fields for ${name}`, async () => {
    const response = await talk(bytes)
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), response.slice(0, 300))
    assert.match(response, /content-type: application\/json/i)
    const body = fiveFields(bodyOf(response))
    assert.equal(body.status, status)
    assert.equal(body.path, path)
  })
}

test('408 for a head that never ends', async () => {
  const response = await talk('GET /health HTTP/1.1\r\nHost: x\r\n')
  assert.match(response, /^HTTP\/1\.1 408 /)
  fiveFields(bodyOf(response))
})

test('408 for a body that never ends, and nothing is written', async () => {
  const externalId = randomUUID()
  const body = collectBody({ externalId })
  const response = await talk(
    head([
      'POST /api/v1/transaction/collect HTTP/1.1',
      'Host: x',
      ...Object.entries(harness.headers).map(([n, v]) => `${n}: ${v}`),
      `Content-Length: ${body.length + 1}`,
    ]) + body,
  )
  assert.match(response, /^HTTP\/1\.1 408 /)
  fiveFields(bodyOf(response))
  const { rows } = await harness.database.pool.query('select 1 from transactions where external_id = $1', [externalId])
  assert.equal(rows.length, 0)
})

test('100 for Expect: 100-continue before a body that fits, and 413 instead before one that does not', async () => {
  const credentials = Object.entries(harness.headers).map(([n, v]) => `${n}: ${v}`)
  const body = collectBody()
  const start = (length: number) =>
    head([
      'POST /api/v1/transaction/collect HTTP/1.1',
      'Host: x',
      ...credentials,
      'Expect: 100-continue',
      `Content-Length: ${length}`,
      'Connection: close',
    ])
  const refused = await talk(start(1_000_000))
  assert.match(refused, /^HTTP\/1\.1 413 /)
  assert.equal(fiveFields(bodyOf(refused)).status, 413)
  for (const fitting of [body, collectBody().padEnd(BODY_BYTES_MAX)]) {
    const accepted = await talk(start(fitting.length) + fitting)
    assert.match(accepted, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  }
  assert.match(await talk(start(BODY_BYTES_MAX + 1)), /^HTTP\/1\.1 413 /)
})

test('401 for Expect: 100-continue without credentials, and the connection ends', async () => {
  const response = await talk(
    head(['POST /api/v1/transaction/collect HTTP/1.1', 'Host: x', 'Expect: 100-continue', 'Content-Length: 1000']),
  )
  assert.match(response, /^HTTP\/1\.1 401 /)
  assert.match(response, /connection: close/i)
})

test('200 for a chunked body within the limit, and 413 beyond it while it still arrives', async () => {
  const small = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, {
    method: 'POST',
    headers: harness.headers,
    body: new Blob([collectBody()]).stream(),
    duplex: 'half',
  } as RequestInit)
  assert.equal(small.status, 200)
  const large = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, {
    method: 'POST',
    headers: harness.headers,
    body: new Blob(['x'.repeat(200_000)]).stream(),
    duplex: 'half',
  } as RequestInit)
  assert.equal(large.status, 413)
  fiveFields(await large.text())
})

test('200 for a valid request with garbage behind it', async () => {
  const body = collectBody()
  const credentials = Object.entries(harness.headers).map(([n, v]) => `${n}: ${v}`)
  const response = await new Promise<string>((resolve, reject) => {
    const socket = connect(harness.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (text.includes('transactionId')) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(
      `${head(['POST /api/v1/transaction/collect HTTP/1.1', 'Host: x', ...credentials, `Content-Length: ${body.length}`])}${body}garbage\r\n\r\n`,
    )
  })
  assert.match(response, /^HTTP\/1\.1 200 /)
})

test('200 for a request with Upgrade, as if it had none', async () => {
  const response = await talk(head(['GET /health/live HTTP/1.1', 'Host: x', 'Connection: Upgrade, close', 'Upgrade: websocket']))
  assert.match(response, /^HTTP\/1\.1 200 /)
})

test('404 for paths that can be read in two ways, wherever they lead', async () => {
  for (const path of [
    '//api/v1/transaction/collect',
    '/api//v1/transaction/collect',
    '/api/v1/transaction/collect/',
    '/api/v1/transaction/%2e%2e/x',
    '/x/../api/v1/transaction/collect',
    '/a%2fb',
    '/a\\b',
    '/api/v1/transaction/Collect',
  ]) {
    const response = await talk(head([`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: close', 'Content-Length: 0']))
    assert.match(response, /^HTTP\/1\.1 404 /, path)
    assert.equal(fiveFields(bodyOf(response)).path, path)
  }
})

test('no header that only Next or a trusted proxy may set reaches a page', async () => {
  const response = await fetch(`${harness.baseUrl}/transactions?x=1`, {
    headers: {
      'x-middleware-subrequest': 'x',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.example',
      'x-now-route-matches': '1',
      accept: 'text/html',
    },
  })
  const { page, headers } = (await response.json()) as { page: string; headers: Record<string, string> }
  assert.equal(page, '/transactions?x=1')
  assert.deepEqual(
    Object.keys(headers).filter((name) => /^x-(middleware|forwarded|now)/.test(name)),
    [],
  )
})

test('200 without a body for HEAD of a readable path, and 405 for HEAD of a command', async () => {
  const read = await fetch(`${harness.baseUrl}/health/live`, { method: 'HEAD' })
  assert.equal(read.status, 200)
  assert.equal(await read.text(), '')
  const command = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'HEAD' })
  assert.equal(command.status, 405)
  assert.equal(command.headers.get('allow'), 'POST')
})

test('200 for every accepted request during a drain, which closes idle connections and accepts no more', async () => {
  const other = await openHttpHarness()
  try {
    const idle = await fetch(`${other.baseUrl}/health/live`)
    assert.equal(idle.status, 200)
    const accepted = Array.from({ length: 40 }, () =>
      fetch(`${other.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: other.headers, body: collectBody() }),
    )
    await Promise.race(accepted)
    const drained = other.frontDoor.drain()
    const answers = await Promise.allSettled(accepted)
    await drained
    const { rows } = await other.database.pool.query<{ total: bigint }>('select count(*) as total from transactions')
    const answered = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status === 200).length
    assert.equal(BigInt(answered), rows[0]?.total, 'what was written was answered')
    await assert.rejects(fetch(`${other.baseUrl}/health/live`))
  } finally {
    await other.close().catch(() => undefined)
  }
})

test('503 immediately with Retry-After and the five fields when the queue is full', async () => {
  const other = await openHttpHarness({ queueMax: 0 })
  try {
    const response = await fetch(`${other.baseUrl}/api/v1/transaction/collect`, {
      method: 'POST',
      headers: other.headers,
      body: collectBody(),
    })
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '1')
    fiveFields(await response.text())
  } finally {
    await other.close()
  }
})

test('500 without details for an unexpected failure', async () => {
  const other = await openHttpHarness()
  try {
    const runtime = other.runtime as { intake: unknown }
    runtime.intake = { submit: () => Promise.reject(new Error('relation "transactions" does not exist')) }
    const response = await fetch(`${other.baseUrl}/api/v1/transaction/collect`, {
      method: 'POST',
      headers: other.headers,
      body: collectBody(),
    })
    assert.equal(response.status, 500)
    assert.doesNotMatch(JSON.stringify(fiveFields(await response.text())), /relation/)
  } finally {
    await other.close()
  }
})

test('200 for /health/live without the database, and 503 for /health/ready', async () => {
  const other = await openHttpHarness()
  try {
    for (const path of ['/health', '/health/ready', '/health/live']) assert.equal((await fetch(other.baseUrl + path)).status, 200)
    const runtime = other.runtime as { pool: unknown }
    runtime.pool = { query: () => Promise.reject(new Error('gone')) }
    assert.equal((await fetch(`${other.baseUrl}/health/live`)).status, 200)
    const ready = await fetch(`${other.baseUrl}/health`)
    assert.equal(ready.status, 503)
    fiveFields(await ready.text())
  } finally {
    await other.close()
  }
})

test('503 for /health/ready and 200 for /health/live and a payment while the directory of applications is out of date', async () => {
  const other = await openHttpHarness()
  const stale = await createDirectory({ pool: other.database.pool, staleAfterMs: 0 })
  try {
    const runtime = other.runtime as { directory: unknown }
    runtime.directory = stale
    for (const path of ['/health', '/health/ready']) {
      const answer = await fetch(other.baseUrl + path)
      assert.equal(answer.status, 503)
      assert.match(fiveFields(await answer.text()).message, /directory of applications/)
    }
    assert.equal((await fetch(`${other.baseUrl}/health/live`)).status, 200)
    const collect = { method: 'POST', headers: other.headers, body: collectBody() }
    assert.equal((await fetch(`${other.baseUrl}/api/v1/transaction/collect`, collect)).status, 200)
  } finally {
    await stale.close()
    await other.close()
  }
})
