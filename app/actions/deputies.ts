'use server'

import { z } from 'zod'
import { type ActionResult, ok } from '#lib/result.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { endDeputyship as end } from '#server/people/deputies.ts'

const oneDeputyship = z.object({ deputyshipId: z.uuid() })

/** Ends a deputyship at once: by the absent person, the deputy, or an administrator. */
export async function endDeputyship(
  application: string,
  input: { deputyshipId: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found'>> {
  return runAction({ schema: oneDeputyship, permission: 'own-settings:change', application, input }, async (actor, { deputyshipId }) => {
    const ended = await end(backOfficeRuntime().pool, { applicationId: actor.applicationId, deputyshipId, actor })
    return ended.ok ? ok(null) : ended
  })
}
