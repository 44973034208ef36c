import { approvalRulesSchema } from '#lib/approval-policy.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { insertPolicy } from './policy-store.ts'

type ProposeFailure = { kind: 'not_permitted' } | { kind: 'unknown_application' } | { kind: 'invalid_rules'; problems: string[] }

/** Stores new approval rules as the next version. They take effect when another administrator activates it. */
export async function proposePolicy(
  pool: Pool,
  command: { applicationId: string; rules: unknown; actor: CommandActor },
): Promise<Result<{ version: number }, ProposeFailure>> {
  const { applicationId, actor } = command
  if (!mayAct(actor, applicationId, 'policy:change')) return err({ kind: 'not_permitted' })
  const parsed = approvalRulesSchema.safeParse(command.rules)
  if (!parsed.success) {
    return err({
      kind: 'invalid_rules',
      problems: parsed.error.issues.map((issue) => `${issue.path.join('.') || 'rules'}: ${issue.message}`),
    })
  }
  return withTransaction<{ version: number }, ProposeFailure>(pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err({ kind: 'unknown_application' })
    const version = await insertPolicy(trx, applicationId, parsed.data, actor.id)
    await appendAudit(trx, { applicationId, actor, action: 'policy.proposed', subject: String(version), details: { rules: parsed.data } })
    return ok({ version })
  })
}
