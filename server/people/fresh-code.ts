import type { FreshCodeRefusal } from '#lib/action-result.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { requiresSecondFactor } from './second-factor-store.ts'
import { verifySecondFactor } from './verify-second-factor.ts'

/** The details for the command's audit entry: that there was a code, if one was needed. */
export type FreshCode = { withCode: { withCode: true } | Record<string, never> }

/**
 * Verifies the one-time code of a person who confirms something, which uses it up: wherever the application requires the second factor, a session
 * is not enough to move money or to change who may. The command calls it itself, before its transaction, so that no caller can leave it out
 * and a wrong code counts even though nothing else happens. Recovery codes are not accepted.
 */
export async function checkFreshCode(
  deps: { pool: Pool; clock: Clock },
  { applicationId, personId, code }: { applicationId: string; personId: string; code: string | undefined },
): Promise<Result<FreshCode, FreshCodeRefusal>> {
  if (!(await requiresSecondFactor(deps.pool, applicationId))) return ok({ withCode: {} })
  if (!code) return err('code_required')
  const verified = await verifySecondFactor(deps, { personId, code, allowsRecovery: false, purpose: 'confirmation' })
  if (verified.ok) return ok({ withCode: { withCode: true } })
  const refusals = {
    wrong_code: 'wrong_code',
    throttled: 'code_throttled',
    too_many: 'code_throttled',
    not_enabled: 'second_factor_missing',
  } as const
  return err(refusals[verified.error.kind])
}
