import { approvalRulesSchema } from '#lib/approval-policy.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { findingKey, isRefused, type RuleFinding } from '#lib/rule-finding.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkRules } from './check-rules.ts'
import { insertPolicy } from './policy-store.ts'

type ProposeFailure =
  | { kind: 'not_permitted' }
  | { kind: 'unknown_application' }
  | { kind: 'invalid_rules'; problems: string[] }
  /** The current checkers could not approve what these rules hold back. */
  | { kind: 'nobody_can_approve'; findings: RuleFinding[] }
  /** These rules have gaps that the person has not accepted. `findings`: all of them. */
  | { kind: 'not_accepted'; findings: RuleFinding[] }

type ProposePolicy = {
  applicationId: string
  rules: unknown
  /** The findings that the person has seen and accepts, as findingKey writes them. */
  accepted?: readonly string[] | undefined
  actor: CommandActor
}

/**
 * Stores new approval rules as the next version. They take effect when another administrator activates it. A person cannot store rules that
 * the current checkers could not satisfy, nor rules with gaps that they have not accepted, one by one; what they accepted is recorded. The
 * command line can, because it also sets up applications whose people are still to come.
 */
export async function proposePolicy(pool: Pool, command: ProposePolicy): Promise<Result<{ version: number }, ProposeFailure>> {
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
    const findings = actor.kind === 'person' ? await checkRules(trx, applicationId, parsed.data) : []
    const refused = findings.filter(isRefused)
    if (refused.length > 0) return err({ kind: 'nobody_can_approve', findings: refused })
    if (!findings.every((finding) => command.accepted?.includes(findingKey(finding)))) return err({ kind: 'not_accepted', findings })
    const version = await insertPolicy(trx, applicationId, parsed.data, actor.id)
    const details = { rules: parsed.data, ...(findings.length > 0 ? { accepted: findings.map(findingKey) } : {}) }
    await appendAudit(trx, { applicationId, actor, action: 'policy.proposed', subject: String(version), details })
    return ok({ version })
  })
}
