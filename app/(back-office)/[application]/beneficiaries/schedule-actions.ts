'use server'

import type { z } from 'zod'
import type { ActionResult } from '#lib/result.ts'
import { endScheduleSchema, paymentScheduleSchema } from '#lib/schemas/beneficiary.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { endPaymentSchedule, setPaymentSchedule } from '#server/beneficiaries/schedules.ts'

/** Sets when a list is prepared in the name of this person. */
export async function scheduleList(
  application: string,
  input: z.input<typeof paymentScheduleSchema>,
): Promise<ActionResult<{ scheduleId: string }, 'not_permitted' | 'not_found' | 'wrong_time' | 'too_many_schedules'>> {
  return runAction({ schema: paymentScheduleSchema, permission: 'transaction:create', application, input }, (actor, terms) =>
    setPaymentSchedule(backOfficeRuntime(), { ...terms, applicationId: actor.applicationId, actor }),
  )
}

/** Ends a schedule. */
export async function endListSchedule(
  application: string,
  input: z.input<typeof endScheduleSchema>,
): Promise<ActionResult<void, 'not_permitted' | 'not_found'>> {
  return runAction({ schema: endScheduleSchema, permission: 'transaction:create', application, input }, (actor, { scheduleId }) =>
    endPaymentSchedule(backOfficeRuntime().pool, { applicationId: actor.applicationId, scheduleId, actor }),
  )
}
