import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createPageTurns, type PageTurns } from './page-turns.ts'

const ANONYMOUS = { personId: undefined, peerAddress: '192.0.2.1' }
/** Longer than any test: only what is tested ends a turn. */
const LONG_MS = 60_000

/** Begins a render whose answer is never written. */
function begin(
  turns: PageTurns,
  visitor: Parameters<PageTurns['take']>[0] = ANONYMOUS,
): { hasBegun(): boolean; endTurn(): void; leave(): void } {
  let end: (() => void) | undefined
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
  void turns.take(visitor, outgoing, (endTurn) => {
    end = endTurn
  })
  return { hasBegun: () => end !== undefined, endTurn: () => end?.(), leave: () => void outgoing.emit('close') }
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a render that says that it waits for something else makes room for the next', async () => {
  const turns = createPageTurns({ anonymousMax: 1, turnMs: { person: LONG_MS, anonymous: LONG_MS }, pauseFactor: 0 })
  const [first, second] = [begin(turns), begin(turns)]
  await soon()
  assert.deepEqual([first.hasBegun(), second.hasBegun()], [true, false])
  first.endTurn()
  await soon()
  assert.ok(second.hasBegun())
  second.endTurn()
})

test('a render whose reader reads nothing makes room for the next after the time of a turn', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turns = createPageTurns({ anonymousMax: 1, turnMs: { person: LONG_MS, anonymous: 250 }, pauseFactor: 0 })
  const [first, second] = [begin(turns), begin(turns)]
  await soon()
  t.mock.timers.tick(249)
  await soon()
  assert.deepEqual([first.hasBegun(), second.hasBegun()], [true, false])
  t.mock.timers.tick(1)
  await soon()
  assert.ok(second.hasBegun())
})

test('a render whose client leaves makes room for the next', async () => {
  const turns = createPageTurns({ anonymousMax: 1, turnMs: { person: LONG_MS, anonymous: LONG_MS }, pauseFactor: 0 })
  const [first, second] = [begin(turns), begin(turns)]
  await soon()
  assert.deepEqual([first.hasBegun(), second.hasBegun()], [true, false])
  first.leave()
  await soon()
  assert.ok(second.hasBegun())
  second.endTurn()
})

test('a page that is kept for everybody is rendered when it is its turn among readers without a session, and makes room for the next', async () => {
  const turns = createPageTurns({ anonymousMax: 1, turnMs: { person: LONG_MS, anonymous: LONG_MS }, pauseFactor: 0 })
  const first = begin(turns)
  await soon()
  const rendered = Promise.withResolvers<string>()
  let hasBegun = false
  const forAll = turns.takeForAll(() => {
    hasBegun = true
    return rendered.promise
  })
  await soon()
  assert.ok(!hasBegun)
  first.endTurn()
  await soon()
  assert.ok(hasBegun)
  const next = begin(turns)
  await soon()
  assert.ok(!next.hasBegun())
  rendered.resolve('page')
  assert.equal(await forAll, 'page')
  await soon()
  assert.ok(next.hasBegun())
  next.endTurn()
})

test('waiting visitors take turns by network, then by address and by person, however many requests each of them has sent', async () => {
  const visitor = (peerAddress: string, personId?: string) => ({ personId, peerAddress })
  const [many, neighbour, elsewhere] = [visitor('192.0.2.1'), visitor('192.0.2.2'), visitor('198.51.100.1')]
  const [anna, ben] = [visitor('192.0.2.1', 'anna'), visitor('192.0.2.1', 'ben')]
  for (const all of [
    // Of three that wait at 192.0.2.1, one of its neighbour and one of another network, each comes when it is its place's turn.
    [many, many, many, neighbour, elsewhere],
    [anna, anna, anna, ben],
  ]) {
    const turns = createPageTurns({
      concurrency: 1,
      anonymousMax: 1,
      personMax: 1,
      turnMs: { person: LONG_MS, anonymous: LONG_MS },
      pauseFactor: 0,
    })
    const first = begin(turns, { personId: undefined, peerAddress: '203.0.113.9' })
    await soon()
    const waiting = all.map((one) => ({ one, turn: begin(turns, one) }))
    await soon()
    first.endTurn()
    const order: number[] = []
    const places = [...new Set(all)]
    for (let rest = [...waiting]; rest.length > 0; ) {
      await soon()
      const next = rest.find(({ turn }) => turn.hasBegun()) ?? assert.fail('somebody has a turn')
      order.push(places.indexOf(next.one))
      rest = rest.filter((each) => each !== next)
      next.turn.endTurn()
    }
    assert.ok(order.indexOf(places.length - 1) <= 1, `the last to come waits for one other at most: ${order.join()}`)
    if (places.length === 3) assert.ok(order.indexOf(1) <= 2, `the neighbour does not wait for three: ${order.join()}`)
  }
})

test('one listener for the end of an answer while it waits and while it is rendered, none afterwards', async () => {
  const turns = createPageTurns({ anonymousMax: 1, turnMs: { person: LONG_MS, anonymous: LONG_MS }, pauseFactor: 0 })
  const counts: number[] = []
  const first = begin(turns)
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
  const count = () => counts.push(outgoing.listenerCount('close'))
  const done = turns.take(ANONYMOUS, outgoing, (endTurn) => {
    count()
    endTurn()
  })
  await soon()
  count()
  first.endTurn()
  await done
  count()
  assert.deepEqual(counts, [1, 1, 0])
})

test('four renders of one person and two without a session at once, each for its time where nothing ends it earlier', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [visitor, atOnce, lastsMs] of [
    [{ personId: 'one', peerAddress: '192.0.2.1' }, 4, 1_000],
    [ANONYMOUS, 2, 250],
  ] as const) {
    const turns = createPageTurns({ pauseFactor: 0 })
    const renders = Array.from({ length: atOnce + 1 }, () => begin(turns, visitor))
    const begunAfter = async (ms: number) => {
      t.mock.timers.tick(ms)
      await soon()
      return renders.filter((render) => render.hasBegun()).length
    }
    assert.deepEqual([await begunAfter(0), await begunAfter(lastsMs - 1), await begunAfter(1)], [atOnce, atOnce, atOnce + 1])
  }
})

test('a render without a session starts when twice as long has passed as the last one kept the event loop busy, a person’s at once', async () => {
  const turns = createPageTurns({ anonymousMax: 1 })
  const first = begin(turns)
  await soon()
  const busyUntilMs = performance.now() + 20
  while (performance.now() < busyUntilMs);
  first.endTurn()
  const endedAtMs = performance.now()
  const startedAtMs = Promise.withResolvers<number>()
  const next = turns.takeForAll(async () => startedAtMs.resolve(performance.now()))
  const person = begin(turns, { personId: 'one', peerAddress: '192.0.2.1' })
  await soon()
  assert.ok(person.hasBegun())
  person.endTurn()
  // A timer may be a millisecond early.
  assert.ok((await startedAtMs.promise) - endedAtMs >= 39)
  await next
})
