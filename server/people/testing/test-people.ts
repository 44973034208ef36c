import assert from 'node:assert/strict'
import type { Role } from '#lib/people/permissions.ts'
import type { Clock } from '#lib/time/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createSignInThrottle, type SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { createPerson } from '../accounts.ts'
import type { FreshProof } from '../sign-in/fresh-proof.ts'
import { verifyPersonPassword } from '../sign-in/passwords.ts'

export type TestPerson = { personId: string; email: string; password: string }

export type TestPeople = {
  database: TestDatabase
  throttle: SignInThrottle
  applicationId: string
  /** Creates a person in this application. Without `roles`: a checker. */
  createOne(roles?: Role[]): Promise<TestPerson>
  signIn(request: { email: string; password: string }): ReturnType<typeof verifyPersonPassword>
}

/** The proof of a command by a one-time code; undefined without one. */
export function codeProof(code: string | undefined): FreshProof | undefined {
  return code === undefined ? undefined : { kind: 'code', code }
}

/** Opens a database with one application, and a throttle that lives by this clock. The caller drops the database. */
export async function openTestPeople(clock: Clock): Promise<TestPeople> {
  const database = await createTestDatabase()
  const { pool } = database
  const { applicationId } = await createTestPartner(pool)
  const throttle = createSignInThrottle({ pool, clock, secret: 'a secret for tests' })
  let count = 0
  return {
    database,
    throttle,
    applicationId,
    async createOne(roles = ['checker']) {
      const email = `person-${++count}@example.com`
      const { personId, password } = must(
        await createPerson(pool, { applicationId, email, name: 'Aminata Diallo', roles, actor: SYSTEM_ACTOR }),
      )
      return { personId, email, password: password ?? assert.fail('a new person has a password') }
    },
    signIn: (request) => verifyPersonPassword({ pool, throttle }, { ...request, peerAddress: '198.51.100.1' }),
  }
}
