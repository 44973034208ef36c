import type { PushSubscriptionKeys } from '#lib/people/browsers.ts'
import { DAY_MS } from '#lib/time/time.ts'
import type { GuardedSenders, SendResult } from '#server/webhooks/send/send-webhook.ts'
import type { SendOutcome } from '../mail/mail-attempts.ts'
import type { PushKeys } from './browser-store.ts'
import type { Notification } from './write-notification.ts'

/** `gone`: the push service no longer knows the browser. `waitMs`: how long the push service wants to be left alone. */
type PushAnswer = { outcome: SendOutcome | 'gone'; waitMs: number }
export type PushTransport = { send(subscription: PushSubscriptionKeys, notification: Notification): Promise<PushAnswer> }

type PushOptions = { senders: Pick<GuardedSenders, 'to'>; keys: () => Promise<PushKeys>; publicUrl: string }

/** A push service keeps a notification for this long if the browser is not running. */
const TTL_S = DAY_MS / 1_000
const WAIT_MAX_MS = DAY_MS

/** Encrypts notifications and hands them to the push services of browsers, as RFC 8030, 8188, 8291 and 8292 say. */
export function pushTransport({ senders, keys, publicUrl }: PushOptions): PushTransport {
  // A push service writes to this contact if something is wrong. It takes no http address, which only a sandbox has.
  const subject = publicUrl.startsWith('https:') ? publicUrl : 'mailto:sandbox@countersign.example'
  return {
    async send({ endpoint, p256dh, auth }, notification) {
      const { generateRequestDetails } = (await import('web-push')).default
      const { headers, body } = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(notification), {
        vapidDetails: { subject, ...(await keys()) },
        TTL: TTL_S,
        // A push service that still holds an earlier attempt replaces it.
        topic: notification.tag,
      })
      const written = Object.entries({ 'user-agent': 'Countersign/1.0', ...headers }).map(([name, value]) => [
        name.toLowerCase(),
        String(value),
      ])
      return answerOf(await senders.to([]).send(endpoint, Object.fromEntries(written), body ?? ''), Date.now())
    },
  }
}

/** Before these ends of an attempt, no push service can have taken anything. */
const CERTAIN: ReadonlySet<SendResult['outcome']> = new Set([
  'invalid_url',
  'refused_target',
  'dns_error',
  'connection_refused',
  'tls_error',
  'timeout_dns',
  'timeout_connect',
  'timeout_tls',
])
/** A gateway that did not hear what the push service behind it did. */
const UNHEARD: ReadonlySet<number> = new Set([502, 504])

function answerOf({ outcome, httpStatus, retryAfter }: SendResult, nowMs: number): PushAnswer {
  if (httpStatus === null) return { outcome: CERTAIN.has(outcome) ? 'refused' : 'unknown', waitMs: 0 }
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: 'sent', waitMs: 0 }
  if (httpStatus === 404 || httpStatus === 410) return { outcome: 'gone', waitMs: 0 }
  return { outcome: UNHEARD.has(httpStatus) ? 'unknown' : 'refused', waitMs: waitOf(retryAfter, nowMs) }
}

/** `Retry-After` is a number of seconds or a date; anything else asks for nothing. */
function waitOf(retryAfter: string | null, nowMs: number): number {
  if (retryAfter === null) return 0
  const waitMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowMs
  return waitMs > 0 ? Math.min(waitMs, WAIT_MAX_MS) : 0
}
