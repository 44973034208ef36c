import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { cookiesOf, signIn } from '#e2e/roles/callers.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { createPerson } from '#server/people/accounts.ts'
import { must } from '#server/testing/partner.ts'
import { type Caller, openCaller, percentile } from './caller.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const PROGRAMS = 20
const PEOPLE = 12
/** All of them sign in during each flood: about two a second, which is a small part of what one process can check. */
const FLOOD_MS_MIN = 16_000
/** Limits for the slowest correct sign-in and for the slowest tenth; on a busy machine USUAL_FACTOR times the duration without a flood. */
/** The flood leaves no more than this unanswered. */
const IN_FLIGHT_MAX = 2_000
const WORST_MS = 8_000
const USUAL_MS = 4_000
const USUAL_FACTOR = 15

type Account = { name: string; password: string }

/** The shape of a flood: attempts per second, addresses that they come from, and names that they try. */
type Flood = {
  what: string
  perSecond: number
  addresses: number
  names(accounts: readonly Account[]): readonly string[]
  knowsThem: boolean
}

const FLOODS: readonly Flood[] = [
  { what: 'one address with 17 unknown names', perSecond: 49, addresses: 1, names: () => unknownNames(17), knowsThem: false },
  {
    what: 'one address with thousands of unknown names',
    perSecond: 500,
    addresses: 1,
    names: () => unknownNames(2_000),
    knowsThem: false,
  },
  // A newcomer cannot be told from one more address of such a flood, so these have all signed in before.
  {
    what: 'two hundred addresses with unknown names',
    perSecond: 300,
    addresses: 200,
    names: () => unknownNames(2_000),
    knowsThem: true,
  },
  {
    what: 'two hundred addresses with the names of those who sign in',
    perSecond: 200,
    addresses: 200,
    names: (accounts) => accounts.map(({ name }) => name),
    knowsThem: true,
  },
]

/** Floods of wrong passwords, to both sign-ins, while programs and people with the right one sign in from elsewhere. */
export const signInFlood: Scenario = {
  name: 'sign-in-flood',
  async play(context) {
    const problems: string[] = []
    for (const flood of FLOODS) problems.push(...(await playFlood(context, flood)))
    return problems
  },
}

async function playFlood(context: ScenarioContext, flood: Flood): Promise<string[]> {
  const { programs, people } = await context.service.withDatabase((pool) => makeAccounts(pool, context))
  const { baseUrl } = context.arsenal
  if (flood.knowsThem)
    await Promise.all([...programs.map((one, index) => signInProgram(baseUrl, one, index)), signInInTurn(baseUrl, people)])
  const calm = await Promise.all(people.slice(0, 1).map((one) => signInPerson(baseUrl, one)))
  const slowdown = Math.max(1, (USUAL_FACTOR * worst(calm)) / USUAL_MS)
  const stop = await startFlood(baseUrl, flood, flood.names([...programs, ...people]))
  await delay(1_000)
  const forMs = Math.max(FLOOD_MS_MIN, (context.minutes * 60_000) / FLOODS.length)
  const startedMs = performance.now()
  const [byProgram, byPerson] = await Promise.all([
    inTurn(programs, forMs, (one, index) => signInProgram(baseUrl, one, index)),
    inTurn(people, forMs, (one) => signInPerson(baseUrl, one)),
  ])
  const sent = await stop()
  context.say(
    `        ${flood.what}: ${Math.round((1_000 * sent) / (performance.now() - startedMs))} attempts/s; in: ${count(byProgram)} programs (worst ${worst(byProgram)} ms), ${count(byPerson)} people (worst ${worst(byPerson)} ms)`,
  )
  return [...judge(`programs, ${flood.what}`, byProgram, slowdown), ...judge(`people, ${flood.what}`, byPerson, slowdown)]
}

type Attempt = { isIn: boolean; durationMs: number; what: string }

function judge(who: string, attempts: readonly Attempt[], slowdown: number): string[] {
  const out = attempts.filter((attempt) => !attempt.isIn)
  const durations = attempts.map((attempt) => attempt.durationMs)
  const problems: string[] = []
  if (out.length > 0)
    problems.push(
      `${who}: ${out.length} of ${attempts.length} correct passwords were refused (${[...new Set(out.map(({ what }) => what))].slice(0, 3).join(', ')})`,
    )
  if (percentile(durations, 0.9) > slowdown * USUAL_MS)
    problems.push(`${who}: a tenth waited longer than ${Math.round(percentile(durations, 0.9))} ms`)
  if (Math.max(...durations) > slowdown * WORST_MS) problems.push(`${who}: one waited ${Math.round(Math.max(...durations))} ms`)
  return problems
}

function count(attempts: readonly Attempt[]): string {
  return `${attempts.filter((attempt) => attempt.isIn).length} of ${attempts.length}`
}

function worst(attempts: readonly Attempt[]): number {
  return Math.round(Math.max(...attempts.map((attempt) => attempt.durationMs)))
}

async function makeAccounts(pool: Pool, { arsenal }: ScenarioContext): Promise<{ programs: Account[]; people: Account[] }> {
  const { rows } = await pool.query<{ application_id: string }>('select application_id from applications where api_id = $1', [
    arsenal.program.apiId,
  ])
  const applicationId = rows[0]?.application_id ?? ''
  const programs: Account[] = []
  for (let number = 0; number < PROGRAMS; number++) {
    const username = `flood-${randomUUID()}@example.com`
    programs.push({ name: username, password: must(await createApiUser(pool, { applicationId, username, actor: SYSTEM_ACTOR })).password })
  }
  const people: Account[] = []
  for (let number = 0; number < PEOPLE; number++) {
    const email = `flood-${randomUUID()}@example.com`
    const made = must(await createPerson(pool, { applicationId, email, name: 'Somebody', roles: ['maker'], actor: SYSTEM_ACTOR }))
    people.push({ name: email, password: made.password ?? '' })
  }
  return { programs, people }
}

/** One after the other, spread over the time. */
async function inTurn(
  accounts: readonly Account[],
  forMs: number,
  attempt: (account: Account, index: number) => Promise<Attempt>,
): Promise<Attempt[]> {
  const startedMs = performance.now()
  return Promise.all(
    accounts.map(async (account, index) => {
      await delay(Math.max(0, (forMs * index) / accounts.length - (performance.now() - startedMs)))
      return attempt(account, index)
    }),
  )
}

async function signInInTurn(baseUrl: string, people: readonly Account[]): Promise<void> {
  for (const person of people) await signInPerson(baseUrl, person)
}

/** Each program has an address of its own, away from the flood. */
async function signInProgram(baseUrl: string, { name, password }: Account, index: number): Promise<Attempt> {
  const caller = openCaller(baseUrl, { from: `127.200.${index}.1`, connections: 1 })
  const { status, body, durationMs } = await caller.post('/public/access_token', { username: name, password })
  await caller.close()
  return { isIn: status === 200, durationMs, what: `${status} ${(body as { message?: string } | undefined)?.message ?? ''}` }
}

async function signInPerson(baseUrl: string, { name, password }: Account): Promise<Attempt> {
  const startedMs = performance.now()
  const refusal = await signIn(baseUrl, name, password).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message.replace(name, 'somebody') : String(error)),
  )
  return { isIn: refusal === undefined, durationMs: performance.now() - startedMs, what: refusal?.slice(0, 120) ?? '' }
}

function unknownNames(number: number): string[] {
  return Array.from({ length: number }, (_, index) => `nobody-${index}@example.com`)
}

/** One attempt in this many uses the sign-in of people, which costs the service a page. */
const PEOPLE_EVERY = 6

/** Sends wrong passwords to both sign-ins at an even pace. Returns a function that stops and resolves with the number sent. */
async function startFlood(baseUrl: string, flood: Flood, names: readonly string[]): Promise<() => Promise<number>> {
  const callers = Array.from({ length: flood.addresses }, (_, index) =>
    openCaller(baseUrl, { from: `127.100.${index}.1`, connections: Math.ceil(400 / flood.addresses) }),
  )
  const first = await fetch(`${baseUrl}/api/auth/csrf`)
  const { csrfToken } = (await first.json()) as { csrfToken: string }
  const cookie = cookiesOf(first)
  let sent = 0
  let isOver = false
  let inFlight = 0
  const startedMs = performance.now()
  const attempt = async (caller: Caller | undefined, name: string, number: number) => {
    inFlight++
    const password = `wrong ${number}`
    if (number % PEOPLE_EVERY === 0)
      await caller?.post('/api/auth/callback/credentials', { csrfToken, email: name, password, json: 'true' }, { cookie })
    else await caller?.post('/public/access_token', { username: name, password })
    inFlight--
  }
  const pacing = (async () => {
    while (!isOver) {
      const due = ((performance.now() - startedMs) / 1_000) * flood.perSecond
      for (; sent < due && inFlight < IN_FLIGHT_MAX; sent++)
        void attempt(callers[sent % callers.length], names[sent % names.length] ?? '', sent)
      await delay(20)
    }
  })()
  return async () => {
    isOver = true
    await pacing
    await Promise.all(callers.map((caller) => caller.close()))
    return sent
  }
}
