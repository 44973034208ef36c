import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { readTerms } from '#server/applications/terms-queries.ts'
import type { Pool } from '#server/database/pool.ts'
import { verifySecondFactor } from '#server/people/verify-second-factor.ts'

export type CodeFailure = 'code_required' | 'wrong_code' | 'code_throttled' | 'second_factor_missing'

/** Where an application requires the second factor, money that is put into a balance takes a new one-time code, not only a session. */
export async function needsCode(pool: Pool, applicationId: string): Promise<boolean> {
  return (await readTerms(pool, applicationId))?.requiresSecondFactor ?? false
}

/**
 * Verifies the one-time code of the person who confirms a funding, which uses it up, and returns whether one was needed. Recovery codes are
 * not accepted.
 */
export async function checkCode(
  deps: { pool: Pool; clock: Clock },
  { applicationId, personId, code }: { applicationId: string; personId: string; code: string | undefined },
): Promise<Result<{ wasNeeded: boolean }, CodeFailure>> {
  if (!(await needsCode(deps.pool, applicationId))) return ok({ wasNeeded: false })
  if (!code) return err('code_required')
  const verified = await verifySecondFactor(deps, { personId, code, allowsRecovery: false, purpose: 'confirmation' })
  if (verified.ok) return ok({ wasNeeded: true })
  const failures = { wrong_code: 'wrong_code', throttled: 'code_throttled', too_many: 'code_throttled', not_enabled: 'second_factor_missing' } as const
  return err(failures[verified.error.kind])
}
