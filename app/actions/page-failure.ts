'use server'

import { randomUUID } from 'node:crypto'
import type { ActionResult } from '#lib/action-result.ts'
import { ok } from '#lib/result.ts'
import { type PageFailure, pageFailureSchema } from '#lib/schemas/page-failure.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

/** Logs a failure of a page in somebody's browser. Returns the reference that the page shows. */
export async function reportPageFailure(application: string, failure: PageFailure): Promise<ActionResult<{ reference: string }>> {
  return runAction(
    { schema: pageFailureSchema, permission: 'overview:read', application, input: failure },
    async (actor, { name, message, stack, path }) => {
      const reference = randomUUID().slice(0, 8)
      const error = Object.assign(new Error(message), { name, stack })
      reportUnexpected('pages: browser', error, { reference, path, personId: actor.id, message: 'A page failed in a browser' })
      return ok({ reference })
    },
  )
}
