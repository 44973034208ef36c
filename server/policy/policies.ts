import { err, ok, type Result } from '#lib/result.ts'
import { type ApprovalRule, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { done, runCommand, runRecorded } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, Pool, Queryable } from '#server/database/pool.ts'
import { type ActivationRefusal, checkActivation } from './check-activation.ts'
import {
  insertPolicy,
  markActivated,
  type NamedPolicyRow,
  type PolicyRow,
  readNamedPolicies,
  readPolicies,
  readPolicy,
} from './policy-store.ts'

type ProposeFailure = { kind: 'not_permitted' } | { kind: 'unknown_application' } | { kind: 'invalid_rules'; problems: string[] }

/**
 * Stores new approval rules as the next version, a draft. They take effect when another administrator activates it. A draft is stored with any
 * gap: what is wrong with it is a question of its activation (`check-activation.ts`), and until then nothing depends on it.
 */
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
  return runRecorded<{ version: number }, ProposeFailure>(pool, command, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err({ kind: 'unknown_application' })
    const version = await insertPolicy(trx, applicationId, parsed.data, actor.id)
    return done({ action: 'policy.proposed', subject: String(version), details: { rules: parsed.data } }, { version })
  })
}

type ActivateFailure = 'not_permitted' | 'unknown_version' | 'already_active' | 'superseded' | 'same_person' | ActivationRefusal

type ActivatePolicy = {
  applicationId: string
  version: number
  /** The new gaps that people have seen and accept, as findingKey writes them. */
  accepted?: readonly string[] | undefined
  actor: CommandActor
}

/**
 * Activates a proposed version. Waiting transactions keep the rules that applied at intake. Refuses the person who proposed the version,
 * because a change of the rules requires a second administrator, and a version older than the active one, because nobody reviewed it
 * against that. People cannot activate a version with a new gap that is refused or that they have not accepted; what they accepted is recorded.
 * The command line can, because it also sets up applications whose people are still to come.
 */
export async function activatePolicy(database: Database, command: ActivatePolicy): Promise<Result<void, ActivateFailure>> {
  const { applicationId, version, accepted = [], actor } = command
  return runCommand<void, ActivateFailure>(database, command, 'policy:change', async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_version')
    const { policy, activeVersion } = await readPolicy(trx, applicationId, version)
    if (!policy) return err('unknown_version')
    if (policy.activatedAt) return err('already_active')
    if (version < activeVersion) return err('superseded')
    if (actor.id !== null && policy.proposedBy === actor.id) return err('same_person')
    const checked = actor.kind === 'person' ? await checkActivation(trx, { applicationId, version, accepted }) : ok([])
    if (!checked.ok) return checked
    await markActivated(trx, applicationId, version, actor.id)
    const gaps = checked.value
    const details = { replacesVersion: activeVersion, proposedBy: policy.proposedBy, ...(gaps.length > 0 ? { accepted: gaps } : {}) }
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
