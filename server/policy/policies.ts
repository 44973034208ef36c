import { err, type Result } from '#lib/result.ts'
import { type ApprovalRule, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { findingKey, isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { done, runCommand, runRecorded } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, Pool, Queryable } from '#server/database/pool.ts'
import { checkRules } from './check-rules.ts'
import {
  insertPolicy,
  markActivated,
  type NamedPolicyRow,
  type PolicyRow,
  readNamedPolicies,
  readPolicies,
  readPolicy,
} from './policy-store.ts'

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
  return runRecorded<{ version: number }, ProposeFailure>(pool, command, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err({ kind: 'unknown_application' })
    const findings = actor.kind === 'person' ? await checkRules(trx, applicationId, parsed.data) : []
    const refused = findings.filter(isRefused)
    if (refused.length > 0) return err({ kind: 'nobody_can_approve', findings: refused })
    if (!findings.every((finding) => command.accepted?.includes(findingKey(finding)))) return err({ kind: 'not_accepted', findings })
    const version = await insertPolicy(trx, applicationId, parsed.data, actor.id)
    const details = { rules: parsed.data, ...(findings.length > 0 ? { accepted: findings.map(findingKey) } : {}) }
    return done({ action: 'policy.proposed', subject: String(version), details }, { version })
  })
}

type ActivateFailure = 'not_permitted' | 'unknown_version' | 'already_active' | 'superseded' | 'same_person'

/**
 * Activates a proposed version. Waiting transactions keep the rules that applied at intake. Refuses the person who proposed the version,
 * because a change of the rules requires a second administrator, and a version older than the active one, because nobody reviewed it
 * against that.
 */
export async function activatePolicy(
  database: Database,
  command: { applicationId: string; version: number; actor: CommandActor },
): Promise<Result<void, ActivateFailure>> {
  const { applicationId, version, actor } = command
  return runCommand<void, ActivateFailure>(database, command, 'policy:change', async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_version')
    const { policy, activeVersion } = await readPolicy(trx, applicationId, version)
    if (!policy) return err('unknown_version')
    if (policy.activatedAt) return err('already_active')
    if (version < activeVersion) return err('superseded')
    if (actor.id !== null && policy.proposedBy === actor.id) return err('same_person')
    await markActivated(trx, applicationId, version, actor.id)
    const details = { replacesVersion: activeVersion, proposedBy: policy.proposedBy }
    return done({ action: 'policy.activated', subject: String(version), details })
  })
}

/** Returns the newest 100 versions of an application's approval policy, newest first: proposals, the active one and earlier ones. */
export async function listPolicies(queryable: Queryable, applicationId: string): Promise<PolicyRow[]> {
  return readPolicies(queryable, applicationId, 100)
}

/** Returns one version, however old; undefined if there is none. */
export async function findPolicy(queryable: Queryable, applicationId: string, version: number): Promise<PolicyRow | undefined> {
  return (await readPolicy(queryable, applicationId, version)).policy
}

/** A version of the rules as pages show it. Instants are ISO 8601; names are null for the command line. */
export type RuleVersion = {
  version: number
  /** Null: they cannot be read. Then everything waits (`toPolicy` in applications/). */
  rules: ApprovalRule[] | null
  isActive: boolean
  proposedBy: { personId: string; name: string } | null
  proposedAt: string
  activatedBy: string | null
  activatedAt: string | null
}

const LISTED_MAX = 100

/** Returns the newest versions of an application's rules, newest first, and the active one, however old it is. */
export async function readRuleVersions(
  queryable: Queryable,
  applicationId: string,
): Promise<{ versions: RuleVersion[]; active: RuleVersion | null }> {
  const { rows, activeVersion } = await readNamedPolicies(queryable, applicationId, { countMax: LISTED_MAX })
  const versions = rows.map((row) => toVersion(row, activeVersion))
  return { versions, active: versions.find(({ isActive }) => isActive) ?? (await readRuleVersion(queryable, applicationId, activeVersion)) }
}

/** Returns one version; null if there is none with this number. */
export async function readRuleVersion(queryable: Queryable, applicationId: string, version: number): Promise<RuleVersion | null> {
  const { rows, activeVersion } = await readNamedPolicies(queryable, applicationId, { version, countMax: 1 })
  return rows[0] ? toVersion(rows[0], activeVersion) : null
}

function toVersion(row: NamedPolicyRow, activeVersion: number): RuleVersion {
  const parsed = approvalRulesSchema.safeParse(row.rules)
  return {
    version: row.version,
    rules: parsed.success ? parsed.data : null,
    isActive: row.version === activeVersion,
    proposedBy: row.proposedBy === null ? null : { personId: row.proposedBy, name: row.proposerName ?? '' },
    proposedAt: row.proposedAt.toISOString(),
    activatedBy: row.activatorName,
    activatedAt: row.activatedAt?.toISOString() ?? null,
  }
}
