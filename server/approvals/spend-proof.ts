import type { DecisionRefusal } from '#lib/approvals/approvals.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { type FreshProof, verifyFreshProof } from '#server/people/sign-in/fresh-proof.ts'
import type { ApprovalViewer } from './queue/queue.ts'

/**
 * Verifies a checker's one-time code or passkey, which uses it up, for exactly one decision. `digest` says which: it is stored in the audit record
 * with the number of transactions and the name of the passkey. Recovery codes are not accepted.
 */
export async function spendProof(
  deps: { pool: Pool; clock: Clock },
  { checker, proof, digest, count }: { checker: ApprovalViewer; proof: FreshProof | undefined; digest: string; count: number },
): Promise<Result<void, DecisionRefusal>> {
  if (!proof) return err(checker.hasSecondFactor ? 'code_required' : 'second_factor_missing')
  const verified = await verifyFreshProof(deps, { personId: checker.id, proof })
  if (!verified.ok) return verified
  const name = 'withPasskey' in verified.value ? verified.value.withPasskey : undefined
  const by = { applicationId: checker.applicationId, actor: { kind: 'person' as const, id: checker.id } }
  const details = { list: digest, count }
  await recordAct(
    deps.pool,
    by,
    name === undefined
      ? { action: 'approvals.code_used', subject: checker.id, details }
      : { action: 'approvals.passkey_used', subject: checker.id, details: { ...details, name } },
  )
  return ok(undefined)
}
