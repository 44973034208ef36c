import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { waitUntil } from '#server/testing/wait-until.ts'
import { DEADLINE_MS, makeSender, startRaw } from '../testing/senders.ts'
import { closeEverything, startReceiver } from '../testing.ts'

after(closeEverything)

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
  test(`${outcome} for a receiver that answers ${status}`, async () => {
    const receiver = await startReceiver((response) => response.writeHead(status).end())
    const result = await makeSender().send(receiver.url, {}, '{}')
    assert.deepEqual([result.outcome, result.httpStatus], [outcome, status])
    await receiver.close()
  })
}

test('redirect, without a request to the new address, for an answer that points to a metadata service', async () => {
  const receiver = await startReceiver((response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data?secret=1' }).end(),
  )
  const result = await makeSender().send(receiver.url, {}, '{}')
  assert.equal(result.outcome, 'redirect')
  assert.equal(result.detail, 'Answered 302 and pointed to http://169.254.169.254/latest/meta-data; redirects are not followed.')
  assert.equal(receiver.received.length, 1)
  await receiver.close()
})

test('redirect, without a request to the new address, from http to https', async () => {
  const other = await startReceiver((response) => response.end())
  const receiver = await startReceiver((response) => response.writeHead(301, { location: other.url }).end())
  assert.equal((await makeSender().send(receiver.url, {}, '{}')).outcome, 'redirect')
  assert.equal(other.received.length, 0)
  await Promise.all([receiver.close(), other.close()])
})

test('timeout_<phase> for a receiver that hangs, in whichever phase, and its connection is closed', async () => {
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

test('delivered for a 200 with an endless body, of which 64 KB are read', async () => {
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

test('delivered for a compressed body, which is not decompressed', async () => {
  // Not valid gzip: an attempt to inflate it would fail.
  const receiver = await startReceiver((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'))
  assert.equal((await makeSender().send(receiver.url, {}, '{}')).outcome, 'delivered')
  await receiver.close()
})

test('connection_refused, connection_error or protocol_error for a connection that is refused, reset or not HTTP', async () => {
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

test('tls_error or timeout_tls for a handshake that is not TLS or never ends', async () => {
  const garbage = await startRaw((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  assert.equal((await makeSender().send(`https://127.0.0.1:${garbage.port}/`, {}, '{}')).outcome, 'tls_error')
  const silent = await startRaw(() => undefined)
  assert.equal((await makeSender().send(`https://127.0.0.1:${silent.port}/`, {}, '{}')).outcome, 'timeout_tls')
  await waitUntil('the connection is closed', () => silent.sockets.size === 0)
  garbage.close()
  silent.close()
})

test('one connection for two webhooks in a row', async () => {
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

test('an open connection, a second later, only to a receiver that states that it keeps it longer', async () => {
  const answering = (header: string) =>
    startRaw((socket) => socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${header}content-length: 0\r\n\r\n`)))
  const [stated, silent, short] = await Promise.all([
    answering('keep-alive: timeout=5\r\n'),
    answering(''),
    answering('keep-alive: timeout=1\r\n'),
  ])
  const sender = makeSender()
  for (const { url } of [stated, silent, short]) assert.equal((await sender.send(url, {}, '{}')).outcome, 'delivered')
  await waitUntil('the others are closed', () => silent.sockets.size + short.sockets.size === 0)
  assert.equal(stated.sockets.size, 1)
})
