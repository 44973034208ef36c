import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { mock, test } from 'node:test'
import { dropBody, readBody } from './body.ts'
import { BodyBudget } from './body-budget.ts'
import { breakConnection, connectionOf } from './connection.ts'

const KB = 1_024

/** A request on a connection of its own, whose body arrives as the test pushes it. */
function aRequest(headers: Record<string, string> = { 'transfer-encoding': 'chunked' }) {
  const socket = new Socket()
  const incoming = new IncomingMessage(socket)
  incoming.headers = headers
  const end = () => {
    incoming.complete = true
    incoming.push(null)
  }
  return { incoming, connection: connectionOf(socket), end }
}

function reading({ bytesMax = 100 * KB, timeoutMs = 60_000, totalMax = 1_000 * KB, headers }: Options = {}) {
  const budget = new BodyBudget({ totalMax })
  const hold = budget.open({ kind: 'application', id: 'a' })
  const request = aRequest(headers)
  const result = readBody(request.incoming, { bytesMax, timeoutMs, hold, connection: request.connection })
  return { ...request, result, hold, budget }
}
type Options = { bytesMax?: number; timeoutMs?: number; totalMax?: number; headers?: Record<string, string> }

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('every byte of a body in one piece and in many, and its memory counted until the caller returns it', async () => {
  for (const sizes of [[50 * KB], [1, 1, 7_000, 2, 60 * KB]]) {
    const { incoming, connection, end, result, hold, budget } = reading()
    const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 1))
    for (const chunk of chunks) incoming.push(chunk)
    end()
    const read = await result
    assert.deepEqual(read.ok && Buffer.from(read.value), Buffer.concat(chunks))
    assert.ok(budget.heldBytes >= Buffer.concat(chunks).length && budget.heldBytes <= 100 * KB, `${budget.heldBytes}`)
    assert.equal(connection.failBody, undefined)
    hold.release()
    assert.equal(budget.heldBytes, 0)
  }
})

test('an empty body at once where no header announces one, also on a broken connection', async () => {
  const cases: Record<string, string>[] = [{}, { 'content-length': '0' }]
  for (const headers of cases) {
    const { incoming, connection } = aRequest(headers)
    connection.isBroken = true
    const hold = new BodyBudget().open({ kind: 'address', id: 'a' })
    assert.deepEqual(await readBody(incoming, { bytesMax: 1, timeoutMs: 1, hold, connection }), { ok: true, value: Buffer.alloc(0) })
  }
})

test('too_large before the first byte of a body that is announced so, and for the byte that is too many of any other; nothing is held', async () => {
  const announced = reading({ bytesMax: 10, headers: { 'content-length': '11' } })
  assert.deepEqual(await announced.result, { ok: false, error: 'too_large' })
  assert.equal(announced.incoming.listenerCount('data'), 0)
  const chunked = reading({ bytesMax: 10 })
  for (const size of [6, 4]) chunked.incoming.push(Buffer.alloc(size))
  await turn()
  assert.equal(chunked.budget.heldBytes, 10)
  chunked.incoming.push(Buffer.alloc(1))
  assert.deepEqual(await chunked.result, { ok: false, error: 'too_large' })
  assert.equal(chunked.budget.heldBytes, 0)
  const exact = reading({ bytesMax: 10, headers: { 'content-length': '10' } })
  exact.incoming.push(Buffer.alloc(10))
  exact.end()
  assert.equal((await exact.result).ok, true)
})

test('no_room, with nothing held, for a body that exceeds what is left for all', async () => {
  const { incoming, result, budget } = reading({ totalMax: 8 * KB })
  incoming.push(Buffer.alloc(8 * KB))
  await turn()
  assert.equal(budget.heldBytes, 8 * KB)
  incoming.push(Buffer.alloc(1))
  assert.deepEqual(await result, { ok: false, error: 'no_room' })
  assert.equal(budget.heldBytes, 0)
})

test('no memory besides what is counted for bodies that grow, and none at all after they fail, without a collection', async () => {
  const MB = 1_024 * KB
  const chunk = Buffer.alloc(64 * KB)
  const before = process.memoryUsage().arrayBuffers
  const budget = new BodyBudget({ totalMax: 40 * MB, applicationMax: 40 * MB })
  const bodies = Array.from({ length: 20 }, () => {
    const hold = budget.open({ kind: 'application', id: 'a' })
    const request = aRequest()
    const { incoming, connection } = request
    return { ...request, result: readBody(incoming, { bytesMax: 2 * MB, timeoutMs: 60_000, hold, connection }) }
  })
  for (let number = 0; number < 17; number++) {
    for (const { incoming } of bodies) incoming.push(chunk)
    await turn()
  }
  assert.equal(budget.heldBytes, 40 * MB)
  const held = process.memoryUsage().arrayBuffers - before
  assert.ok(held < 41 * MB, `${held / MB} MB`)
  for (const { incoming } of bodies) incoming.emit('close')
  for (const { result } of bodies) assert.deepEqual(await result, { ok: false, error: 'aborted' })
  const left = process.memoryUsage().arrayBuffers - before
  assert.ok(left < MB, `${left / MB} MB`)
})

test('too_slow for a body that is not complete in time, and what arrives later counts for nothing', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { incoming, result, budget, connection } = reading({ timeoutMs: 1_000 })
  incoming.push(Buffer.alloc(10))
  context.mock.timers.tick(1_000)
  assert.deepEqual(await result, { ok: false, error: 'too_slow' })
  incoming.push(Buffer.alloc(10))
  await turn()
  assert.deepEqual([budget.heldBytes, connection.failBody], [0, undefined])
})

test('malformed for a body in which the parser stops or stopped, and not for one that was complete before', async () => {
  const during = reading()
  during.incoming.push(Buffer.alloc(5))
  await turn()
  breakConnection(during.connection, 'malformed')
  assert.deepEqual([await during.result, during.budget.heldBytes], [{ ok: false, error: 'malformed' }, 0])

  const { incoming, connection } = aRequest()
  connection.isBroken = true
  const hold = new BodyBudget().open({ kind: 'address', id: 'a' })
  assert.deepEqual(await readBody(incoming, { bytesMax: 10, timeoutMs: 60_000, hold, connection }), { ok: false, error: 'malformed' })

  const complete = reading()
  complete.incoming.push(Buffer.from('whole'))
  complete.end()
  breakConnection(complete.connection, 'malformed')
  const read = await complete.result
  assert.equal(read.ok && Buffer.from(read.value).toString(), 'whole')
})

test('aborted, with nothing held and no timer left, for a client that breaks off, with an error and without', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  const before = timers()
  for (const error of [undefined, new Error('reset')]) {
    const { incoming, result, budget } = reading()
    incoming.push(Buffer.alloc(10))
    await turn()
    incoming.destroy(error)
    assert.deepEqual([await result, budget.heldBytes, timers()], [{ ok: false, error: 'aborted' }, 0, before])
  }
})

test('512 KB of all dropped bodies are read in ten milliseconds: the others wait, and each has its turn', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const bodies = Array.from({ length: 12 }, () => aRequest().incoming)
    for (const incoming of bodies) {
      dropBody(incoming, 10_000 * KB, assert.fail)
      incoming.push(Buffer.alloc(64 * KB))
    }
    await turn()
    const waiting = () => bodies.filter((incoming) => incoming.isPaused()).length
    // Eight fill the slice. The four after them have been read, and pause until a later one.
    assert.equal(waiting(), 4)
    for (const incoming of bodies) incoming.push(Buffer.alloc(64 * KB))
    await turn()
    assert.equal(waiting(), 12)
    for (const left of [4, 0]) {
      mock.timers.tick(10)
      assert.equal(waiting(), left)
    }
    mock.timers.tick(10)
    bodies[0]?.push(Buffer.alloc(64 * KB))
    await turn()
    assert.equal(waiting(), 0)
    mock.timers.tick(10)
  } finally {
    mock.timers.reset()
  }
})

test('a dropped body ends the connection with the first byte beyond the limit, and not before', async () => {
  let isTooMuch = false
  const { incoming } = aRequest()
  dropBody(incoming, 100, () => (isTooMuch = true))
  incoming.push(Buffer.alloc(100))
  await turn()
  assert.equal(isTooMuch, false)
  incoming.push(Buffer.alloc(1))
  await turn()
  assert.equal(isTooMuch, true)
})
