import { can } from '#lib/permissions.ts'
import type { PolicyReplay, ReplayFailure } from '#lib/policy-replay.ts'
import type { Result } from '#lib/result.ts'
import type { RuleFinding } from '#lib/rule-finding.ts'
import type { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { checkRules } from '#server/policy/check-rules.ts'
import { type RuleVersion, readRuleVersion, readRuleVersions } from '#server/policy/read-rules.ts'
import { replayPolicy } from '#server/reports/policy-replay/replay-policy.ts'

type VersionPage = {
  version: RuleVersion
  /** What it is compared with; null: no rules. */
  other: RuleVersion | null
  versions: readonly RuleVersion[]
  active: RuleVersion | null
  /** Null for those who may not change the rules, who see no replay either. */
  findings: RuleFinding[] | null
  /** Under way; null for the active version, which has nothing to be compared with. */
  replay: Promise<Result<PolicyReplay, ReplayFailure>> | null
  isAlone: boolean
  canActivate: boolean
}

/** Reads everything about one version except its replay, which it starts. Null if the application has no such version. */
export async function readVersionPage(
  { pool, reportPool, directory, clock }: Pick<ReturnType<typeof backOfficeRuntime>, 'pool' | 'reportPool' | 'directory' | 'clock'>,
  applicationId: string,
  number: number,
  against: number | undefined,
  mayChange: boolean,
): Promise<VersionPage | null> {
  const [version, { versions, active }, members] = await Promise.all([
    readRuleVersion(pool, applicationId, number),
    readRuleVersions(pool, applicationId),
    listActiveMembers(pool, applicationId),
  ])
  if (!version) return null
  const other = against === undefined ? active : await readRuleVersion(pool, applicationId, against)
  const findings = mayChange ? await checkRules(pool, applicationId, version.rules ?? []) : null
  const application = directory.find(applicationId)
  const isReplayed = mayChange && !version.isActive && version.rules !== null
  return {
    version,
    other,
    versions,
    active,
    findings,
    replay: isReplayed && application ? replayPolicy(reportPool, { application, version: number, now: clock.now() }) : null,
    isAlone: members.filter(({ roles }) => can(roles, 'policy:change')).length < 2,
    canActivate: !version.isActive && version.rules !== null && number > (active?.version ?? 0),
  }
}
