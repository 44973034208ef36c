import { err, type Result } from '#lib/result.ts'
import { isShownWebhookUrl } from '#lib/text/web-address.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { readEventReceiver, replaceEventReceiver } from './event-receiver-store.ts'

/**
 * Sets the address that receives the events of an application as webhooks, or none (null). Applies to events from now on: those that wait go to the
 * address that was set when they happened.
 */
export async function setEventReceiver(
  database: Database,
  command: { applicationId: string; url: string | null; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_application' | 'invalid_webhook_url'>> {
  const { applicationId, url } = command
  return runCommand<void, 'unknown_application' | 'invalid_webhook_url'>(database, command, 'access:change', async (trx) => {
    if (url !== null && !isShownWebhookUrl(url)) return err('invalid_webhook_url')
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const before = await readEventReceiver(trx, applicationId)
    await replaceEventReceiver(trx, applicationId, url)
    return done({
      action: 'event_receiver.set',
      subject: applicationId,
      details: { before: { eventsUrl: before }, after: { eventsUrl: url } },
    })
  })
}
