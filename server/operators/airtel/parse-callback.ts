import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackOutcome } from '#server/operators/connector.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import { idsIn } from './airtel-id.ts'
import { callbackSchema, callbackTransactionSchema } from './messages.ts'

const CLAIMS: Readonly<Record<string, 'succeeded' | 'failed'>> = { TS: 'succeeded', TF: 'failed' }

/**
 * Reads a callback. With callback authentication `hash` is the HMAC of the transaction in it, as compact JSON; the fields that are used
 * are read from what was signed. Without a key it is a hint.
 */
export function parseAirtelCallback(callbackKey: string | undefined, body: Buffer): CallbackOutcome {
  const callback = readAnswer({ kind: 'answered', httpStatus: 200, body: body.toString('utf8') }, callbackSchema)
  if (callbackKey !== undefined && !isSigned(callbackKey, callback?.transaction, callback?.hash)) return { kind: 'unverified' }
  const transaction = callbackTransactionSchema.safeParse(callback?.transaction).data
  const ids = transaction && idsIn(transaction.id)
  if (!ids) return { kind: 'malformed', detail: 'The body names no transaction of ours' }
  const claim = CLAIMS[transaction.status_code] ?? 'pending'
  return { kind: 'callback', ...ids, claim, isVerified: callbackKey !== undefined }
}

function isSigned(key: string, transaction: object | undefined, hash: string | undefined): boolean {
  if (!transaction || hash === undefined) return false
  const expected = createHmac('sha256', key).update(JSON.stringify(transaction)).digest()
  const given = Buffer.from(hash, 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
