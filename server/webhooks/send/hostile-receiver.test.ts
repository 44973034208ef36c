import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { waitUntil } from '#server/testing/wait-until.ts'
import { closeEverything, listen } from '../testing.ts'
import { createAddressGuard, createHostResolver, LOOPBACK_NETWORKS, NameLookupError } from './connect-target.ts'
import { createSender, type SenderOptions } from './send-webhook.ts'

const closing: (() => void)[] = []
after(async () => {
  for (const close of closing) close()
  await closeEverything()
})

function makeSender(options: Partial<SenderOptions> = {}) {
  const sender = createSender({
    resolveHost: createHostResolver(),
    mayConnectTo: createAddressGuard(LOOPBACK_NETWORKS),
    deadlineMs: 5_000,
    idleConnectionsMax: 16,
    ...options,
  })
  closing.push(() => sender.close())
  return sender
}

/** A receiver that answers each request on each connection with what `answer` writes. */
async function startHostile(answer: (socket: Socket, request: number) => void, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  let requests = 0
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', () => answer(socket, ++requests))
  })
  const port = await listen(server, host)
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://${host}:${port}/hook`, port, sockets, connections: () => connections }
}

/** Writes as fast as the other side reads, until the connection ends. */
function pour(socket: Socket, chunk: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

test('protocol_error immediately for a receiver that never stops sending interim answers', async () => {
  const receiver = await startHostile((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100)))
  const result = await makeSender().send(receiver.url, {}, '{}')
  assert.deepEqual([result.outcome, result.httpStatus], ['protocol_error', null])
  assert.ok(result.durationMs < 2_000, `${result.durationMs} ms, long before the deadline`)
  await waitUntil('the connection is closed', () => receiver.sockets.size === 0)
})

test('protocol_error or connection_error for endless headers or trailers, an upgrade, and impossible lengths', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n'
  const answers: [string, string][] = [
    ['protocol_error', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
    ['protocol_error', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['protocol_error', `${chunked}${'x: y\r\n'.repeat(20_000)}`],
    ['connection_error', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['protocol_error', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['connection_error', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n'],
    ['protocol_error', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\nabcde'],
    ['protocol_error', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n'],
    ['protocol_error', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['protocol_error', 'HTTP/9.9 200 OK\r\n\r\n'],
  ]
  for (const [outcome, answer] of answers) {
    const receiver = await startHostile((socket) => socket.end(answer))
    const result = await makeSender().send(receiver.url, {}, '{}')
    assert.equal(result.outcome, outcome, `${answer.slice(0, 80)}: ${result.detail}`)
  }
})

test('bad_status for a request before which a 200 had already been sent on the connection', async () => {
  const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
  const receiver = await startHostile((socket, request) =>
    socket.write(request === 1 ? ok + ok : 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'),
  )
  const sender = makeSender()
  assert.equal((await sender.send(receiver.url, {}, '{}')).outcome, 'delivered')
  assert.equal((await sender.send(receiver.url, {}, '{}')).outcome, 'bad_status')
  assert.equal(receiver.connections(), 2)
})

test('eight addresses are tried of a name with hundreds', async () => {
  const receiver = await startHostile((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), '127.0.7.200')
  const addresses = Array.from({ length: 255 }, (_, place) => `127.0.7.${place}`)
  const send = (from: number) =>
    makeSender({ resolveHost: () => Promise.resolve(addresses.slice(from)) }).send(`http://many.example:${receiver.port}/`, {}, '{}')
  assert.equal((await send(195)).outcome, 'delivered')
  assert.equal((await send(100)).outcome, 'connection_refused')
  assert.equal(receiver.connections(), 1)
})

test('well-formed text without NUL is stored of a failure, wherever it is cut', async () => {
  const words = [`${'x'.repeat(499)}\u{1f4b8}`, 'a\0b', 'half \ud83d']
  for (const text of words) {
    const sender = makeSender({ resolveHost: () => Promise.reject(new NameLookupError(text)) })
    const { detail } = await sender.send('http://receiver.example/', {}, '{}')
    assert.ok(detail?.isWellFormed() && !detail.includes('\0') && detail.length <= 500, JSON.stringify(detail))
  }
})
