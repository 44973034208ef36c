import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { formatMinor } from '#lib/money/money.ts'

/** One of an application's signing secrets: `whsec_` and base64. `expiresAt` null: it has no successor yet. */
export type WebhookSecret = { secret: string; expiresAt: Date | null }

type SignatureHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature'?: string }

const PREFIX = 'whsec_'
/** How far a receiver may find our clock from its own (Standard Webhooks). */
const TOLERANCE_S = 300
const KEYS_MAX = 10_000
const keys = new Map<string, KeyObject>()

/**
 * The id that a receiver sees on every attempt of one delivery: a transaction has one result, so its identifier is enough.
 */
export function webhookIdOf(transactionId: string): string {
  return `msg_${transactionId}`
}

/**
 * The Standard Webhooks headers of one attempt. Every secret that has not expired at `now` signs, so
 * that a receiver verifies with the old one or the new one while a rotation lasts. Without any secret the signature
 * header is left out.
 */
export function signWebhook(webhookId: string, body: string, secrets: readonly WebhookSecret[], now: Date): SignatureHeaders {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  let signatures = ''
  for (const { secret, expiresAt } of secrets) {
    if (expiresAt !== null && expiresAt <= now) continue
    signatures += `${signatures === '' ? '' : ' '}v1,${digest(secret, webhookId, timestamp, body).toString('base64')}`
  }
  const headers: SignatureHeaders = { 'webhook-id': webhookId, 'webhook-timestamp': timestamp }
  if (signatures !== '') headers['webhook-signature'] = signatures
  return headers
}

/**
 * Verifies a webhook as a receiver does: true when one of the signatures was made with `secret` and the timestamp is within five minutes of
 * `now`. For tests and for the examples in the documentation for partners.
 */
export function verifyWebhook(headers: Partial<Record<string, string>>, body: string, secret: string, now: Date): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_S) return false
  const expected = digest(secret, id, timestamp, body)
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const [version, encoded = ''] = signature.split(',')
    const sent = Buffer.from(encoded, 'base64')
    return version === 'v1' && sent.length === expected.length && timingSafeEqual(sent, expected)
  })
}

function digest(secret: string, webhookId: string, timestamp: string, body: string): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${webhookId}.${timestamp}.${body}`).digest()
}

/** Preparing a key costs more than using it, so keys are kept; the map is bounded by forgetting everything. */
function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known) return known
  const key = createSecretKey(Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64'))
  if (keys.size >= KEYS_MAX) keys.clear()
  keys.set(secret, key)
  return key
}

/** The result that the body of a webhook is made from. `finalAt` is ISO 8601 in UTC. */
type WebhookResult = {
  externalId: string
  transactionId: string
  status: string
  amountMinor: bigint
  phoneNumber: string
  operator: string
  message: string | null
  finalAt: string
}

/** For results without a message. In French, as the messages of operators are. */
const DEFAULT_MESSAGES: Partial<Record<string, string>> = { SUCCESS: 'Transaction effectuée avec succès', FAILED: 'Transaction échouée' }

/**
 * The body of the transaction result webhook: the eight fields of the specification (Events), the amount exact, the
 * timestamp that of the final state, so that every attempt of a delivery carries the same bytes. With `copiesStatus`
 * also `transactionStatus`, for receivers that read that name.
 */
export function webhookPayload(result: WebhookResult, copiesStatus: boolean): string {
  const status = JSON.stringify(result.status)
  const message = result.message ?? DEFAULT_MESSAGES[result.status] ?? ''
  return (
    `{"externalId":"${result.externalId}","transactionId":"${result.transactionId}","status":${status},"amount":${formatMinor(result.amountMinor)}` +
    `,"phoneNumber":${JSON.stringify(result.phoneNumber)},"transferMethod":${JSON.stringify(result.operator)}` +
    `,"message":${JSON.stringify(message)},"timestamp":"${result.finalAt}"${copiesStatus ? `,"transactionStatus":${status}` : ''}}`
  )
}
