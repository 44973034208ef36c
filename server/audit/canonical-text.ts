import { createHash } from 'node:crypto'
import type { AuditActor } from './command-actor.ts'

type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type AuditDetails = { [key: string]: JsonValue }

export type ChainedEntry = {
  applicationId: string
  sequence: bigint
  at: Date
  actor: AuditActor
  action: string
  subject: string
  details: AuditDetails
  /** The actor's address; null: not from an address, or not known. */
  address: string | null
}

/** The hash that the first entry of every chain points back to. */
export const GENESIS_HASH = Buffer.alloc(32)

/** Names of details that could hold a secret. The record is read by people and never deleted. */
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
    entry.address,
  ])
  return createHash('sha256').update(previousHash).update(text).digest()
}

/** Text as jsonb can keep it: no NUL, no half of a surrogate pair. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Longer parts of an entry are cut and marked, because the record is never deleted and its chain is read as a whole. */
const TEXT_LENGTH_MAX = 2_000
const ITEMS_MAX = 200
const DEPTH_MAX = 8
/** Of all details of an entry as JSON. */
const DETAILS_LENGTH_MAX = 16_384

/** The subject of an entry: at most 2,000 characters. */
export function storableSubject(text: string): string {
  return cutText(text)
}

/**
 * Details as jsonb can keep them, at most 16,384 characters of JSON: long texts, lists and nesting are cut, and details that are still
 * larger are replaced by their size and SHA-256, which can be compared with a copy stored elsewhere. Throws on a key that
 * names a secret: that is a bug of the caller.
 */
export function storableDetails(details: AuditDetails): AuditDetails {
  const stored = storableObject(details, 1)
  const text = JSON.stringify(stored)
  if (text.length <= DETAILS_LENGTH_MAX) return stored
  return { cut: true, length: text.length, sha256: createHash('sha256').update(text).digest('hex') }
}

function storableObject(value: { [key: string]: JsonValue }, depth: number): { [key: string]: JsonValue } {
  const entries = Object.entries(value)
  const kept = entries.slice(0, ITEMS_MAX).map(([key, entry]): [string, JsonValue] => {
    if (SECRET_KEYS.has(key)) throw new Error(`The audit record must not hold "${key}"`)
    return [cutText(key), storable(entry, depth)]
  })
  return Object.fromEntries(entries.length > ITEMS_MAX ? [...kept, ['…', entries.length - ITEMS_MAX]] : kept)
}

function storable(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return pictureText(value) ?? cutText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth >= DEPTH_MAX) return '…'
  if (!Array.isArray(value)) return storableObject(value, depth + 1)
  const kept = value.slice(0, ITEMS_MAX).map((entry) => storable(entry, depth + 1))
  return value.length > ITEMS_MAX ? [...kept, `… ${value.length - ITEMS_MAX}`] : kept
}

const PICTURE = /^data:(image\/[a-z]+);base64,/

/** A picture by the SHA-256 of its `data:` address: its text would be cut, and two pictures that begin alike would be recorded as the same. */
function pictureText(text: string): string | undefined {
  const type = PICTURE.exec(text)?.[1]
  return type === undefined ? undefined : `${type}, SHA-256 ${createHash('sha256').update(text).digest('hex')}`
}

function cutText(text: string): string {
  return storableText(text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX - 1)}…` : text)
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  // As pairs, not as an object: JavaScript would move keys that look like numbers to the front.
  return sorted.map(([key, entry]) => [key, sortKeys(entry)])
}
