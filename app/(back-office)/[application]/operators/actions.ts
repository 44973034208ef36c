'use server'

import { z } from 'zod'
import type { OperatorTestResult } from '#lib/operators/operator-outcomes.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { operatorSchema } from '#lib/schemas/page-address.ts'
import { operatorSettingsChangeSchema } from '#lib/schemas/proposal.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { reopenOperator } from '#server/operators/settings/reopen-operator.ts'
import { readSettingsChange } from '#server/operators/settings/set-operator.ts'

/** Fields to change, in groups as the protocol has them; null removes one, and null instead of them removes the settings. */
export type ProposedSettings = z.output<typeof operatorSettingsChangeSchema>
type ProposalCode = Exclude<Extract<Awaited<ReturnType<typeof proposeChange>>, { ok: false }>['error'], object>

const oneOperator = z.strictObject({ operator: operatorSchema })

/** Signs in to an operator and reads the balance, which moves no money; limited per application and operator. */
export async function testOperator(
  application: string,
  input: { operator: string },
): Promise<ActionResult<OperatorTestResult, 'not_permitted' | 'not_set' | 'throttled'>> {
  return runAction({ schema: oneOperator, permission: 'operator:test', application, input }, async (actor, { operator }) => {
    const { pool, operatorTests } = backOfficeRuntime()
    const result = await operatorTests.run(pool, { applicationId: actor.applicationId, operator, actor })
    if (result.ok) return result
    return err(typeof result.error === 'string' ? result.error : result.error.code)
  })
}

/** Opens the directions of an operator that are closed for a fault of ours, with the settings as they are. */
export async function openAgain(
  application: string,
  input: { operator: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_closed' | 'not_stored'>> {
  return runAction({ schema: oneOperator, permission: 'operator:configure', application, input }, async (actor, { operator }) => {
    const reopened = await reopenOperator(backOfficeRuntime().pool, { operator, actor })
    if (reopened.ok) return ok(null)
    return err(reopened.error === 'not_the_installation' ? 'not_permitted' : reopened.error)
  })
}

/**
 * Proposes how an operator is reached, for an administrator of the application that runs the installation. `fields` of the error names what is
 * wrong with which field, and never repeats a value.
 */
export async function proposeSettings(
  application: string,
  input: ProposedSettings,
): Promise<ActionResult<null, ProposalCode | 'refused' | 'invalid_settings' | 'not_found'>> {
  return runAction(
    { schema: operatorSettingsChangeSchema, permission: 'operator:configure', application, input },
    async (actor, change) => {
      const { pool } = backOfficeRuntime()
      const { applicationId } = actor
      // No other application has settings of operators.
      if (!(await runsInstallation(pool, applicationId))) return err('not_found')
      const checked = await readSettingsChange(pool, { ...change, changes: change.changes ?? undefined }, { locks: false })
      if (!checked.ok && typeof checked.error === 'object') {
        const problems = checked.error.problems.map(({ path, problem }) => [path, problem] as const)
        return err({ code: 'invalid_settings', fields: Object.fromEntries(problems.toReversed()) })
      }
      const proposed = await proposeChange(pool, { applicationId, kind: 'operator.set', input: change, actor })
      if (proposed.ok) return ok(null)
      return err(typeof proposed.error === 'string' ? proposed.error : 'refused')
    },
  )
}
