import type { Pool } from '#server/database/pool.ts'
import { WEBHOOK_GAPS_MS } from '#server/webhooks/delivery-loop.ts'
import type { GuardedSenders } from '#server/webhooks/send/send-webhook.ts'
import { signWebhook, type WebhookSecret } from '#server/webhooks/send/sign-webhook.ts'
import { type ClaimedEvent, claimEvents, endAttempt, giveUpInterrupted } from './event-store.ts'
import { pathOf } from './mail/write-mail.ts'

type EventSending = {
  pool: Pool
  senders: Pick<GuardedSenders, 'to'>
  /** The secrets that sign for an application, and the private networks that its webhooks may reach. */
  receiverOf: (applicationId: string) => { secrets: readonly WebhookSecret[]; networks: readonly string[] }
  publicUrl: string
  now: () => Date
  isEnding?: () => boolean
}

/** An attempt takes five seconds at most. */
const LEASE_MS = 30_000
const CLAIMED_MAX = 16
/** A receiver that hangs leaves room for others. */
const EACH_MAX = 4

/** Sends the events that are due to the programs of their applications. Several processes may run it at once. */
export async function sendEvents(sending: EventSending): Promise<void> {
  const { pool, now, isEnding = () => false } = sending
  await giveUpInterrupted(pool, now())
  while (!isEnding()) {
    // Committed before anything is sent: a process that dies later leaves a trace of the attempt.
    const claimed = await claimEvents(pool, now(), { countMax: CLAIMED_MAX, eachMax: EACH_MAX, leaseMs: LEASE_MS })
    if (claimed.length === 0) return
    await Promise.all(claimed.map((event) => attempt(sending, event)))
  }
}

async function attempt({ pool, senders, receiverOf, publicUrl, now }: EventSending, event: ClaimedEvent): Promise<void> {
  const { secrets, networks } = receiverOf(event.applicationId)
  const body = eventBody(event, publicUrl)
  const sent = await senders.to(networks).send(event.url, signWebhook(`evt_${event.notice.noticeId}`, body, secrets, now()), body)
  const { outcome, httpStatus, detail } = sent
  const ending = { isDelivered: outcome === 'delivered', outcome, httpStatus, detail }
  await endAttempt(pool, event, ending, { now: now(), gapsMs: WEBHOOK_GAPS_MS })
}

/** The same bytes in every attempt. `url` leads a person to the page about it. */
function eventBody({ notice, createdAt }: ClaimedEvent, publicUrl: string): string {
  const { cause, subjectId, operator, type } = notice
  const data = {
    subjectId,
    ...(operator && { operator }),
    ...(type && { transactionType: type }),
    url: `${publicUrl}${pathOf({ ...notice, decidesIn: null })}`,
  }
  return JSON.stringify({ type: cause, timestamp: createdAt.toISOString(), data })
}
