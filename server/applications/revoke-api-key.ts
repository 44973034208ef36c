import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { revokeKeyRow } from './application-store.ts'

/** Ends an API key: within a second every process answers it with 401. */
export async function revokeApiKey(
  pool: Pool,
  command: { applicationId: string; apiKeyId: string; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_key'>> {
  const { applicationId, apiKeyId, actor } = command
  if (!mayAct(actor, applicationId, 'access:revoke')) return err('not_permitted')
  return withTransaction(pool, async (trx) => {
    const revoked = await revokeKeyRow(trx, applicationId, apiKeyId)
    if (!revoked) return err('unknown_key')
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'api_key.revoked',
      subject: apiKeyId,
      details: { keyPrefix: revoked.keyPrefix },
    })
    return ok(undefined)
  })
}
