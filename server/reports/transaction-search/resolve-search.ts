import { COUNTRIES } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findBatch, findPhone, findTransactionByAnyId } from './search-store.ts'

type SearchTarget =
  | { kind: 'transaction'; transactionId: string }
  /** `hasPage`: it was made from a file here; otherwise only its transactions know it. */
  | { kind: 'batch'; batchId: string; hasPage: boolean }
  | { kind: 'phone'; phoneNumber: string }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TEXT_MAX = 200
/** As long as a name in the list's filter may be. */
const NAME_MAX = 100

/**
 * Resolves the text typed into the search box: a transaction by its id, external id, pay token or operator reference (within a minute of
 * its result), a batch, or a phone number, which may have spaces, a plus, two zeros, or lack the country's dial code. Undefined when
 * nothing in this application fits.
 */
export async function resolveSearch(queryable: Queryable, applicationId: string, typed: string): Promise<SearchTarget | undefined> {
  const text = typed.trim()
  if (text === '' || text.length > TEXT_MAX || text.includes('\0')) return undefined
  const uuid = UUID.test(text.toLowerCase()) ? text.toLowerCase() : null
  const transactionId = await findTransactionByAnyId(queryable, applicationId, text, uuid)
  if (transactionId) return { kind: 'transaction', transactionId }
  if (uuid) {
    const batch = await findBatch(queryable, applicationId, uuid)
    return batch && { kind: 'batch', batchId: uuid, ...batch }
  }
  const candidates = phoneCandidates(text)
  const phoneNumber = candidates.length > 0 ? await findPhone(queryable, applicationId, candidates) : undefined
  return phoneNumber ? { kind: 'phone', phoneNumber } : undefined
}

/** The international forms that a typed number may mean: as typed, and with each of our dial codes. */
export function phoneCandidates(typed: string): string[] {
  const digits = typed.replace(/[\s().-]/g, '').replace(/^\+|^00/, '')
  if (!/^\d{6,15}$/.test(digits)) return []
  return [digits, ...Object.values(COUNTRIES).map((country) => country.dialCode + digits)]
}

/** The filter of the list for what the search box did not find: digits are the start of a phone number, anything else is part of a name. */
export function listFilterOf(typed: string): { phone: string; name?: undefined } | { name: string; phone?: undefined } {
  const digits = typed.replace(/[\s().+-]/g, '').replace(/^00/, '')
  return /^\d{3,15}$/.test(digits) ? { phone: digits } : { name: typed.trim().slice(0, NAME_MAX) }
}
