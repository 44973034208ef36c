'use server'

import type { ActionResult } from '#lib/result.ts'
import { type PageFailure, pageFailureSchema } from '#lib/schemas/page-address.ts'
import { logPageFailure } from '#server/back-office/page-failures.ts'
import { runAction } from '#server/back-office/run-action.ts'

/** Logs a failure of a page in somebody's browser. Returns the reference that the page shows. */
export async function reportPageFailure(
  application: string,
  failure: PageFailure,
): Promise<ActionResult<{ reference: string }, 'throttled'>> {
  return runAction({ schema: pageFailureSchema, permission: 'overview:read', application, input: failure }, async (actor, input) =>
    logPageFailure(actor.id, input),
  )
}
