import { foldedWords } from '#lib/fold-text.ts'
import { formatMinor } from '#lib/money.ts'
import { COUNTRIES } from '#lib/operators.ts'
import type { SearchSuggestion, SuggestedTransaction } from '#lib/search-suggestion.ts'
import type { Queryable } from '#server/database/pool.ts'
import { suggestBatches } from '../batches/batch-queries.ts'
import { type CustomerRow, selectCustomersByName, selectCustomersByPhone } from './customer-store.ts'
import { type SuggestedRow, selectBatches, selectByIdRange, selectByToken } from './suggestion-store.ts'

/** Fewer characters fit nearly everything. */
const TYPED_MIN = 2
const TYPED_MAX = 200
/** Of an id; fewer hexadecimal characters are also the start of names. */
const ID_PREFIX_MIN = 4
const TOKEN_MIN = 8
const PHONE_PREFIX_MIN = 3
const BATCHES_MAX = 3

/**
 * Returns what the text in the search box may mean, at most `countMax` of each kind: transactions by the start of their id or external id,
 * or by their exact pay token; batches by the start of their id or a part of their name; customers by the start of a word of their name or
 * of their phone number, with or without the country's dial code. Customers of the last minute may be missing: see `list-customers.ts`.
 */
export async function suggestMatches(
  queryable: Queryable,
  applicationId: string,
  typed: string,
  countMax: number,
): Promise<SearchSuggestion[]> {
  const text = typed.trim()
  if (text.length < TYPED_MIN || text.length > TYPED_MAX || text.includes('\0')) return []
  const range = idRange(text)
  const [byId, byToken, batchIds, batches, customers] = await Promise.all([
    range ? selectByIdRange(queryable, applicationId, range, countMax) : [],
    text.length < TOKEN_MIN ? [] : selectByToken(queryable, applicationId, text, countMax),
    range ? selectBatches(queryable, applicationId, range, BATCHES_MAX) : [],
    suggestBatches(queryable, applicationId, { text, range }, BATCHES_MAX),
    findCustomers(queryable, applicationId, text, countMax),
  ])
  const transactions = new Map([...byId, ...byToken].map((row) => [row.transactionId, toTransaction(row)]))
  return [
    ...[...transactions.values()].slice(0, countMax),
    ...batches.map((batch) => ({ kind: 'batch', ...batch }) as const),
    ...batchIds
      .filter((id) => batches.every(({ batchId }) => batchId !== id))
      .map((batchId) => ({ kind: 'batch', batchId, name: null }) as const),
    ...customers.map(toCustomer),
  ]
}

/** Customers by the start of a word of their name or of their phone number, at most `countMax`, each pair of number and name once. */
export async function findCustomers(queryable: Queryable, applicationId: string, typed: string, countMax: number): Promise<CustomerRow[]> {
  const text = typed.trim()
  if (text.length < TYPED_MIN || text.length > TYPED_MAX || text.includes('\0')) return []
  const phones = phonePrefixes(text)
  const [byPhone, byName] = await Promise.all([
    phones.length === 0 ? [] : selectCustomersByPhone(queryable, applicationId, phones, countMax),
    selectByWords(queryable, applicationId, text, countMax),
  ])
  const customers = new Map([...byPhone, ...byName].map((row) => [`${row.phoneNumber} ${row.customerName}`, row]))
  return [...customers.values()].slice(0, countMax)
}

async function selectByWords(queryable: Queryable, applicationId: string, text: string, countMax: number): Promise<CustomerRow[]> {
  // The longest word leaves the fewest customers to look through.
  const [longest, ...others] = foldedWords(text).toSorted((left, right) => right.length - left.length)
  if (longest === undefined || longest.length < TYPED_MIN || !/\p{L}/u.test(longest)) return []
  return selectCustomersByName(queryable, applicationId, longest, others, countMax)
}

/** The first and the last UUID that begin with what was typed; undefined when none can. Hyphens may be missing. */
export function idRange(typed: string): { low: string; high: string } | undefined {
  const digits = typed.toLowerCase().replaceAll('-', '')
  if (digits.length < ID_PREFIX_MIN || digits.length > 32 || !/^[0-9a-f]+$/.test(digits)) return undefined
  return { low: toUuid(digits.padEnd(32, '0')), high: toUuid(digits.padEnd(32, 'f')) }
}

function toUuid(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The prefixes of international numbers that the typed digits may match; none when it is not a number. */
function phonePrefixes(typed: string): string[] {
  const digits = typed.replace(/[\s().-]/g, '').replace(/^\+|^00/, '')
  if (digits.length < PHONE_PREFIX_MIN || digits.length > 15 || !/^\d+$/.test(digits)) return []
  return [digits, ...Object.values(COUNTRIES).map((country) => country.dialCode + digits)]
}

function toTransaction({ amountMinor, createdAt, ...row }: SuggestedRow): SuggestedTransaction {
  return { kind: 'transaction', ...row, amount: formatMinor(amountMinor), createdAt: createdAt.toISOString() }
}

function toCustomer({ latestAt, ...row }: CustomerRow): SearchSuggestion {
  return { kind: 'customer', ...row, latestAt: latestAt.toISOString() }
}
