import { createHash } from 'node:crypto'
import type { AuditActor } from './command-actor.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type AuditDetails = { [key: string]: JsonValue }

export type ChainedEntry = {
  applicationId: string
  sequence: bigint
  at: Date
  actor: AuditActor
  action: string
  subject: string
  details: AuditDetails
}

/** What the first entry of every chain points back to. */
export const GENESIS_HASH = Buffer.alloc(32)

/** Names under which a secret could slip into the record; the record is read by people and kept for ever. */
const SECRET_KEYS = new Set([
  'password',
  'passwordHash',
  'secret',
  'totpSecret',
  'apiKey',
  'token',
  'accessToken',
  'refreshToken',
  'recoveryCodes',
])

/** SHA-256 over the previous digest and one text that says everything about the entry, the same before and after storage. */
export function hashEntry(previousHash: Buffer, entry: ChainedEntry): Buffer {
  const text = JSON.stringify([
    entry.applicationId,
    String(entry.sequence),
    entry.at.toISOString(),
    entry.actor.kind,
    entry.actor.id,
    entry.action,
    entry.subject,
    sortKeys(entry.details),
  ])
  return createHash('sha256').update(previousHash).update(text).digest()
}

/** Text as jsonb can keep it: no NUL, no half of a surrogate pair. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Details as jsonb can keep them. Throws on a key that names a secret: that is a bug of the caller. */
export function storableDetails(details: AuditDetails): AuditDetails {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => {
      if (SECRET_KEYS.has(key)) throw new Error(`The audit record must not hold "${key}"`)
      return [storableText(key), storable(value)]
    }),
  )
}

function storable(value: JsonValue): JsonValue {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  return value !== null && typeof value === 'object' ? storableDetails(value) : value
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  // As pairs, not as an object: JavaScript would move keys that look like numbers to the front.
  return sorted.map(([key, entry]) => [key, sortKeys(entry)])
}
