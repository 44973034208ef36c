import { ok } from '#lib/result.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from './record-person-act.ts'

/** The factor that a person signed in with; each after the first includes the password. */
export type SignInFactor = 'password' | 'one_time_code' | 'recovery_code'

/** Records that a person signed in, from which address and with what. */
export async function recordSignIn(pool: Pool, signIn: { personId: string; address: string; factor: SignInFactor }): Promise<void> {
  const { personId, address, factor } = signIn
  await withTransaction(pool, async (trx) => {
    await recordPersonAct(trx, { personId, action: 'person.signed_in', details: { address, factor }, isAccountChange: false })
    return ok(undefined)
  })
}

/**
 * Records wrong passwords for an existing person. The caller decides how often (see `onWrong` of the throttle), so that
 * guessing cannot fill the record. `failures` is their number so far. The actor is the system, because nobody was identified.
 */
export async function recordFailedSignIn(pool: Pool, failed: { personId: string; address: string; failures: number }): Promise<void> {
  const { personId, address, failures } = failed
  await withTransaction(pool, async (trx) => {
    const details = { address, failures }
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action: 'person.sign_in_failed', details, isAccountChange: false })
    return ok(undefined)
  })
}
