import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { issueTokens, type TokenDeps } from '#server/partner-auth/tokens.ts'
import { createPerson } from '#server/people/accounts.ts'
import { verifyPersonPassword } from '#server/people/sign-in/passwords.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createSignInThrottle, type SignInThrottleOptions } from './sign-in-throttle.ts'
import { cheapHasher, flood } from './testing.ts'

const FLOOD_ADDRESS = '203.0.113.66'
/** How long a correct password may wait for its answer while the flood lasts, on a busy machine. */
const ANSWER_LIMIT_MS = 60_000
/** Two comparisons run at once, so this process compares 200 passwords a second, however busy the machine is. */
const COMPARISON_MS = 10
const clock = { now: () => new Date() }
const secret = 'a secret for tests that is long enough'

let database: TestDatabase
let directory: Directory
let deps: TokenDeps
let applicationId: string
let comparisons = 0

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

/** A throttle like that of a process that has just started. */
function newThrottle(spacingMs?: SignInThrottleOptions['spacingMs']): TokenDeps['throttle'] {
  const hasher = {
    async isPasswordRight(passwordHash: string | undefined, password: string): Promise<boolean> {
      await delay(COMPARISON_MS)
      comparisons++
      return cheapHasher.isPasswordRight(passwordHash, password)
    },
  }
  return createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests', hasher, ...(spacingMs && { spacingMs }) })
}

function newPartner(): Promise<TestPartner> {
  return makePartner(database.pool)
}

function newPerson(): Promise<SignIn> {
  return makePersonWhoSignsIn(database.pool, applicationId)
}

function programSignIn(partner: { username: string; password: string }, peerAddress: string): Promise<string> {
  return issueTokens(deps, { username: partner.username, password: partner.password, peerAddress }).then(kindOf)
}

function personSignIn({ email, password }: SignIn, peerAddress: string, device?: string): Promise<string> {
  return verifyPersonPassword(deps, { email, password, peerAddress, ...(device && { device }) }).then(kindOf)
}

function kindOf(answer: { ok: true } | { ok: false; error: { kind: string } }): string {
  return answer.ok ? 'in' : answer.error.kind
}

async function timed(work: Promise<string>): Promise<{ kind: string; durationMs: number }> {
  const startedMs = performance.now()
  return { kind: await work, durationMs: performance.now() - startedMs }
}

test('in: 20 programs and 12 people at other addresses, while one address sends 500 wrong sign-ins a second, also with their names', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const partners: TestPartner[] = []
  for (let made = 0; made < 20; made++) partners.push(await newPartner())
  const people: SignIn[] = []
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
  await flooding.full
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

test('in: sixty workers of one program that sign in at once, in a process that has just started', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const partner = await newPartner()
  const answers = await Promise.all(Array.from({ length: 60 }, () => programSignIn(partner, '198.51.100.150')))
  assert.deepEqual(answers, Array(60).fill('in'))
})

test('in: programs on networks without failures, while two hundred networks send 300 wrong sign-ins a second', async () => {
  deps = { ...deps, throttle: newThrottle() }
  const partners: TestPartner[] = []
  for (let made = 0; made < 4; made++) partners.push(await newPartner())
  const attempts = Array.from(
    { length: 2_000 },
    (_, place) => () => programSignIn({ username: `nobody-${place}@example.com`, password: 'wrong' }, `10.200.${place % 200}.1`),
  )
  // Four attempts of each network: more than an address may leave unresolved before it waits with the others that fail.
  const flooding = flood(attempts, { perSecond: 300, burst: 800 })
  await flooding.full
  const before = comparisons
  const signIns = await Promise.all(
    partners.map(async (partner, place) => ({ kind: await programSignIn(partner, `172.16.${place}.1`), waitedFor: comparisons - before })),
  )
  await flooding.stop()
  assert.deepEqual(
    signIns.map(({ kind }) => kind),
    Array(4).fill('in'),
  )
  // If each of the two hundred networks had a turn of its own, a program would wait for about as many comparisons.
  assert.ok(Math.max(...signIns.map(({ waitedFor }) => waitedFor)) < 150, JSON.stringify(signIns))
})

test('at most 15 failures are counted for 1,000 attempts with the same wrong password', async () => {
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
  await flooding.thousand
  await flooding.stop()
  // Each wrong password counts for the name and address, the address and the account.
  const counted = Number((await failures()) - before) / 3
  assert.ok(counted >= 1 && counted <= 15, `${counted} failures counted`)
})

test('in: a person and a program at the address that floods, where both signed in before', async () => {
  const [partner, person] = [await newPartner(), await newPerson()]
  assert.equal(await programSignIn(partner, FLOOD_ADDRESS), 'in')
  assert.equal(await personSignIn(person, FLOOD_ADDRESS), 'in')
  // Nothing is in the memory of this process: the network is remembered in the database.
  deps = { ...deps, throttle: newThrottle() }
  const flooding = flood(
    Array.from({ length: 200 }, (_, place) => () => personSignIn({ email: `nobody-${place}@example.com`, password: 'x' }, FLOOD_ADDRESS)),
    // Otherwise it fills the queue of this address for look-ups in a database that a busy machine slows down, where a known network is still unknown.
    { openMax: 48 },
  )
  await flooding.full
  const signIns = await Promise.all([timed(programSignIn(partner, FLOOD_ADDRESS)), timed(personSignIn(person, FLOOD_ADDRESS))])
  await flooding.stop()
  assert.deepEqual(
    signIns.map(({ kind }) => kind),
    ['in', 'in'],
  )
  assert.ok(Math.max(...signIns.map(({ durationMs }) => durationMs)) < ANSWER_LIMIT_MS)
})

test('in: at the address that floods their names, a program that was right within the hour and a person on a known device', async () => {
  const [partner, person] = [await newPartner(), await newPerson()]
  assert.equal(await programSignIn(partner, FLOOD_ADDRESS), 'in')
  const flooding = flood([
    () => programSignIn({ ...partner, password: 'x' }, FLOOD_ADDRESS),
    () => personSignIn({ ...person, password: 'x' }, FLOOD_ADDRESS),
  ])
  await flooding.full
  const signIns = await Promise.all([programSignIn(partner, FLOOD_ADDRESS), personSignIn(person, FLOOD_ADDRESS, 'a device')])
  await flooding.stop()
  assert.deepEqual(signIns, ['in', 'in'])
})

test('in: a known network, a known device and a new network of an account that a hundred networks guess', async () => {
  const spacingMs = { pair: 300, address: 75, account: 300 }
  deps = { ...deps, throttle: newThrottle(spacingMs) }
  const person = await newPerson()
  assert.equal(await personSignIn(person, '198.51.100.200'), 'in')
  const guess = (place: number) => personSignIn({ ...person, password: `guess ${place}` }, `10.${place}.0.1`)
  for (let place = 0; place < 100; place += 10) await Promise.all(Array.from({ length: 10 }, (_, next) => guess(place + next)))
  const startedMs = performance.now()
  const later = Promise.all(Array.from({ length: 5 }, (_, place) => guess(100 + place)))
  assert.equal(await personSignIn(person, '198.51.100.200'), 'in')
  assert.equal(await personSignIn(person, '10.250.0.1', 'a device'), 'in')
  assert.deepEqual(await later, Array(5).fill('throttled'))
  assert.ok(
    performance.now() - startedMs >= 4 * spacingMs.account,
    'guesses for one account are compared with a pause, from wherever they come',
  )
  assert.equal(await personSignIn(person, '192.0.2.99'), 'in')
})

test('throttled: the eleventh wrong password from a known device, whose own guesses count', async () => {
  deps = { ...deps, throttle: newThrottle({ pair: 0, address: 0, account: 0 }) }
  const person = await newPerson()
  const guess = (place: number) => personSignIn({ ...person, password: `guess ${place}` }, '198.51.100.77', 'a device')
  const kinds: string[] = []
  for (let place = 0; place < 11; place++) kinds.push(await guess(place))
  assert.deepEqual(kinds, [...Array<string>(10).fill('wrong_credentials'), 'throttled'])
})

type SignIn = { email: string; password: string }

/** A partner whose stored password is cheap to compare. */
async function makePartner(pool: Pool): Promise<TestPartner> {
  const partner = await createTestPartner(pool)
  const passwordHash = await cheapHasher.hashPassword(partner.password)
  await pool.query('update api_users set password_hash = $2 where api_user_id = $1', [partner.apiUserId, passwordHash])
  return partner
}

/** A checker of the application whose stored password is cheap to compare. */
async function makePersonWhoSignsIn(pool: Pool, applicationId: string): Promise<SignIn> {
  const email = `${crypto.randomUUID()}@example.com`
  const created = must(await createPerson(pool, { applicationId, email, name: 'Aminata Diallo', roles: ['checker'], actor: SYSTEM_ACTOR }))
  const password = created.password ?? assert.fail('a new person has a password')
  const passwordHash = await cheapHasher.hashPassword(password)
  await pool.query('update people set password_hash = $2 where person_id = $1', [created.personId, passwordHash])
  return { email, password }
}
