import type { FreshCodeRefusal } from '#lib/action-result.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { requiresSecondFactor } from './second-factor-store.ts'
import { verifySecondFactor } from './verify-second-factor.ts'

/**
 * Returns whether a person confirms with a fresh one-time code, not only with a session, in this application: wherever it requires the second
 * factor. Two stolen sessions must not be enough to move money or to change who may.
 */
export async function needsFreshCode(pool: Pool, applicationId: string): Promise<boolean> {
  return requiresSecondFactor(pool, applicationId)
}

/**
 * Verifies the one-time code of a person who confirms something, which uses it up, and returns whether one was needed. Recovery codes are
 * not accepted.
 */
export async function checkFreshCode(
  deps: { pool: Pool; clock: Clock },
  { applicationId, personId, code }: { applicationId: string; personId: string; code: string | undefined },
): Promise<Result<{ wasNeeded: boolean }, FreshCodeRefusal>> {
  if (!(await needsFreshCode(deps.pool, applicationId))) return ok({ wasNeeded: false })
  if (!code) return err('code_required')
  const verified = await verifySecondFactor(deps, { personId, code, allowsRecovery: false, purpose: 'confirmation' })
  if (verified.ok) return ok({ wasNeeded: true })
  const refusals = {
    wrong_code: 'wrong_code',
    throttled: 'code_throttled',
    too_many: 'code_throttled',
    not_enabled: 'second_factor_missing',
  } as const
  return err(refusals[verified.error.kind])
}
