'use server'

import type { ExceptionRef } from '#lib/reconciliation/exceptions.ts'
import type { ActionResult } from '#lib/result.ts'
import { exceptionInputs } from '#lib/schemas/exceptions.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import {
  noteOnException as addNote,
  closeException as close,
  handOverException as handOver,
  takeException as take,
} from '#server/reconciliation/exceptions/work-on-exception.ts'

type Refused = 'not_permitted' | 'not_found' | 'closed'

/** Makes the person the owner of an exception that nobody has. */
export async function takeException(application: string, input: ExceptionRef): Promise<ActionResult<null, Refused | 'taken'>> {
  return runAction({ schema: exceptionInputs.take, permission: 'reconciliation:work', application, input }, async (actor, given) => {
    const result = await take(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, ...given })
    return result.ok ? { ok: true, value: null } : result
  })
}

/** Makes another person the owner. */
export async function handOverException(
  application: string,
  input: ExceptionRef & { personId: string; note: string },
): Promise<ActionResult<null, Refused | 'not_owner' | 'not_a_worker'>> {
  return runAction({ schema: exceptionInputs.handOver, permission: 'exception:hand-over', application, input }, async (actor, given) => {
    const result = await handOver(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, ...given })
    return result.ok ? { ok: true, value: null } : result
  })
}

/** Adds a note. */
export async function noteOnException(application: string, input: ExceptionRef & { note: string }): Promise<ActionResult<null, Refused>> {
  return runAction({ schema: exceptionInputs.note, permission: 'reconciliation:work', application, input }, async (actor, given) => {
    const result = await addNote(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, ...given })
    return result.ok ? { ok: true, value: null } : result
  })
}

/** Closes an exception in the name of its owner. */
export async function closeException(
  application: string,
  input: { exceptionId: string; outcome: string; note: string },
): Promise<ActionResult<null, Refused | 'not_owner' | 'not_adjusted'>> {
  return runAction({ schema: exceptionInputs.close, permission: 'reconciliation:work', application, input }, async (actor, given) => {
    const result = await close(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, ...given })
    return result.ok ? { ok: true, value: null } : result
  })
}
