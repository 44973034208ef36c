'use server'

import { z } from 'zod'
import type { OperatorTestResult } from '#lib/operators/operator-outcomes.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { operatorSchema } from '#lib/schemas/page-address.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { sendDespiteShortage } from '#server/operators/balances/send-despite-shortage.ts'
import { reopenOperator } from '#server/operators/settings/reopen-operator.ts'

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
