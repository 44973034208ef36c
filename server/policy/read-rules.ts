import { type ApprovalRule, approvalRulesSchema } from '#lib/approval-policy.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type NamedPolicyRow, readNamedPolicies } from './policy-store.ts'

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
