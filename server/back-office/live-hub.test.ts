import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createPool, type Queryable } from '#server/database/pool.ts'
import { endSession } from '#server/people/sign-in/sessions.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { startTcpProxy } from '#server/testing/tcp-proxy.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createLiveHub, type LiveHub, liveStream, type Subscription } from './live-hub.ts'

const onLost = () => assert.fail('the database is there')
const clock = { now: () => new Date() }
let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** The real pool, counting the statements that go through it; `more` resolves after that many more. */
function counting() {
  let count = 0
  const query = (...parameters: unknown[]) => {
    count++
    return Reflect.apply(database.pool.query, database.pool, parameters)
  }
  const more = async (wanted: number) => {
    const goal = count + wanted
    await waitUntil(`${wanted} more statements`, () => count >= goal)
  }
  return { queryable: { query } as Queryable, count: () => count, more }
}

async function createSubscriber() {
  const applicationId = await makeApplication(database.pool)
  return {
    applicationId,
    personId: await makePerson(database.pool, applicationId, ['checker']),
    epoch: 1,
    sessionId: randomUUID(),
    endsAt: new Date(Date.now() + 3_600_000),
  }
}

const change = (applicationId: string) => takeIn(database.pool, [anIntakeItem(applicationId)])

test('one statement a tick for five hundred subscribers of two applications', async () => {
  const { queryable, count, more } = counting()
  const hub = createLiveHub({ clock, queryable, pollMs: 20, admissionMs: 3_600_000 })
  const [first, second] = [await createSubscriber(), await createSubscriber()]
  const heard = { first: 0, second: 0 }
  const all = Promise.withResolvers<void>()
  const leave = Array.from({ length: 500 }, (_, n) =>
    hub.watch({
      ...(n % 2 ? first : second),
      onChange: () => {
        heard[n % 2 ? 'first' : 'second']++
        if (heard.first === 500) all.resolve()
      },
      onEnd: () => assert.fail('still allowed'),
      onLost,
    }),
  )
  await more(3)
  const before = count()
  await change(first.applicationId)
  await all.promise
  await more(2)
  // Once at the first poll, for what happened while the page was on its way, and once for the change.
  assert.deepEqual(heard, { first: 500, second: 250 })
  assert.ok(count() - before < 100, `${count() - before} statements`)
  for (const each of leave) each()
  assert.equal(hub.count(), 0)
})

test('no statement and no later poll once no page is open', async () => {
  const { queryable, count } = counting()
  const pending: (() => void)[] = []
  const hub = createLiveHub({ clock, queryable, callLater: (work) => void pending.push(work) })
  const leave = hub.watch({ ...(await createSubscriber()), onChange: () => undefined, onEnd: () => undefined, onLost })
  leave()
  assert.equal(pending.length, 1, 'the poll that was due')
  pending.shift()?.()
  // The statements of a poll are sent in the turns of the event loop that follow it.
  await setImmediate()
  assert.deepEqual([count(), pending.length], [0, 0])
})

test('a change that happened in between is reported by the first poll after a page comes back', async () => {
  const hub = createLiveHub({ clock, queryable: database.pool, pollMs: 5, admissionMs: 3_600_000 })
  const subscriber = await createSubscriber()
  const heard: bigint[] = []
  const watch = () => hub.watch({ ...subscriber, onChange: ({ changeNumber }) => heard.push(changeNumber), onEnd: () => undefined, onLost })
  const leave = watch()
  await waitUntil('the first poll', () => heard.length === 1)
  leave()
  await change(subscriber.applicationId)
  const leaveAgain = watch()
  await waitUntil('the poll after the return', () => heard.length === 2)
  assert.ok((heard[1] ?? 0n) > (heard[0] ?? 0n))
  leaveAgain()
})

test('a change of the business time zone is reported with the new zone', async () => {
  const hub = createLiveHub({ clock, queryable: database.pool, pollMs: 5, admissionMs: 3_600_000 })
  const subscriber = await createSubscriber()
  const zones: string[] = []
  const leave = hub.watch({ ...subscriber, onChange: ({ timeZone }) => zones.push(timeZone), onEnd: () => undefined, onLost })
  await waitUntil('the first poll', () => zones.length === 1)
  await database.pool.query("update applications set time_zone = 'Africa/Douala' where application_id = $1", [subscriber.applicationId])
  await waitUntil('the new zone', () => zones.length === 2)
  assert.deepEqual(zones, ['UTC', 'Africa/Douala'])
  leave()
})

test('ended: pages of people who are blocked, signed out everywhere or no longer members, and no others', async () => {
  const hub = createLiveHub({ clock, queryable: database.pool, pollMs: 10, admissionMs: 10 })
  const subscribers = {
    blocked: await createSubscriber(),
    signedOut: await createSubscriber(),
    removed: await createSubscriber(),
    stays: await createSubscriber(),
  }
  const names: string[] = []
  for (const [name, subscriber] of Object.entries(subscribers)) {
    hub.watch({
      ...subscriber,
      onChange: () => undefined,
      onEnd: () => void names.push(name),
      onLost,
    })
  }
  await database.pool.query('update people set is_blocked = true where person_id = $1', [subscribers.blocked.personId])
  await database.pool.query('update people set session_epoch = 2 where person_id = $1', [subscribers.signedOut.personId])
  await database.pool.query('update memberships set is_active = false where person_id = $1', [subscribers.removed.personId])
  await waitUntil('three subscriptions are ended', () => names.length >= 3)
  assert.deepEqual(names.toSorted(), ['blocked', 'removed', 'signedOut'])
  assert.equal(hub.count(), 1)
})

test('hello immediately and then changes, until the reader goes', async () => {
  const hub = createLiveHub({ clock, queryable: database.pool, pollMs: 10 })
  const subscriber = await createSubscriber()
  const leaving = new AbortController()
  const response = liveStream(subscriber, leaving.signal, hub)
  assert.match(response.headers.get('cache-control') ?? '', /no-transform/)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  assert.match((await reader.read()).value ?? '', /event: hello/)
  const changed = reader.read()
  let isHeard = false
  void changed.then(() => {
    isHeard = true
  })
  // The first poll may come before or after the first of these changes.
  await waitUntil('a change is heard', async () => {
    await change(subscriber.applicationId)
    return isHeard
  })
  assert.match((await changed).value ?? '', /event: change\ndata: \d+/)
  leaving.abort()
  assert.equal(hub.count(), 0)
})

test('ended: a page of a session that was signed out, within two seconds in every process, and no page of the other device', async () => {
  const subscriber = await createSubscriber()
  const elsewhere = { ...subscriber, sessionId: randomUUID() }
  // As in two processes, with the pauses that are in force there.
  const hubs = [createLiveHub({ clock, queryable: database.pool }), createLiveHub({ clock, queryable: database.pool })]
  const ended = hubs.map((hub) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hub.watch({ ...elsewhere, onChange: () => undefined, onEnd: () => assert.fail('the other device is signed in'), onLost })
    hub.watch({ ...subscriber, onChange: () => undefined, onEnd: resolve, onLost })
    return promise
  })
  const startedMs = performance.now()
  await endSession(database.pool, { ...subscriber, address: '198.51.100.1' })
  await Promise.all(ended)
  assert.ok(performance.now() - startedMs < 2_500, `${performance.now() - startedMs} ms`)
  assert.deepEqual(
    hubs.map((hub) => hub.count()),
    [1, 1],
  )
})

test('ended: a stream whose session reaches its twelve hours, without a statement', async () => {
  const hub = createLiveHub({ clock, queryable: database.pool, pollMs: 3_600_000 })
  const response = liveStream({ ...(await createSubscriber()), endsAt: new Date(Date.now() + 200) }, new AbortController().signal, hub)
  assert.match(await response.text(), /event: ended/)
  assert.equal(hub.count(), 0)
})

test('no subscriber is left after a reader has stopped reading', async () => {
  const subscriber = await createSubscriber()
  const real = createLiveHub({ clock, queryable: database.pool, pollMs: 3_600_000 })
  let subscription: Subscription | undefined
  const hub: LiveHub = {
    ...real,
    watch(one) {
      subscription = one
      return real.watch(one)
    },
  }
  const response = liveStream(subscriber, new AbortController().signal, hub)
  for (let changes = 0; changes < 1_000; changes++)
    subscription?.onChange({ changeNumber: BigInt(changes), proposalNumber: 0n, closeNumber: 0n, timeZone: 'UTC' })
  assert.equal(real.count(), 0)
  assert.ok((await response.text()).length < 10_000)
})

test('a comment every 15 s, and the end of the stream without a notice after 30 minutes, so that its page connects again', async (t) => {
  const subscriber = { ...(await createSubscriber()), endsAt: new Date(Date.now() + 12 * 3_600_000) }
  const hub = createLiveHub({ clock, queryable: database.pool, callLater: () => undefined })
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const response = liveStream(subscriber, new AbortController().signal, hub)
  t.mock.timers.tick(30 * 60_000 - 1)
  assert.equal(hub.count(), 1)
  t.mock.timers.tick(1)
  assert.equal(hub.count(), 0)
  const text = await response.text()
  assert.equal(text.split(': still here').length - 1, 120)
  assert.doesNotMatch(text, /event: ended/)
})

test('429 for the forty-first page of one person, and 200 for a page of another', async () => {
  const hub = createLiveHub({ clock, queryable: database.pool, pollMs: 3_600_000 })
  const leaving = new AbortController()
  const [subscriber, other] = [await createSubscriber(), await createSubscriber()]
  for (let page = 0; page < 40; page++) assert.equal(liveStream(subscriber, leaving.signal, hub).status, 200)
  assert.equal(liveStream(subscriber, leaving.signal, hub).status, 429)
  assert.equal(liveStream(other, leaving.signal, hub).status, 200)
  leaving.abort()
  assert.equal(hub.count(), 0)
  assert.equal(liveStream(subscriber, AbortSignal.abort(), hub).status, 200)
  assert.equal(hub.count(), 0, 'a page that is gone already is not watched')
})

test('a stream ends while the database is away, and the next one is told of a change at once after its return', async () => {
  const proxy = await startTcpProxy(database.url)
  const pool = createPool({ databaseUrl: proxy.urlOf(database.url), connectionsMax: 2, applicationName: 'live pages' })
  const hub = createLiveHub({ clock, queryable: pool, pollMs: 10 })
  const subscriber = await createSubscriber()
  const leaving = new AbortController()
  const first = liveStream(subscriber, leaving.signal, hub)
  await proxy.close()
  const text = await first.text()
  assert.doesNotMatch(text, /event: ended/)
  assert.equal(hub.count(), 0)
  const back = await startTcpProxy(database.url, { port: Number(new URL(proxy.urlOf(database.url)).port) })
  const reader = liveStream(subscriber, leaving.signal, hub).body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail()
  let heard = ''
  await waitUntil('the change', async () => {
    heard += (await reader.read()).value
    return heard.includes('event: change')
  })
  leaving.abort()
  await pool.end()
  await back.close()
})
