'use server'

import { z } from 'zod'
import { type ActionResult, err } from '#lib/result.ts'
import { RULES_MAX } from '#lib/rules/approval-policy.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { findPolicy, proposePolicy } from '#server/policy/policies.ts'

/** The command reads each rule with its own schema. */
const written = z.strictObject({ rules: z.array(z.record(z.string(), z.unknown())).max(RULES_MAX) })
const restored = z.strictObject({ version: z.int().min(1).max(2_147_483_647) })

type SaveCode = 'not_permitted' | 'unknown_application' | 'invalid_rules'

/** Stores rules as the next version, a draft. They take effect when another administrator confirms their activation. */
export async function saveRules(
  application: string,
  input: { rules: Record<string, unknown>[] },
): Promise<ActionResult<{ version: number }, SaveCode>> {
  return runAction({ schema: written, permission: 'policy:change', application, input }, async (actor, command) => {
    const { applicationId } = actor
    return toSaved(await proposePolicy(backOfficeRuntime().pool, { applicationId, ...command, actor }))
  })
}

/** Stores the rules of an earlier version as the next version, a draft. */
export async function restoreRules(
  application: string,
  input: { version: number },
): Promise<ActionResult<{ version: number }, SaveCode | 'unknown_version'>> {
  return runAction({ schema: restored, permission: 'policy:change', application, input }, async (actor, { version }) => {
    const { pool } = backOfficeRuntime()
    const { applicationId } = actor
    const policy = await findPolicy(pool, applicationId, version)
    if (!policy) return err('unknown_version')
    return toSaved(await proposePolicy(pool, { applicationId, rules: policy.rules, actor }))
  })
}

function toSaved(result: Awaited<ReturnType<typeof proposePolicy>>) {
  return result.ok ? result : err(result.error.kind)
}
