import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createAddressGuard, LOOPBACK_NETWORKS } from './guard-address.ts'
import { createHostResolver } from './resolve-host.ts'
import { createSender, type Sender, type SenderOptions } from './send-webhook.ts'
import { closeEverything, listen, startReceiver } from './testing.ts'

// Long enough for an answer on a busy machine; only what hangs waits for it.
const DEADLINE_MS = 600
const opened: { close(): unknown }[] = []
after(async () => {
  for (const each of opened) each.close()
  await closeEverything()
})

function makeSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    resolveHost: createHostResolver(),
    mayConnectTo: createAddressGuard(LOOPBACK_NETWORKS),
    deadlineMs: DEADLINE_MS,
    idleConnectionsMax: 16,
    ...options,
  })
  opened.push(sender)
  return sender
}

/** A server that does with each connection what it likes. */
async function startRaw(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; port: number; sockets: Set<Socket>; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket)
    // Unread, it would not notice that the other side closed.
    socket.resume()
  })
  const port = await listen(server)
  const raw = {
    url: `http://127.0.0.1:${port}/`,
    port,
    sockets,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  opened.push(raw)
  return raw
}

for (const [status, outcome] of [
  [200, 'delivered'],
  [201, 'bad_status'],
  [202, 'bad_status'],
  [204, 'bad_status'],
  [301, 'redirect'],
  [302, 'redirect'],
  [304, 'redirect'],
  [400, 'bad_status'],
  [404, 'bad_status'],
  [429, 'bad_status'],
  [500, 'bad_status'],
] as const) {
  test(`a receiver that answers ${status}: ${outcome}`, async () => {
    const receiver = await startReceiver((response) => response.writeHead(status).end())
    const result = await makeSender().send(receiver.url, {}, '{}')
    assert.deepEqual([result.outcome, result.httpStatus], [outcome, status])
    await receiver.close()
  })
}

test('a redirect to the metadata address is recorded and never followed', async () => {
  const receiver = await startReceiver((response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data?secret=1' }).end(),
  )
  const result = await makeSender().send(receiver.url, {}, '{}')
  assert.equal(result.outcome, 'redirect')
  assert.equal(result.detail, 'Answered 302 and pointed to http://169.254.169.254/latest/meta-data; redirects are not followed.')
  assert.equal(receiver.received.length, 1)
  await receiver.close()
})

test('a redirect from http to https sends nothing to the new place', async () => {
  const other = await startReceiver((response) => response.end())
  const receiver = await startReceiver((response) => response.writeHead(301, { location: other.url }).end())
  assert.equal((await makeSender().send(receiver.url, {}, '{}')).outcome, 'redirect')
  assert.equal(other.received.length, 0)
  await Promise.all([receiver.close(), other.close()])
})

test('one deadline ends a receiver that hangs, whatever it hangs in, and its connection is closed', async () => {
  const cases: [string, (socket: Socket) => void][] = [
    ['timeout_headers', () => undefined],
    ['timeout_headers', (socket) => socket.write('HTTP/1.1 200 OK\r\n')],
    ['timeout_body', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')],
    [
      'timeout_body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
        const drip = setInterval(() => socket.write('x'), 10)
        socket.on('close', () => clearInterval(drip))
      },
    ],
    [
      'timeout_headers',
      (socket) => {
        const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10)
        socket.on('close', () => clearInterval(drip))
      },
    ],
  ]
  for (const [outcome, behave] of cases) {
    const raw = await startRaw((socket) => socket.once('data', () => behave(socket)))
    const result = await makeSender().send(raw.url, {}, '{}')
    assert.equal(result.outcome, outcome)
    assert.ok(result.durationMs >= DEADLINE_MS - 5 && result.durationMs < DEADLINE_MS + 1_000, `${result.durationMs} ms`)
    await waitUntil('the connection is closed', () => raw.sockets.size === 0)
    raw.close()
  }
})

test('of an endless body 64 KB are read, and it counts as received', async () => {
  let written = 0
  const raw = await startRaw((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
      const pour = (): void => {
        while (!socket.destroyed && socket.write(chunk)) written += 0x4000
      }
      socket.on('drain', pour)
      pour()
    }),
  )
  const result = await makeSender({ deadlineMs: 5_000 }).send(raw.url, {}, '{}')
  assert.deepEqual([result.outcome, result.httpStatus], ['delivered', 200])
  assert.match(result.detail ?? '', /64 KB/)
  await waitUntil('the connection is closed', () => raw.sockets.size === 0)
  assert.ok(written < 8_000_000, 'the connection was closed early')
  raw.close()
})

test('a compressed body is not inflated', async () => {
  // Not valid gzip: an attempt to inflate it would fail.
  const receiver = await startReceiver((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'))
  assert.equal((await makeSender().send(receiver.url, {}, '{}')).outcome, 'delivered')
  await receiver.close()
})

test('connections that are refused, reset or answered with something else each have their name', async () => {
  const refused = await startRaw(() => undefined)
  refused.close()
  const sender = makeSender()
  assert.equal((await sender.send(refused.url, {}, '{}')).outcome, 'connection_refused')
  const reset = await startRaw((socket) => socket.once('data', () => socket.resetAndDestroy()))
  assert.equal((await sender.send(reset.url, {}, '{}')).outcome, 'connection_error')
  const closed = await startRaw((socket) => socket.once('data', () => socket.end()))
  assert.equal((await sender.send(closed.url, {}, '{}')).outcome, 'connection_error')
  const garbage = await startRaw((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
  assert.equal((await sender.send(garbage.url, {}, '{}')).outcome, 'protocol_error')
  for (const server of [reset, closed, garbage]) server.close()
})

test('TLS that is none, and TLS that never ends, are failures of TLS', async () => {
  const garbage = await startRaw((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  assert.equal((await makeSender().send(`https://127.0.0.1:${garbage.port}/`, {}, '{}')).outcome, 'tls_error')
  const silent = await startRaw(() => undefined)
  assert.equal((await makeSender().send(`https://127.0.0.1:${silent.port}/`, {}, '{}')).outcome, 'timeout_tls')
  await waitUntil('the connection is closed', () => silent.sockets.size === 0)
  garbage.close()
  silent.close()
})

test('private targets are refused without a connection, however the address is written', async () => {
  let connections = 0
  const raw = await startRaw(() => connections++)
  const sender = makeSender({ mayConnectTo: createAddressGuard([]) })
  const hosts = [
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '[64:ff9b::7f00:1]',
  ]
  for (const host of hosts) {
    const result = await sender.send(`http://${host}:${raw.port}/`, {}, '{}')
    assert.equal(result.outcome, 'refused_target', host)
    assert.doesNotMatch(result.detail ?? '', /\d+\.\d+\.\d+/, "what a name resolves to inside is nobody's business")
  }
  assert.equal(connections, 0)
  raw.close()
})

test('addresses that are no http URL are failed attempts, not crashes', async () => {
  const sender = makeSender()
  for (const url of [
    '',
    'nonsense',
    'ftp://127.0.0.1/',
    'http://',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1:0/',
    'javascript:1',
    'http://[::1',
    'http://a b/',
  ]) {
    assert.equal((await sender.send(url, {}, '{}')).outcome, 'invalid_url', url)
  }
})

test('user name and password of the address become an authorization header and stay out of the record', async () => {
  const receiver = await startReceiver((response) => response.writeHead(403).end())
  const result = await makeSender().send(receiver.url.replace('//', '//kora:s%40cret@'), {}, '{}')
  assert.equal(receiver.received[0]?.headers.authorization, `Basic ${Buffer.from('kora:s@cret').toString('base64')}`)
  assert.doesNotMatch(JSON.stringify(result), /s(%40|@)cret/)
  await receiver.close()
})

test('a connection is used again for the next webhook', async () => {
  const ports = new Set<number>()
  const raw = await startRaw((socket) => {
    ports.add(socket.remotePort ?? 0)
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  })
  const sender = makeSender()
  for (let time = 0; time < 5; time++) assert.equal((await sender.send(raw.url, {}, '{}')).outcome, 'delivered')
  assert.equal(ports.size, 1)
  raw.close()
})

/** Answers A queries with the given addresses in turn, AAAA queries with nothing; undefined: never answers; null: no such name. */
async function startNameServer(answers: (string | null | undefined)[]): Promise<{ address: string; queries: () => number; close(): void }> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (query, peer) => {
    const questionEnd = query.indexOf(0, 12) + 5
    const isA = query.readUInt16BE(questionEnd - 4) === 1
    const answer = isA ? answers[Math.min(asked++, answers.length - 1)] : answers[0] === undefined ? undefined : ''
    if (answer === undefined) return
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(answer === null ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(answer ? 1 : 0, 6)
    header.writeUInt32BE(0, 8)
    const record = answer ? Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...answer.split('.').map(Number)]) : Buffer.alloc(0)
    socket.send(Buffer.concat([header, query.subarray(12, questionEnd), record]), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { address: `127.0.0.1:${socket.address().port}`, queries: () => asked, close: () => socket.close() }
}

test('a name that resolves to a private address is refused', async () => {
  const names = await startNameServer(['10.0.0.7'])
  const result = await makeSender({ resolveHost: createHostResolver([names.address]) }).send('http://receiver.example/', {}, '{}')
  assert.equal(result.outcome, 'refused_target')
  names.close()
})

test('a name that changes its address after the check gains nothing: the checked address is connected to', async () => {
  const receiver = await startReceiver((response) => response.end(), '127.0.0.5')
  const names = await startNameServer(['127.0.0.5', '10.0.0.7'])
  const sender = makeSender({ resolveHost: createHostResolver([names.address]), mayConnectTo: createAddressGuard(['127.0.0.5/32']) })
  const result = await sender.send(`http://receiver.example:${receiver.port}/`, {}, '{}')
  assert.equal(result.outcome, 'delivered')
  assert.equal(names.queries(), 1, 'asked once')
  assert.equal(receiver.received[0]?.headers.host, `receiver.example:${receiver.port}`)
  names.close()
  await receiver.close()
})

test('a name that does not exist, and a name server that is silent', async () => {
  const missing = await startNameServer([null])
  assert.equal(
    (await makeSender({ resolveHost: createHostResolver([missing.address]) }).send('http://receiver.example/', {}, '{}')).outcome,
    'dns_error',
  )
  const silent = await startNameServer([undefined])
  assert.equal(
    (await makeSender({ resolveHost: createHostResolver([silent.address]) }).send('http://receiver.example/', {}, '{}')).outcome,
    'timeout_dns',
  )
  missing.close()
  silent.close()
})
