import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { collectBody, openHttpHarness } from '#server/http/testing/http-harness.ts'

/** A connection over which one request was answered and which was kept. */
async function openKeptConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

test('200 for requests that were sent over kept connections before the drain started and were not read yet', async () => {
  const harness = await openHttpHarness()
  try {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openKeptConnection(Number(new URL(harness.baseUrl).port))))
    const head = Object.entries({ Host: 'localhost', ...harness.headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const answers = sockets.map((socket) => {
      const body = collectBody()
      socket.write(`POST /api/v1/transaction/collect HTTP/1.1\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      return readAll(socket)
    })
    // In the same turn: the server cannot have read anything.
    const drained = harness.frontDoor.drain()
    for (const answer of await Promise.all(answers)) {
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.match(answer, /\r\nConnection: close\r\n/i)
    }
    await drained
    await assert.rejects(fetch(`${harness.baseUrl}/health/live`))
  } finally {
    await harness.close()
  }
})
