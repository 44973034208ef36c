import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createSignInThrottle } from './sign-in-throttle.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const START_MS = Date.parse('2026-11-23T10:00:00Z')
let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

let scenes = 0
/** A throttle without pauses, whose one right password costs nothing to check; `at` sets its clock. Names are its own. */
function scene(hold: Promise<unknown> = Promise.resolve()) {
  const own = ++scenes
  let nowMs = START_MS
  let comparisons = 0
  const throttle = createSignInThrottle({
    pool: database.pool,
    clock: { now: () => new Date(nowMs) },
    secret: `scene ${own}`,
    spacingMs: { pair: 0, address: 0, account: 0 },
    hasher: {
      async isPasswordRight(_hash, password) {
        comparisons++
        await hold
        return password === 'right'
      },
    },
  })
  const enter = async (address: string, password = 'wrong', name = 'awa', device?: string) => {
    const find = async () => ({ passwordHash: 'hash' })
    const checked = await throttle.check({ scope: 'person', name, address, password, device, find })
    if (checked.ok) return 'in'
    return checked.error.kind === 'throttled' ? checked.error.retryAfterMs : 'wrong'
  }
  const enterFromMany = async (count: number) => {
    for (let network = 0; network < count; network++) await enter(networkOf(network + 100))
  }
  return { enter, enterFromMany, at: (ms: number) => (nowMs = START_MS + ms), comparisons: () => comparisons }
}

/** An address in a network of its own. */
const networkOf = (number: number) => `10.${number >> 8}.${number & 255}.1`

test('throttled from the eleventh wrong password of a name at an address, with pauses from two seconds to a minute', async () => {
  const { enter } = scene()
  const answers: unknown[] = []
  for (let tries = 0; tries < 18; tries++) answers.push(await enter('198.51.100.1'))
  assert.deepEqual(answers, [...Array(10).fill('wrong'), 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
})

test('wrong again, and not throttled, 15 minutes after the last wrong password, and not earlier', async () => {
  const { enter, at } = scene()
  for (let tries = 0; tries < 10; tries++) await enter('198.51.100.1')
  at(15 * MINUTE_MS - 1)
  assert.equal(await enter('198.51.100.1'), 2_000)
  at(30 * MINUTE_MS - 1)
  assert.equal(await enter('198.51.100.1'), 'wrong')
})

test('throttled from the hundred and first wrong password of an address, whatever the name, and of a name, whatever the address', async () => {
  for (const one of ['address', 'name'] as const) {
    const { enter } = scene()
    const answers: unknown[] = []
    for (let tries = 0; tries < 101; tries++)
      answers.push(one === 'address' ? await enter('198.51.100.1', 'wrong', `name ${tries}`) : await enter(networkOf(tries)))
    assert.deepEqual([answers.indexOf(2_000), new Set(answers.slice(0, 100))], [100, new Set(['wrong'])], one)
  }
})

test('wrong, and not throttled with the others, from a network that the name signed in from within 90 days', async () => {
  const { enter, enterFromMany, at } = scene()
  const home = networkOf(1)
  assert.equal(await enter(home, 'right'), 'in')
  at(90 * DAY_MS - 1)
  await enterFromMany(100)
  assert.deepEqual([await enter(home), typeof (await enter(networkOf(2)))], ['wrong', 'number'])
  at(90 * DAY_MS)
  assert.equal(typeof (await enter(home)), 'number')
})

test('wrong, and not throttled with the others, in a browser that is known for the name', async () => {
  const { enter, enterFromMany } = scene()
  await enterFromMany(101)
  assert.deepEqual([await enter(networkOf(1), 'wrong', 'awa', 'browser'), typeof (await enter(networkOf(2)))], ['wrong', 'number'])
})

test('known for 90 days from the latest sign-in, noted once a day', async () => {
  const { enter, enterFromMany, at } = scene()
  const [daily, quick] = [networkOf(1), networkOf(2)]
  for (const network of [daily, quick]) await enter(network, 'right')
  at(DAY_MS)
  await enter(quick, 'right')
  at(DAY_MS + 1)
  await enter(daily, 'right')
  at(91 * DAY_MS)
  await enterFromMany(100)
  assert.deepEqual([await enter(daily), typeof (await enter(quick))], ['wrong', 'number'])
})

test('known: the twenty networks that a name signed in from last', async () => {
  const { enter, enterFromMany, at } = scene()
  for (let network = 0; network <= 20; network++) {
    at(network)
    await enter(networkOf(network), 'right')
  }
  await enterFromMany(101)
  assert.deepEqual(
    [typeof (await enter(networkOf(0))), await enter(networkOf(1)), await enter(networkOf(20))],
    ['number', 'wrong', 'wrong'],
  )
})

test('one comparison and one counted failure for 64 equal attempts at once; the ones beyond wait a second', async () => {
  const gate = Promise.withResolvers<void>()
  const { enter, comparisons } = scene(gate.promise)
  const answers: (string | number)[] = []
  const send = (count: number) =>
    Array.from({ length: count }, async () => {
      answers.push(await enter('198.51.100.1'))
    })
  // In two parts, because no more than 64 of a name wait for their look-up.
  const first = send(36)
  await waitUntil('the comparison goes on', () => comparisons() === 1)
  const second = send(31)
  await waitUntil('the ones beyond are answered', () => answers.length === 3)
  gate.resolve()
  await Promise.all([...first, ...second])
  assert.deepEqual([comparisons(), answers.slice(0, 3), new Set(answers.slice(3))], [1, [1_000, 1_000, 1_000], new Set(['wrong'])])
  const next: unknown[] = []
  for (let tries = 0; tries < 10; tries++) next.push(await enter('198.51.100.1'))
  assert.deepEqual(next, [...Array(9).fill('wrong'), 2_000])
})
