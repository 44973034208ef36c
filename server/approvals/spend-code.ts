import type { DecisionRefusal } from '#lib/approvals/approvals.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { verifySecondFactor } from '#server/people/second-factor.ts'
import type { ApprovalViewer } from './queue/queue.ts'

/**
 * Verifies a checker's one-time code, which uses it up, for exactly one decision. `digest` says which: it is stored in the audit record
 * with the number of transactions. Recovery codes are not accepted.
 */
export async function spendCode(
  deps: { pool: Pool; clock: Clock },
  { checker, code, digest, count }: { checker: ApprovalViewer; code: string | undefined; digest: string; count: number },
): Promise<Result<void, DecisionRefusal>> {
  if (!code) return err(checker.hasSecondFactor ? 'code_required' : 'second_factor_missing')
  const verified = await verifySecondFactor(deps, { personId: checker.id, code, allowsRecovery: false, purpose: 'confirmation' })
  if (!verified.ok)
    return err(
      (
        { wrong_code: 'wrong_code', not_enabled: 'second_factor_missing', throttled: 'code_throttled', too_many: 'code_throttled' } as const
      )[verified.error.kind],
    )
  const by = { applicationId: checker.applicationId, actor: { kind: 'person' as const, id: checker.id } }
  await recordAct(deps.pool, by, { action: 'approvals.code_used', subject: checker.id, details: { list: digest, count } })
  return ok(undefined)
}
