import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import { z } from 'zod'
import type { PushSubscriptionKeys } from '#lib/people/browsers.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isWebhookUrl } from '#lib/text/web-address.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from '#server/people/sign-in/sessions.ts'
import { createAddressGuard, LOOPBACK_NETWORKS } from '#server/webhooks/send/connect-target.ts'
import {
  deleteBrowser,
  findPushKeys,
  findSubscription,
  insertBrowser,
  insertPushKeys,
  lockBrowserCount,
  type PushKeys,
  startTest,
} from './browser-store.ts'
import type { PushTransport } from './push-transport.ts'
import type { Notification } from './write-notification.ts'

const BROWSERS_MAX = 10
const NAME_LENGTH_MAX = 60
const ENDPOINT_LENGTH_MAX = 1_024
const TEST_PAUSE_MS = 10_000
const POINT_BYTES = 65
const AUTH_BYTES = 16

const bytes = (text: string) => Buffer.from(text, 'base64url')
const key = z
  .string()
  .max(128)
  .regex(/^[\w-]+$/)

/** The keys of a subscription: a point of P-256 and 16 random bytes. */
export const subscriptionSchema = z.object({
  endpoint: z.string().max(ENDPOINT_LENGTH_MAX).refine(isWebhookUrl),
  p256dh: key.refine(isPoint),
  auth: key.refine((text) => bytes(text).length === AUTH_BYTES),
})

function isPoint(text: string): boolean {
  if (bytes(text).length !== POINT_BYTES) return false
  try {
    ECDH.convertKey(bytes(text), 'prime256v1')
    return true
  } catch {
    // Node says by an exception that the point is not on the curve.
    return false
  }
}

/** Returns the key pair of this installation; the first call makes it. */
export async function pushKeys(queryable: Queryable): Promise<PushKeys> {
  const known = await findPushKeys(queryable)
  if (known) return known
  const { generateVAPIDKeys } = (await import('web-push')).default
  await insertPushKeys(queryable, generateVAPIDKeys())
  const stored = await findPushKeys(queryable)
  if (!stored) throw new Error('The installation has no key for push services')
  return stored
}

/**
 * Whether notifications may be sent to this address: https to a name or a public address; in a sandbox also to this machine. What a name leads to is
 * checked at each connection.
 */
function isPushAddress(text: string, allowsPrivateTargets: boolean): boolean {
  if (!isWebhookUrl(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (username !== '' || password !== '') return false
  if (allowsPrivateTargets && createAddressGuard(LOOPBACK_NETWORKS)(host)) return true
  return protocol === 'https:' && (isIP(host) === 0 || createAddressGuard([])(host))
}

type AddBrowser = { personId: string; name: string; subscription: PushSubscriptionKeys; allowsPrivateTargets: boolean }
export type AddFailure = 'invalid_address' | 'too_many_browsers'

/** A person wants to be told in one more browser. */
export async function addBrowser(deps: { pool: Pool; clock: Clock }, command: AddBrowser): Promise<Result<void, AddFailure>> {
  const { personId, subscription, allowsPrivateTargets } = command
  const name = command.name.slice(0, NAME_LENGTH_MAX).trim() || 'Browser'
  if (!isPushAddress(subscription.endpoint, allowsPrivateTargets)) return err('invalid_address')
  return withTransaction<void, AddFailure>(deps.pool, async (trx) => {
    if ((await lockBrowserCount(trx, personId)) >= BROWSERS_MAX) return err('too_many_browsers')
    await insertBrowser(trx, { personId, name, subscription, addedAt: deps.clock.now() })
    await recordPersonAct(trx, { personId, action: 'person.browser_added', details: { name }, isAccountChange: true })
    return ok(undefined)
  })
}

/** A person is no longer told in a browser. What was to be sent to it is not. */
export async function removeBrowser(
  pool: Pool,
  { personId, browserId }: { personId: string; browserId: string },
): Promise<Result<void, 'not_found'>> {
  return withTransaction<void, 'not_found'>(pool, async (trx) => {
    const name = await deleteBrowser(trx, personId, browserId)
    if (name === undefined) return err('not_found')
    await recordPersonAct(trx, { personId, action: 'person.browser_removed', details: { name }, isAccountChange: true })
    return ok(undefined)
  })
}

type TestBrowser = { personId: string; browserId: string; notification: Notification }
export type TestFailure = 'not_found' | 'too_soon' | 'browser_gone' | 'not_sent'

/** Sends a notification to one of the person's browsers at once. `browser_gone`: its push service no longer knows the browser, which is removed. */
export async function testBrowser(
  { pool, clock, push }: { pool: Pool; clock: Clock; push: PushTransport },
  { personId, browserId, notification }: TestBrowser,
): Promise<Result<void, TestFailure>> {
  const started = await startTest(pool, { personId, browserId, now: clock.now(), pauseMs: TEST_PAUSE_MS })
  if (started !== 'started') return err(started)
  const subscription = await findSubscription(pool, browserId)
  if (!subscription) return err('not_found')
  const { outcome } = await push.send(subscription, notification)
  if (outcome === 'gone') await deleteBrowser(pool, personId, browserId)
  return outcome === 'sent' ? ok(undefined) : err(outcome === 'gone' ? 'browser_gone' : 'not_sent')
}
