import type { Clock } from '#lib/time.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { DeliveryLogger } from './attempt-recorder.ts'
import type { ClaimedDelivery } from './delivery-store.ts'
import { NOTHING_ANSWERED, type Sender, type SendResult } from './send-webhook.ts'
import { signWebhook, type WebhookSecret, webhookIdOf } from './sign-webhook.ts'
import { webhookPayload } from './webhook-payload.ts'

export type AttemptDependencies = {
  clock: Clock
  logger: DeliveryLogger
  /** The signing secrets of an application; expired ones are ignored. */
  secretsFor(applicationId: string): readonly WebhookSecret[]
  /** Whether an application wants `transactionStatus` as a copy of `status`. */
  copiesStatusFor(applicationId: string): boolean
}

/** Builds, signs and sends one webhook. Never rejects. */
export async function attemptDelivery(sender: Sender, dependencies: AttemptDependencies, delivery: ClaimedDelivery): Promise<SendResult> {
  const { clock, logger, secretsFor, copiesStatusFor } = dependencies
  try {
    const body = webhookPayload(delivery, copiesStatusFor(delivery.applicationId))
    const headers = signWebhook(webhookIdOf(delivery.transactionId), body, secretsFor(delivery.applicationId), clock.now())
    return await sender.send(delivery.url, headers, body)
  } catch (error) {
    // A bug, but the slot and the schedule must survive it.
    reportUnexpected('webhooks: send', error, {
      logger,
      transactionId: delivery.transactionId,
      message: 'A webhook attempt could not be made',
    })
    return { outcome: 'connection_error', httpStatus: null, detail: 'The attempt could not be made.', durationMs: 0, ...NOTHING_ANSWERED }
  }
}
