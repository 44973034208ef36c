'use server'

import { z } from 'zod'
import type { OperatorTestResult, SettingsTrial } from '#lib/operators/operator-outcomes.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { type ActionError, type ActionResult, err, ok, type Result } from '#lib/result.ts'
import { operatorSchema } from '#lib/schemas/page-address.ts'
import { operatorSettingsChangeSchema } from '#lib/schemas/proposal.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { bindProof, freshProofSchema } from '#server/back-office/session/fresh-proof.ts'
import { tryProposedSettings } from '#server/changes/try-proposed-settings.ts'
import { sendDespiteShortage } from '#server/operators/balances/send-despite-shortage.ts'
import { reopenOperator } from '#server/operators/settings/reopen-operator.ts'
import { returnSettings } from '#server/operators/settings/return-settings.ts'
import type { OperatorTests } from '#server/operators/settings/test-operator.ts'

const oneOperator = z.strictObject({ operator: operatorSchema })
const oneChange = z.strictObject({ changeId: z.uuid() })
const oneReturn = z.strictObject({
  operator: operatorSchema,
  protocol: z.string().max(60),
  version: z.int().min(1),
  proof: freshProofSchema,
})

type TrialRefusal = 'not_permitted' | 'not_found' | 'throttled'

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

/** Sends the deposits that wait for float at an operator, because somebody knows that its account was topped up. */
export async function sendNow(
  application: string,
  input: { operator: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_waiting'>> {
  return runAction({ schema: oneOperator, permission: 'operator:configure', application, input }, async (actor, { operator }) => {
    const sent = await sendDespiteShortage(backOfficeRuntime().pool, { operator, actor })
    if (sent.ok) return ok(null)
    return err(sent.error === 'not_the_installation' ? 'not_permitted' : sent.error)
  })
}

/** Tests settings before they are proposed: signs in with them and reads the balance. `fields` of a refusal: what is wrong in them. */
export async function trySettings(
  application: string,
  input: { operator: string; protocol: string; changes: Record<string, unknown> },
): Promise<ActionResult<SettingsTrial, TrialRefusal>> {
  return runAction({ schema: operatorSettingsChangeSchema, permission: 'operator:configure', application, input }, async (actor, given) => {
    const { pool, operatorTests } = backOfficeRuntime()
    const change = { ...given, changes: given.changes ?? undefined }
    return refusedTrial(await operatorTests.tryOut(pool, { applicationId: actor.applicationId, change, actor }))
  })
}

/** Tests the settings of a change that waits, before it is confirmed. */
export async function tryChange(application: string, input: { changeId: string }): Promise<ActionResult<SettingsTrial, TrialRefusal>> {
  return runAction({ schema: oneChange, permission: 'operator:configure', application, input }, async (actor, { changeId }) =>
    refusedTrial(await tryProposedSettings(backOfficeRuntime(), { applicationId: actor.applicationId, changeId, actor })),
  )
}

type Trial = Awaited<ReturnType<OperatorTests['tryOut']>> | Awaited<ReturnType<typeof tryProposedSettings>>

/** The refusal of a test as one that has a message. */
function refusedTrial(trial: Trial): Result<SettingsTrial, ActionError<TrialRefusal>> {
  if (trial.ok) return trial
  const { error } = trial
  if (typeof error !== 'string') {
    if (error.code === 'throttled') return err({ code: 'throttled' })
    const fields = Object.fromEntries(error.problems.toReversed().map(({ path, problem }) => [path, problem]))
    return err({ code: 'invalid', fields })
  }
  if (error === 'not_the_installation') return err({ code: 'not_permitted' })
  return err({ code: error === 'not_permitted' ? error : 'not_found' })
}

/** Returns to the settings that the present ones replaced within the last day. One administrator may. */
export async function returnToPrevious(
  application: string,
  input: { operator: string; protocol: string; version: number; proof?: ProofAnswer },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | 'changed_meanwhile'>> {
  return runAction({ schema: oneReturn, permission: 'operator:configure', application, input }, async (actor, given) => {
    const returned = await returnSettings(backOfficeRuntime(), { ...given, proof: await bindProof(given.proof), actor })
    if (returned.ok) return ok(null)
    if (returned.error === 'no_return') return err('not_found')
    return err(returned.error === 'not_the_installation' ? 'not_permitted' : returned.error)
  })
}
