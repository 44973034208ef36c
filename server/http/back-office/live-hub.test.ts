import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { after, before, test } from 'node:test'
import type { Queryable } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createLiveHub } from './live-hub.ts'
import { liveStream } from './live-stream.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** The real pool, counting the statements that go through it; `after` resolves when that many more were asked. */
function counting() {
  const asked = new EventEmitter()
  let count = 0
  const query = (...parameters: unknown[]) => {
    count++
    asked.emit('query')
    return Reflect.apply(database.pool.query, database.pool, parameters)
  }
  const more = async (wanted: number) => {
    const goal = count + wanted
    while (count < goal) await once(asked, 'query')
  }
  return { queryable: { query } as Queryable, count: () => count, more }
}

async function onlooker() {
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

test('five hundred viewers of two applications cost one statement a tick, and each hears of its own application only', async () => {
  const { queryable, count, more } = counting()
  const hub = createLiveHub({ queryable, pollMs: 20, admissionMs: 3_600_000 })
  const [first, second] = [await onlooker(), await onlooker()]
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
    }),
  )
  await more(3)
  const before = count()
  await change(first.applicationId)
  await all.promise
  await more(2)
  // Once at the first look, for what happened while the page was on its way, and once for the change.
  assert.deepEqual(heard, { first: 500, second: 250 })
  assert.ok(count() - before < 100, `${count() - before} statements`)
  for (const each of leave) each()
  assert.equal(hub.viewers(), 0)
})

test('nobody looks: nothing is asked; somebody comes back: the first look tells what happened in between', async () => {
  const { queryable, count, more } = counting()
  const hub = createLiveHub({ queryable, pollMs: 5, admissionMs: 3_600_000 })
  const viewer = await onlooker()
  const heard: bigint[] = []
  const watch = () => hub.watch({ ...viewer, onChange: (changeNumber) => heard.push(changeNumber), onEnd: () => undefined })
  const leave = watch()
  await more(2)
  leave()
  await new Promise((resolve) => setTimeout(resolve, 30))
  const quiet = count()
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(count(), quiet)
  await change(viewer.applicationId)
  const leaveAgain = watch()
  await more(3)
  assert.equal(heard.length, 2)
  assert.ok((heard[1] ?? 0n) > (heard[0] ?? 0n))
  leaveAgain()
})

test('whoever is blocked, signed out everywhere or no member any more is ended, and nobody else', async () => {
  const hub = createLiveHub({ queryable: database.pool, pollMs: 10, admissionMs: 10 })
  const viewers = { blocked: await onlooker(), signedOut: await onlooker(), removed: await onlooker(), stays: await onlooker() }
  const ended = new EventEmitter()
  const names: string[] = []
  for (const [name, viewer] of Object.entries(viewers)) {
    hub.watch({
      ...viewer,
      onChange: () => undefined,
      onEnd: () => {
        names.push(name)
        ended.emit('end')
      },
    })
  }
  await database.pool.query('update people set is_blocked = true where person_id = $1', [viewers.blocked.personId])
  await database.pool.query('update people set session_epoch = 2 where person_id = $1', [viewers.signedOut.personId])
  await database.pool.query('update memberships set is_active = false where person_id = $1', [viewers.removed.personId])
  while (names.length < 3) await once(ended, 'end')
  assert.deepEqual(names.toSorted(), ['blocked', 'removed', 'signedOut'])
  assert.equal(hub.viewers(), 1)
})

test('a stream says hello at once, tells changes, and leaves the hub when its reader goes', async () => {
  const hub = createLiveHub({ queryable: database.pool, pollMs: 10 })
  const viewer = await onlooker()
  const leaving = new AbortController()
  const response = liveStream(viewer, leaving.signal, hub)
  assert.match(response.headers.get('cache-control') ?? '', /no-transform/)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  assert.match((await reader.read()).value ?? '', /event: hello/)
  const changed = reader.read()
  let isHeard = false
  void changed.then(() => {
    isHeard = true
  })
  while (!isHeard) {
    await change(viewer.applicationId)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.match((await changed).value ?? '', /event: change\ndata: \d+/)
  leaving.abort()
  assert.equal(hub.viewers(), 0)
})
