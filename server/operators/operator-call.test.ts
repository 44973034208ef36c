import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createOperatorHttpClient, type OperatorHttpClient } from './operator-http-client.ts'

let client: OperatorHttpClient
/** The paths that reached the operator. */
let seen: string[] = []
const held: ServerResponse[] = []
const server = createServer((request, response) => {
  seen.push(request.url ?? '')
  if (request.url === '/held') held.push(response)
  else response.end('{}')
})

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  client = createOperatorHttpClient(`http://127.0.0.1:${port}`, 1, {})
})
after(async () => {
  await client.close()
  server.closeAllConnections()
  server.close()
})

const call = (path: string, limits: { timeoutMs?: number; writeBeforeMs?: number } = {}) =>
  client.call({ method: 'POST', path, headers: {}, body: 'x', timeoutMs: 10_000, ...limits })

/** Makes the one connection busy until `release` is called. */
async function occupy(): Promise<{ release(): Promise<void> }> {
  seen = []
  const first = call('/held')
  const response = await waitUntil('the connection is busy', async () => held.shift())
  return {
    async release() {
      response.end('{}')
      await first
    },
  }
}

test('not written, and never after it, for a call that timed out while its one connection was busy', async () => {
  const busy = await occupy()
  const outcome = await call('/late', { timeoutMs: 40 })
  assert.deepEqual([outcome.kind, outcome.kind === 'lost' && outcome.wasWritten], ['lost', false])
  await busy.release()
  // The next call on this connection comes after whatever was still waiting for it.
  assert.equal((await call('/next')).kind, 'answered')
  assert.deepEqual(seen, ['/held', '/next'])
})

test('not written at or after the end of its submission, whether it had a connection or waited for one', async () => {
  seen = []
  const outcome = await call('/over', { writeBeforeMs: performance.now() })
  assert.deepEqual([outcome.kind, outcome.kind === 'lost' && outcome.wasWritten], ['lost', false])
  const busy = await occupy()
  const writeBeforeMs = performance.now() + 60
  const waiting = call('/waited', { writeBeforeMs })
  await waitUntil('the time is over', async () => performance.now() >= writeBeforeMs)
  await busy.release()
  const waited = await waiting
  assert.deepEqual([waited.kind, waited.kind === 'lost' && waited.wasWritten], ['lost', false])
  assert.equal((await call('/next', { writeBeforeMs: performance.now() + 10_000 })).kind, 'answered')
  assert.deepEqual(seen, ['/held', '/next'])
})
