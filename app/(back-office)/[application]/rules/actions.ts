'use server'

import { z } from 'zod'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { RULES_MAX } from '#lib/rules/approval-policy.ts'
import type { RuleFinding } from '#lib/rules/rule-finding.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { findPolicy, proposePolicy } from '#server/policy/policies.ts'

/** The command reads each rule with its own schema. */
const accepted = z.array(z.string().max(20_000)).max(200)
const written = z.strictObject({ rules: z.array(z.record(z.string(), z.unknown())).max(RULES_MAX), accepted })
const restored = z.strictObject({ version: z.int().min(1).max(2_147_483_647), accepted })

/** A version was stored, or why it was not: the current checkers could not approve what it holds back, or it has gaps that were not accepted. */
type SavedRules = { version: number } | { findings: readonly RuleFinding[] }
type SaveCode = 'not_permitted' | 'unknown_application' | 'invalid_rules'

/** Stores rules as the next version. They take effect when another administrator confirms their activation. */
export async function saveRules(
  application: string,
  input: { rules: Record<string, unknown>[]; accepted: readonly string[] },
): Promise<ActionResult<SavedRules, SaveCode>> {
  return runAction({ schema: written, permission: 'policy:change', application, input }, async (actor, command) => {
    const { applicationId } = actor
    return toSaved(await proposePolicy(backOfficeRuntime().pool, { applicationId, ...command, actor }))
  })
}

/** Stores the rules of an earlier version as the next version. */
export async function restoreRules(
  application: string,
  input: { version: number; accepted: readonly string[] },
): Promise<ActionResult<SavedRules, SaveCode | 'unknown_version'>> {
  return runAction({ schema: restored, permission: 'policy:change', application, input }, async (actor, { version, accepted }) => {
    const { pool } = backOfficeRuntime()
    const { applicationId } = actor
    const policy = await findPolicy(pool, applicationId, version)
    if (!policy) return err('unknown_version')
    return toSaved(await proposePolicy(pool, { applicationId, rules: policy.rules, accepted, actor }))
  })
}

function toSaved(result: Awaited<ReturnType<typeof proposePolicy>>) {
  if (result.ok) return ok<SavedRules>(result.value)
  const failure = result.error
  if ('findings' in failure) return ok<SavedRules>({ findings: failure.findings })
  return err(failure.kind)
}
