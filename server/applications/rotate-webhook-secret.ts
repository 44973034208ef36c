import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { generateWebhookSecret } from '#server/credentials/secrets.ts'

import { lockApplication } from '#server/database/application-locks.ts'

import type { Database } from '#server/database/pool.ts'

import { withTransaction } from '#server/database/with-transaction.ts'
import { expireWebhookSecrets, insertWebhookSecret } from './application-store.ts'

/** Makes a new webhook secret, returned only once. Earlier secrets also sign until `othersExpireAt`. */
export async function rotateWebhookSecret(
  database: Database,
  command: { applicationId: string; othersExpireAt: Date; actor: CommandActor },
): Promise<Result<{ webhookSecret: string }, 'not_permitted' | 'unknown_application'>> {
  const { applicationId, othersExpireAt, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const webhookSecret = generateWebhookSecret()
  return withTransaction(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    await expireWebhookSecrets(trx, applicationId, othersExpireAt)
    await insertWebhookSecret(trx, applicationId, randomUUID(), webhookSecret)
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'webhook_secret.rotated',
      subject: applicationId,
      details: { othersExpireAt: othersExpireAt.toISOString() },
    })
    return ok({ webhookSecret })
  })
}
