import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { issueTokens, type TokenDeps } from '#server/partner-auth/issue-tokens.ts'
import { createPerson } from '#server/people/create-person.ts'
import { verifyPersonPassword } from '#server/people/verify-person-password.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createSignInThrottle } from './sign-in-throttle.ts'

const FLOOD_ADDRESS = '203.0.113.66'
const FLOOD_PER_SECOND = 500
/** How long somebody may have to wait for the answer to a right password while the flood lasts, on a busy machine. */
const ANSWER_LIMIT_MS = 8_000
const clock = { now: () => new Date() }
const secret = 'a secret for tests that is long enough'

type Person = { email: string; password: string }
let database: TestDatabase
let directory: Directory
let deps: TokenDeps
let applicationId: string
let count = 0

before(async () => {
  database = await createTestDatabase()
  directory = await createDirectory({ pool: database.pool })
  applicationId = (await createTestPartner(database.pool)).applicationId
  deps = { pool: database.pool, tokens: createTokens({ clock, secret }), directory, throttle: newThrottle() }
})
after(async () => {
  await directory.close()
  await database.drop()
})

/** A throttle as a process has it that has just started. */
function newThrottle(): TokenDeps['throttle'] {
  return createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests' })
}

async function newPerson(): Promise<Person> {
  const email = `person-${++count}@example.com`
  const { password } = must(
    await createPerson(database.pool, { applicationId, email, name: 'Aminata Diallo', roles: ['checker'], actor: SYSTEM_ACTOR }),
  )
  return { email, password: password ?? assert.fail('a new person has a password') }
}

function programSignIn(partner: { username: string; password: string }, peerAddress: string): Promise<string> {
  return issueTokens(deps, { username: partner.username, password: partner.password, peerAddress }).then(kindOf)
}

function personSignIn({ email, password }: Person, peerAddress: string, device?: string): Promise<string> {
  return verifyPersonPassword(deps, { email, password, peerAddress, ...(device && { device }) }).then(kindOf)
}

function kindOf(answer: { ok: true } | { ok: false; error: { kind: string } }): string {
  return answer.ok ? 'in' : answer.error.kind
}

/** Sends wrong sign-ins at a steady rate until it is told to stop; resolves with the number of each answer. */
function flood(attempts: (() => Promise<string>)[], perSecond = FLOOD_PER_SECOND): { stop(): Promise<Map<string, number>> } {
  const answers: Promise<string>[] = []
  let place = 0
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - startedMs) / 1_000) * perSecond
    while (answers.length < due) answers.push(attempts[place++ % attempts.length]?.() ?? assert.fail('no attempts'))
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      return new Map(
        Object.entries(Object.groupBy(await Promise.all(answers), (kind) => kind)).map(([kind, all]) => [kind, all?.length ?? 0]),
      )
    },
  }
}

async function timed(work: Promise<string>): Promise<{ kind: string; durationMs: number }> {
  const startedMs = performance.now()
  return { kind: await work, durationMs: performance.now() - startedMs }
}

test('20 of 20 programs and 12 of 12 people get in from elsewhere while one address sends 500 wrong sign-ins a second, also with their names', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const partners: TestPartner[] = []
  for (let made = 0; made < 20; made++) partners.push(await createTestPartner(database.pool))
  const people: Person[] = []
  for (let made = 0; made < 12; made++) people.push(await newPerson())
  const names = Array.from({ length: 200 }, (_, place) => `unknown-${place}@example.com`)
  const wrong = { password: 'wrong' }
  const flooding = flood([
    ...names.map((username) => () => programSignIn({ username, ...wrong }, FLOOD_ADDRESS)),
    ...names.map((email) => () => personSignIn({ email, ...wrong }, FLOOD_ADDRESS)),
    ...partners.map(
      ({ username }) =>
        () =>
          programSignIn({ username, ...wrong }, FLOOD_ADDRESS),
    ),
    ...people.map(
      ({ email }) =>
        () =>
          personSignIn({ email, ...wrong }, FLOOD_ADDRESS),
    ),
  ])
  // The flood must have filled whatever it can fill.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const signIns = await Promise.all([
    ...partners.map((partner, place) => timed(programSignIn(partner, `198.51.100.${place}`))),
    ...people.map((person, place) => timed(personSignIn(person, `192.0.2.${place}`))),
  ])
  const refused = await flooding.stop()
  assert.deepEqual(
    signIns.map(({ kind }) => kind),
    Array(32).fill('in'),
  )
  assert.ok(Math.max(...signIns.map(({ durationMs }) => durationMs)) < ANSWER_LIMIT_MS)
  assert.deepEqual([...refused.keys()].toSorted(), ['throttled', 'wrong_credentials'])
})

test('sixty workers of one program that start at once all get in, in a process that never saw them', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const partner = await createTestPartner(database.pool)
  const answers = await Promise.all(Array.from({ length: 60 }, () => programSignIn(partner, '198.51.100.150')))
  assert.deepEqual(answers, Array(60).fill('in'))
})

test('programs on networks that did not fail get in while two hundred networks send three hundred wrong sign-ins a second', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const partners: TestPartner[] = []
  for (let made = 0; made < 4; made++) partners.push(await createTestPartner(database.pool))
  const flooding = flood(
    Array.from(
      { length: 2_000 },
      (_, place) => () => programSignIn({ username: `nobody-${place}@example.com`, password: 'wrong' }, `10.200.${place % 200}.1`),
    ),
    300,
  )
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  const signIns = await Promise.all(partners.map((partner, place) => timed(programSignIn(partner, `172.16.${place}.1`))))
  await flooding.stop()
  assert.deepEqual(
    signIns.map(({ kind }) => kind),
    Array(4).fill('in'),
  )
  assert.ok(Math.max(...signIns.map(({ durationMs }) => durationMs)) < ANSWER_LIMIT_MS)
})

test('a flood of one and the same wrong password is computed and counted seldom', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const person = await newPerson()
  const failures = async (): Promise<bigint> => {
    const { rows } = await database.pool.query<{ total: bigint }>(
      'select coalesce(sum(failures), 0)::bigint as total from sign_in_throttles',
    )
    return rows[0]?.total ?? 0n
  }
  const before = await failures()
  const flooding = flood([() => personSignIn({ ...person, password: 'always the same' }, '203.0.113.67')])
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  await flooding.stop()
  const counted = Number((await failures()) - before) / 3
  assert.ok(counted <= 10 + 5, `${counted} failures counted`)
})

test('the address that floods gets its own people and programs in too, where they got in from there before', async () => {
  const [partner, person] = [await createTestPartner(database.pool), await newPerson()]
  assert.equal(await programSignIn(partner, FLOOD_ADDRESS), 'in')
  assert.equal(await personSignIn(person, FLOOD_ADDRESS), 'in')
  // Nothing is in the memory of this process: the network is remembered in the database.
  deps = { ...deps, throttle: newThrottle() }
  const flooding = flood(
    Array.from({ length: 200 }, (_, place) => () => personSignIn({ email: `nobody-${place}@example.com`, password: 'x' }, FLOOD_ADDRESS)),
  )
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const signIns = await Promise.all([timed(programSignIn(partner, FLOOD_ADDRESS)), timed(personSignIn(person, FLOOD_ADDRESS))])
  await flooding.stop()
  assert.deepEqual(
    signIns.map(({ kind }) => kind),
    ['in', 'in'],
  )
  assert.ok(Math.max(...signIns.map(({ durationMs }) => durationMs)) < ANSWER_LIMIT_MS)
})

test('a right password gets in from the very address that floods its name: a program that was right within the hour, a person on a known device', async () => {
  const [partner, person] = [await createTestPartner(database.pool), await newPerson()]
  assert.equal(await programSignIn(partner, FLOOD_ADDRESS), 'in')
  const flooding = flood([
    () => programSignIn({ ...partner, password: 'x' }, FLOOD_ADDRESS),
    () => personSignIn({ ...person, password: 'x' }, FLOOD_ADDRESS),
  ])
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const signIns = await Promise.all([programSignIn(partner, FLOOD_ADDRESS), personSignIn(person, FLOOD_ADDRESS, 'a device')])
  await flooding.stop()
  assert.deepEqual(signIns, ['in', 'in'])
})

test('throttled: guesses for one account from a hundred networks and more; its own network, a known device and a new network still get in', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const person = await newPerson()
  assert.equal(await personSignIn(person, '198.51.100.200'), 'in')
  const guess = (place: number) => personSignIn({ ...person, password: `guess ${place}` }, `10.${place}.0.1`)
  for (let place = 0; place < 100; place += 10) await Promise.all(Array.from({ length: 10 }, (_, next) => guess(place + next)))
  const startedMs = performance.now()
  const later = Promise.all(Array.from({ length: 5 }, (_, place) => guess(100 + place)))
  assert.equal(await personSignIn(person, '198.51.100.200'), 'in')
  assert.equal(await personSignIn(person, '10.250.0.1', 'a device'), 'in')
  assert.ok(performance.now() - startedMs < 2_000, 'known places do not wait behind the guesses')
  assert.deepEqual(await later, Array(5).fill('throttled'))
  assert.ok(performance.now() - startedMs > 3_900, 'guesses for one account are checked once a second, from wherever they come')
  assert.equal(await personSignIn(person, '192.0.2.99'), 'in')
})
