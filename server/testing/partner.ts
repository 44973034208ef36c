import type { Result } from '#lib/result.ts'
import { createApiKey } from '#server/applications/access/api-keys.ts'
import { allowAddress } from '#server/applications/access/change-networks.ts'
import { createApplication } from '#server/applications/create-application.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'

export type TestPartner = {
  applicationId: string
  apiId: string
  webhookSecret: string
  apiKeyId: string
  apiKey: string
  apiUserId: string
  username: string
  password: string
}

/** An application that can call from this machine, made by the real commands. */
export async function createTestPartner(pool: Pool, options: { name?: string; networks?: string[] } = {}): Promise<TestPartner> {
  const { name = 'Test partner', networks = ['127.0.0.0/8', '::1'] } = options
  const actor = SYSTEM_ACTOR
  const { applicationId, apiId, webhookSecret } = must(await createApplication(pool, { name, actor }))
  // Nobody waits for the end of an undo, except in tests that set one.
  await pool.query('update applications set undo_seconds = 0 where application_id = $1', [applicationId])
  const { apiKeyId, apiKey } = must(await createApiKey(pool, { applicationId, name: 'first', actor }))
  const username = `partner-${applicationId}@example.com`
  const { apiUserId, password } = must(await createApiUser(pool, { applicationId, username, actor }))
  for (const network of networks) must(await allowAddress(pool, { applicationId, network, actor }))
  return { applicationId, apiId, webhookSecret, apiKeyId, apiKey, apiUserId, username, password }
}

/** The value of a command that must have worked. */
export function must<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`The command refused: ${JSON.stringify(result.error)}`)
  return result.value
}
