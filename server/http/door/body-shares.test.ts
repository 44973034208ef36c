import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { errorSchema } from '#lib/schemas/api/responses.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { answersOf, headOf, talk } from '#server/http/testing/raw-client.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { BodyBudget } from '../request/body-budget.ts'

const MB = 1024 * 1024
const TRANSACTION = '/api/v1/transaction'
const SHARES = { totalMax: 12 * MB, applicationMax: 6 * MB, addressesMax: 3 * MB, addressMax: 2 * MB }
let room: HttpHarness
let budget: BodyBudget

// With the time limits of production: what is held here must not time out while the others are served.
before(async () => {
  budget = new BodyBudget(SHARES)
  room = await openHttpHarness({ frontDoor: { fallback: (_incoming, outgoing) => void outgoing.end('page'), budget } })
})
after(() => room.close())

const credentials = (headers = room.headers): string[] => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
const isAnswered = (text: string): boolean => answersOf(text).length > 0
const ACTION = ['Next-Action: 7f']

/** A request whose body stops before its last byte. */
async function openStopped(path: string, bytes: number, lines: readonly string[]): Promise<Socket> {
  const socket = connect(room.port, '127.0.0.1')
    .setEncoding('latin1')
    .on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(headOf(`POST ${path} HTTP/1.1`, [...lines, `Content-Length: ${bytes + 1}`]) + ' '.repeat(bytes))
  return socket
}

test('503 beyond the share of an application, and 200 for another application', async () => {
  const other = await createTestPartner(room.runtime.pool)
  const token = await room.runtime.tokens.sign(other.apiUserId, other.applicationId)
  const headers = { ...room.headers, apiKey: other.apiKey, apiId: other.apiId, authorization: `Bearer ${token}` }
  // Its keys and its user are stored after it, so an early look finds it without them.
  await waitUntil('the other application is known', () => {
    const known = room.directory.findByApiId(other.apiId)
    return known !== undefined && known.keys.length > 0 && known.apiUserEpochs.has(other.apiUserId) && known.allowList.admits('127.0.0.1')
  })
  const holding = await Promise.all(
    Array.from({ length: 6 }, () => openStopped(`${TRANSACTION}/depositMultiple`, 1_000_000, credentials())),
  )
  await waitUntil('the bodies have arrived', () => budget.heldBytes >= 5_000_000)
  assert.ok(budget.heldBytes <= SHARES.applicationMax)
  const batch = JSON.stringify(Array.from({ length: 1_000 }, () => aCollect({ note: 'x'.repeat(1_000) })))
  const served = await fetch(`${room.baseUrl}${TRANSACTION}/depositMultiple`, { method: 'POST', headers, body: batch })
  assert.equal(served.status, 200, await served.text())
  const refused = await fetch(`${room.baseUrl}${TRANSACTION}/depositMultiple`, { method: 'POST', headers: room.headers, body: batch })
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '1')
  errorSchema.parse(await refused.json())
  for (const socket of holding) socket.destroy()
  await waitUntil('the budget is returned', () => budget.heldBytes === 0)
})

test('503 beyond the share of an address whose page bodies stop, and 200 for the API', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openStopped('/sign-in', 500_000, ACTION)))
  await waitUntil('the bodies have arrived', () => budget.heldBytes >= 1_500_000)
  assert.ok(budget.heldBytes <= SHARES.addressMax)
  const served = await fetch(`${room.baseUrl}${TRANSACTION}/collect`, {
    method: 'POST',
    headers: { ...room.headers, 'content-type': 'application/json' },
    body: JSON.stringify(aCollect()),
  })
  assert.equal(served.status, 200)
  const refused = await talk(
    room.port,
    headOf('POST /sign-in HTTP/1.1', [...ACTION, 'Content-Length: 900000']) + ' '.repeat(900_000),
    isAnswered,
  )
  assert.equal(answersOf(refused)[0]?.status, 503)
  assert.match(answersOf(refused)[0]?.body ?? '', /very busy/)
  for (const socket of sockets) socket.destroy()
  await waitUntil('the budget is returned', () => budget.heldBytes === 0)
})
