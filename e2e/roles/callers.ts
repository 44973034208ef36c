import { randomUUID } from 'node:crypto'
import { ROLES, type Role } from '#lib/people/permissions.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { blockPerson, createPerson } from '#server/people/accounts.ts'
import { must } from '#server/testing/partner.ts'

/** A caller: `roles` in the application of the addresses, or why they have none there. `isDeputy`: decides for an absent checker. */
export type Caller = {
  name: string
  cookie: string
  standing: { kind: 'nobody' | 'outsider' } | { kind: 'member'; roles: readonly Role[]; isDeputy?: true }
}

const COMBINATIONS: readonly (readonly Role[])[] = [...ROLES.map((role) => [role]), ['maker', 'checker']]

/**
 * Nobody, each role, a maker who is a checker too, the deputy of an absent checker, a person with every role in another application, a person with
 * every role here who was blocked after signing in, and a person who was signed out everywhere.
 */
export async function gatherCallers(baseUrl: string, pool: Pool, application: { here: string; elsewhere: string }): Promise<Caller[]> {
  const callers: Caller[] = [{ name: 'nobody', cookie: '', standing: { kind: 'nobody' } }]
  for (const roles of COMBINATIONS) {
    const { cookie } = await newPerson(baseUrl, pool, application.here, roles)
    callers.push({ name: roles.join('+'), cookie, standing: { kind: 'member', roles } })
  }
  callers.push(await newDeputy(baseUrl, pool, application.here))
  const outsider = await newPerson(baseUrl, pool, application.elsewhere, ROLES)
  callers.push({ name: 'a person of another application', cookie: outsider.cookie, standing: { kind: 'outsider' } })
  const blocked = await newPerson(baseUrl, pool, application.here, ROLES)
  must(await blockPerson(pool, { personId: blocked.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  callers.push({ name: 'a blocked person', cookie: blocked.cookie, standing: { kind: 'nobody' } })
  callers.push({ name: 'a forged session', cookie: `${outsider.cookie.slice(0, -6)}forged`, standing: { kind: 'nobody' } })
  return callers
}

/** An engineer who decides in the place of an absent checker, and has no other right of a checker. */
async function newDeputy(baseUrl: string, pool: Pool, applicationId: string): Promise<Caller> {
  const roles = ['engineer'] as const
  const absent = await newPerson(baseUrl, pool, applicationId, ['checker'])
  const { personId, cookie } = await newPerson(baseUrl, pool, applicationId, roles)
  // After the sign-in, because this person has no device for codes.
  await pool.query('update people set totp_enabled_at = now() where person_id = $1', [personId])
  await pool.query(
    `insert into deputies (application_id, deputyship_id, absent_id, deputy_id, starts_at, ends_at, change_id)
       values ($1, gen_random_uuid(), $2, $3, now() - interval '1 hour', now() + interval '1 day', gen_random_uuid())`,
    [applicationId, absent.personId, personId],
  )
  return { name: 'the deputy of a checker', cookie, standing: { kind: 'member', roles, isDeputy: true } }
}

/** A new person with these roles, signed in; the application then allows all of them in one person. */
export async function newPerson(
  baseUrl: string,
  pool: Pool,
  applicationId: string,
  roles: readonly Role[],
): Promise<{ personId: string; cookie: string }> {
  const email = `${randomUUID()}@example.com`
  must(await changeApplication(pool, { applicationId, change: { allowsCombinedRoles: true }, actor: SYSTEM_ACTOR }))
  const person = must(await createPerson(pool, { applicationId, email, name: 'A person', roles, actor: SYSTEM_ACTOR }))
  return { personId: person.personId, cookie: await signIn(baseUrl, email, person.password ?? '') }
}

/** Signs in at next-auth's own address; returns the session's cookie. */
export async function signIn(baseUrl: string, email: string, password: string): Promise<string> {
  const answer = await postCredentials(baseUrl, email, password)
  const session = cookiesOf(answer)
    .split('; ')
    .find((cookie) => cookie.includes('session'))
  if (!session) throw new Error(`${email} could not sign in: ${answer.status} ${await answer.text()}`)
  return session
}

/** Posts e-mail and password to next-auth's own address and returns its answer. */
export async function postCredentials(baseUrl: string, email: string, password: string): Promise<Response> {
  const first = await fetch(`${baseUrl}/api/auth/csrf`)
  const { csrfToken } = (await first.json()) as { csrfToken: string }
  return fetch(`${baseUrl}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookiesOf(first), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrfToken, email, password }),
  })
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ')
}
