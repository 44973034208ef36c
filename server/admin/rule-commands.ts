import { readFileSync } from 'node:fs'
import { formatMinor } from '#lib/money/money.ts'
import { type ApprovalRule, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { listLimits } from '#lib/rules/rule-limits.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { activatePolicy, listPolicies, proposePolicy } from '#server/policy/policies.ts'
import { AdminError, type Command, type Options, type Output, required, unwrap } from './command.ts'
import { applicationOf, textOf } from './read-options.ts'

/** Which transactions need approvals. Rules can depend on the source (api, person, file), amounts, batch totals and first payments. */
export const RULE_COMMANDS: readonly Command[] = [
  {
    name: 'list-rules',
    summary: 'Show the approval rules of an application, with their versions',
    options: { application: required('ID|NAME') },
    run: list,
  },
  {
    name: 'propose-rules',
    summary: 'Store new approval rules from a JSON file; they take effect when they are activated',
    options: { application: required('ID|NAME'), file: required('PATH') },
    run: propose,
  },
  {
    name: 'activate-rules',
    summary: 'Activate a proposed version of the approval rules',
    options: { application: required('ID|NAME'), version: required('NUMBER') },
    run: activate,
  },
]

async function list(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const versions = await listPolicies(pool, applicationId)
  const active = versions.find((version) => version.activatedAt !== null)
  const parsed = approvalRulesSchema.safeParse(active?.rules ?? [])
  return {
    facts: { applicationId, activeVersion: active ? String(active.version) : '-' },
    tables: {
      versions: versions.map((version) => ({
        version: String(version.version),
        proposed: version.proposedAt.toISOString(),
        activated: version.activatedAt?.toISOString() ?? '-',
      })),
      rules: parsed.success ? parsed.data.map(describe) : [],
    },
  }
}

function describe(rule: ApprovalRule): Record<string, string> {
  return {
    name: rule.name,
    sources: rule.sources.join(','),
    types: rule.types.join(','),
    operators: rule.operators?.join(',') ?? 'all',
    countries: rule.countries?.join(',') ?? 'all',
    measure: rule.measure,
    above:
      listLimits(rule)
        .map(([currency, limit]) => `${formatMinor(BigInt(limit))} ${currency}`)
        .join(', ') || 'any',
    firstTimeOnly: yes(rule.firstTimeOnly),
    approvals: rule.approvals.join('+'),
    needsCode: yes(rule.needsCode),
    apiMayDecide: yes(rule.apiMayDecide),
    expiresInHours: String(rule.expiresInHours),
  }
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no'
}

async function propose(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const proposed = await proposePolicy(pool, { applicationId, rules: readRules(textOf(options, 'file')), actor: SYSTEM_ACTOR })
  if (proposed.ok) return { facts: { applicationId, version: String(proposed.value.version) } }
  throw new AdminError(
    proposed.error.kind === 'invalid_rules'
      ? `The rules are not valid. ${proposed.error.problems.join(' ')}`
      : `Refused: ${proposed.error.kind}.`,
  )
}

function readRules(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new AdminError(`${file} could not be read as JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function activate(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const text = textOf(options, 'version')
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AdminError('--version takes a number.', 2)
  unwrap(await activatePolicy(pool, { applicationId, version: Number(text), actor: SYSTEM_ACTOR }))
  return { facts: { applicationId, version: text } }
}
