import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import { signIn } from '#e2e/roles/callers.ts'
import { ROLES, type Role } from '#lib/people/permissions.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createPerson } from '#server/people/accounts.ts'

export type Timing = { firstByteMs: number; wholeMs: number }

/** A signed-in person who opens pages one after the other over kept connections. */
export type Visitor = { cookie: string; slug: string; time(address: string): Promise<Timing>; close(): Promise<void> }

/** Makes a person with these roles in the application, all if left out, and signs them in. Throws when that does not work. */
export async function openVisitor(pool: Pool, baseUrl: string, applicationId: string, roles: readonly Role[] = ROLES): Promise<Visitor> {
  const email = `${randomUUID()}@example.com`
  await changeApplication(pool, { applicationId, change: { allowsCombinedRoles: true }, actor: SYSTEM_ACTOR })
  const person = await createPerson(pool, { applicationId, email, name: 'Clarisse Mbarga', roles, actor: SYSTEM_ACTOR })
  if (!person.ok) throw new Error(`There is no person to open the pages: ${person.error}`)
  const { rows } = await pool.query<{ slug: string }>('select slug from applications where application_id = $1', [applicationId])
  const cookie = await signIn(baseUrl, email, person.value.password ?? '')
  const agent = new Agent({ connections: 2, keepAliveTimeout: 60_000 })
  return {
    cookie,
    slug: rows[0]?.slug ?? '',
    async time(address) {
      const startedMs = performance.now()
      const answer = await request(baseUrl + address, { dispatcher: agent, headers: { cookie, accept: '*/*' } })
      let firstByteMs: number | undefined
      for await (const _ of answer.body) firstByteMs ??= performance.now() - startedMs
      const wholeMs = performance.now() - startedMs
      if (answer.statusCode !== 200) throw new Error(`${address} answered ${answer.statusCode}`)
      return { firstByteMs: firstByteMs ?? wholeMs, wholeMs }
    },
    close: () => agent.close(),
  }
}
