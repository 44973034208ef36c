'use server'

import { z } from 'zod'
import { type ActionResult, ok } from '#lib/result.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { dismissReturned as dismiss } from '#server/reports/waiting/dismiss-returned.ts'

const returned = z.strictObject({ id: z.uuid() })

/** Takes a returned payment or batch from what waits for its maker. */
export async function dismissReturned(
  application: string,
  input: { id: string },
): Promise<ActionResult<null, 'not_found' | 'not_permitted'>> {
  return runAction({ schema: returned, permission: 'transaction:create', application, input }, async (actor, { id }) => {
    const result = await dismiss(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, id })
    return result.ok ? ok(null) : result
  })
}
