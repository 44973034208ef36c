import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openCaller } from './caller.ts'

test('a caller reaches the service from its own address, and reports what no server answers as status 0', async () => {
  const server = createServer((request, response) => response.end(JSON.stringify({ from: request.socket.remoteAddress }))).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const caller = openCaller(baseUrl, { from: '127.100.7.1' })
  const reply = await caller.get('/')
  assert.deepEqual([reply.status, reply.body], [200, { from: '127.100.7.1' }])
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  assert.equal((await caller.post('/', {})).status, 0)
  await caller.close()
})
