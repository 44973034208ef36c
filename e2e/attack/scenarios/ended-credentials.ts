import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Arsenal, tokensOf } from '#e2e/attack/arsenal.ts'
import { signIn } from '#e2e/roles/callers.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createApiUser, resetApiUserPassword } from '#server/partner-auth/api-users.ts'
import { createPerson } from '#server/people/accounts.ts'
import { must } from '#server/testing/partner.ts'
import { openCaller } from './caller.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

/** Revoked credentials work nowhere after this time, in any process. */
const ENDED_WITHIN_MS = 3_000
const REPLAYS = 20

/** Credentials that are used after their end: a session that was signed out or left idle, tokens that were replaced or reset. */
export const endedCredentials: Scenario = {
  name: 'ended-credentials',
  async play(context) {
    return [
      ...(await replaySession(context)),
      ...(await returnToIdleSession(context)),
      ...(await replayRefreshToken(context)),
      ...(await keepAccessToken(context)),
    ]
  },
}

async function replaySession(context: ScenarioContext): Promise<string[]> {
  const { arsenal } = context
  const email = `ended-${randomUUID()}@example.com`
  const applicationId = await applicationOf(context)
  const person = await context.service.withDatabase(async (pool) =>
    must(await createPerson(pool, { applicationId, email, name: 'Somebody', roles: ['finance'], actor: SYSTEM_ACTOR })),
  )
  const cookie = await signIn(arsenal.baseUrl, email, person.password ?? '')
  const target = `/api/back-office/${arsenal.program.slug}/overview`
  if (await isServed(arsenal, target, cookie)) {
    const stream = await openStream(arsenal, cookie)
    await signOut(arsenal, cookie)
    await delay(ENDED_WITHIN_MS)
    const problems: string[] = []
    if (await isServed(arsenal, target, cookie)) problems.push('a copy of the cookie still works after the sign-out')
    if (!stream.hasEnded()) problems.push(`the event stream is still open ${ENDED_WITHIN_MS} ms after the sign-out of its session`)
    stream.close()
    return problems
  }
  return ['a new session does not work']
}

/** A browser that was left open: the session of a checker who did nothing for 31 minutes. */
async function returnToIdleSession(context: ScenarioContext): Promise<string[]> {
  const { arsenal } = context
  const email = `idle-${randomUUID()}@example.com`
  const applicationId = await applicationOf(context)
  const person = await context.service.withDatabase(async (pool) =>
    must(await createPerson(pool, { applicationId, email, name: 'Somebody', roles: ['checker'], actor: SYSTEM_ACTOR })),
  )
  const cookie = await signIn(arsenal.baseUrl, email, person.password ?? '')
  const target = `/api/back-office/${arsenal.program.slug}/overview`
  if (!(await isServed(arsenal, target, cookie))) return ['a new session of a checker does not work']
  const { rowCount } = await context.service.withDatabase((pool) =>
    pool.query(`update person_sessions set last_used_at = now() - interval '31 minutes' where person_id = $1`, [person.personId]),
  )
  if (rowCount !== 1) return ['the session of a checker was not noted']
  return (await isServed(arsenal, target, cookie)) ? ['the session of a checker still works after 31 minutes without use'] : []
}

async function signOut({ baseUrl, actions }: Arsenal, cookie: string): Promise<void> {
  const action = actions.find(({ name }) => name.endsWith(' signOut'))
  if (!action) throw new Error('There is no action signOut in the build')
  const headers = {
    cookie,
    'next-action': action.id,
    'content-type': 'text/plain;charset=UTF-8',
    origin: baseUrl,
    accept: 'text/x-component',
  }
  await (await fetch(`${baseUrl}/sign-in/enrol`, { method: 'POST', headers, body: '[]', redirect: 'manual' })).arrayBuffer()
}

async function isServed({ baseUrl }: Arsenal, target: string, cookie: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}${target}`, { headers: { cookie }, redirect: 'manual' })
  await answer.arrayBuffer()
  return answer.status === 200
}

async function openStream({ baseUrl, program }: Arsenal, cookie: string): Promise<{ hasEnded(): boolean; close(): void }> {
  const stop = new AbortController()
  const answer = await fetch(`${baseUrl}/api/back-office/${program.slug}/live`, { headers: { cookie }, signal: stop.signal })
  let hasEnded = answer.status !== 200
  void answer.text().then(
    () => {
      hasEnded = true
    },
    () => undefined,
  )
  return { hasEnded: () => hasEnded, close: () => stop.abort() }
}

/** A refresh token that is used again and again: its replies lead to one chain of tokens, not to many. */
async function replayRefreshToken(context: ScenarioContext): Promise<string[]> {
  const { arsenal } = context
  const user = await newApiUser(context)
  const { refreshToken } = await tokensOf(arsenal.baseUrl, user)
  const caller = openCaller(arsenal.baseUrl, { connections: 1 })
  try {
    const issued = new Set<string>()
    for (let replay = 0; replay < REPLAYS; replay++) {
      const reply = await caller.post('/public/refresh_token', { refreshToken })
      if (reply.status === 200) issued.add((reply.body as { refresh_token: string }).refresh_token)
    }
    let working = 0
    for (const token of issued) if ((await caller.post('/public/refresh_token', { refreshToken: token })).status === 200) working++
    return working > 1 ? [`one refresh token, used ${REPLAYS} times, led to ${working} chains of valid tokens`] : []
  } finally {
    await caller.close()
  }
}

/** An access token that was stolen must not outlive the new password that was set because of it. */
async function keepAccessToken(context: ScenarioContext): Promise<string[]> {
  const { arsenal } = context
  const applicationId = await applicationOf(context)
  const user = await newApiUser(context)
  const { accessToken } = await tokensOf(arsenal.baseUrl, user)
  const headers = { apiKey: arsenal.program.apiKey, apiId: arsenal.program.apiId, authorization: `Bearer ${accessToken}` }
  const target = `${arsenal.baseUrl}/api/v1/transaction/getByApplicationProductBalances`
  if ((await fetch(target, { headers })).status !== 200) return ['a new access token does not work']
  await context.service.withDatabase(async (pool) =>
    must(await resetApiUserPassword(pool, { applicationId, apiUserId: user.apiUserId, actor: SYSTEM_ACTOR })),
  )
  await delay(ENDED_WITHIN_MS)
  return (await fetch(target, { headers })).status === 200 ? ['an access token still works after its user got a new password'] : []
}

async function newApiUser(context: ScenarioContext): Promise<{ username: string; password: string; apiUserId: string }> {
  const applicationId = await applicationOf(context)
  const username = `ended-${randomUUID()}@example.com`
  const made = await context.service.withDatabase(async (pool) =>
    must(await createApiUser(pool, { applicationId, username, actor: SYSTEM_ACTOR })),
  )
  return { username, password: made.password, apiUserId: made.apiUserId }
}

function applicationOf({ service, arsenal }: ScenarioContext): Promise<string> {
  return service.withDatabase(async (pool) => {
    const { rows } = await pool.query<{ application_id: string }>('select application_id from applications where api_id = $1', [
      arsenal.program.apiId,
    ])
    return rows[0]?.application_id ?? ''
  })
}
