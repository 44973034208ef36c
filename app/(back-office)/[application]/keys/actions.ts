'use server'

import { z } from 'zod'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { revokeApiKey } from '#server/applications/access/api-keys.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { blockApiUser as block } from '#server/partner-auth/api-users.ts'

/** Ends an API key at once. One person may: it only takes access away. */
export async function revokeKey(application: string, input: { apiKeyId: string }): Promise<ActionResult<null, 'not_permitted'>> {
  const schema = z.object({ apiKeyId: z.uuid() })
  return runAction({ schema, permission: 'access:revoke', application, input }, async (actor, { apiKeyId }) => {
    const result = await revokeApiKey(backOfficeRuntime().pool, { applicationId: actor.applicationId, apiKeyId, actor })
    if (result.ok) return ok(null)
    return result.error === 'not_permitted' ? err('not_permitted') : err({ code: 'not_found' })
  })
}

/** Blocks an API user at once. */
export async function blockApiUser(application: string, input: { apiUserId: string }): Promise<ActionResult<null, 'not_permitted'>> {
  const schema = z.object({ apiUserId: z.uuid() })
  return runAction({ schema, permission: 'access:revoke', application, input }, async (actor, { apiUserId }) => {
    const command = { applicationId: actor.applicationId, apiUserId, isBlocked: true, actor }
    const result = await block(backOfficeRuntime().pool, command)
    if (result.ok) return ok(null)
    return result.error === 'not_permitted' ? err('not_permitted') : err({ code: 'not_found' })
  })
}
