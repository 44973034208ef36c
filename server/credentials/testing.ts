import assert from 'node:assert/strict'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createPerson } from '#server/people/create-person.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createPasswordHasher } from './password.ts'

/** Argon2 at the lowest cost, for tests that compare many passwords. */
export const cheapHasher = createPasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 })

export type SignIn = { email: string; password: string }

/** A partner whose stored password is cheap to compare. */
export async function makePartner(pool: Pool): Promise<TestPartner> {
  const partner = await createTestPartner(pool)
  const passwordHash = await cheapHasher.hashPassword(partner.password)
  await pool.query('update api_users set password_hash = $2 where api_user_id = $1', [partner.apiUserId, passwordHash])
  return partner
}

/** A checker of the application whose stored password is cheap to compare. */
export async function makePersonWhoSignsIn(pool: Pool, applicationId: string): Promise<SignIn> {
  const email = `${crypto.randomUUID()}@example.com`
  const created = must(await createPerson(pool, { applicationId, email, name: 'Aminata Diallo', roles: ['checker'], actor: SYSTEM_ACTOR }))
  const password = created.password ?? assert.fail('a new person has a password')
  const passwordHash = await cheapHasher.hashPassword(password)
  await pool.query('update people set password_hash = $2 where person_id = $1', [created.personId, passwordHash])
  return { email, password }
}

type Flood = {
  /** Resolves when the first attempt is refused unchecked: the queues are full. */
  full: Promise<void>
  /** Resolves when a thousand attempts were sent. */
  thousand: Promise<void>
  /** Resolves with the number of each answer. */
  stop(): Promise<Map<string, number>>
}

/** Sends wrong sign-ins at a steady rate until it is stopped, after `burst` of them at once. At most `openMax` of them wait for an answer. */
export function flood(attempts: (() => Promise<string>)[], { perSecond = 500, burst = 0, openMax = Number.POSITIVE_INFINITY } = {}): Flood {
  const answers: Promise<string>[] = []
  const { promise: full, resolve: onFull } = Promise.withResolvers<void>()
  const { promise: thousand, resolve: onThousand } = Promise.withResolvers<void>()
  let place = 0
  let open = 0
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const due = burst + ((performance.now() - startedMs) / 1_000) * perSecond
    while (answers.length < due && open < openMax) {
      open++
      const answer = attempts[place++ % attempts.length]?.() ?? assert.fail('no attempts')
      answers.push(answer)
      void answer.then((kind) => {
        open--
        if (kind === 'throttled') onFull()
      })
    }
    if (answers.length >= 1_000) onThousand()
  }, 10)
  return {
    full,
    thousand,
    async stop() {
      clearInterval(timer)
      return new Map(
        Object.entries(Object.groupBy(await Promise.all(answers), (kind) => kind)).map(([kind, all]) => [kind, all?.length ?? 0]),
      )
    },
  }
}
