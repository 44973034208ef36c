'use server'

import { z } from 'zod'
import { TRANSIT_STEPS, type TransitStep } from '#lib/finance/treasury-dto.ts'
import { type ActionResult, ok } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { type MarkFailure, markTransit as mark, undoMark as undo } from '#server/reconciliation/treasury/mark-transit.ts'

const oneStep = z.strictObject({ ledgerId: z.uuid(), changeId: z.uuid(), step: z.enum(TRANSIT_STEPS) })
const marked = oneStep.extend({ day: z.string().refine(isUtcDay), reference: text(100).min(1) })

/** Says how far a withdrawal is. */
export async function markTransit(
  application: string,
  input: { ledgerId: string; changeId: string; step: TransitStep; day: string; reference: string },
): Promise<ActionResult<null, MarkFailure>> {
  return runAction({ schema: marked, permission: 'reconciliation:work', application, input }, async (actor, given) => {
    const { pool, clock } = backOfficeRuntime()
    const result = await mark(pool, { applicationId: actor.applicationId, actor, now: clock.now(), ...given })
    return result.ok ? ok(null) : result
  })
}

/** Takes a mark back. */
export async function undoMark(
  application: string,
  input: { ledgerId: string; changeId: string; step: TransitStep },
): Promise<ActionResult<null, 'not_permitted' | 'not_found'>> {
  return runAction({ schema: oneStep, permission: 'reconciliation:work', application, input }, async (actor, given) => {
    const result = await undo(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, ...given })
    return result.ok ? ok(null) : result
  })
}
