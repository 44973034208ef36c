import { formatMinor } from '#lib/money/money.ts'
import { COUNTRIES } from '#lib/operators/operators.ts'
import type { KnownBeneficiary } from '#lib/payments/payment-preview.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { SearchSuggestion, SuggestedTransaction } from '#lib/payments/search-suggestion.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { foldedWords, foldText } from '#lib/text/clean-text.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { suggestBatches } from '../batches/batch-report-store.ts'
import {
  type CustomerRow,
  insertCustomers,
  type ListedPair,
  selectApplicationsBehind,
  selectCustomersByName,
  selectCustomersByPhone,
  selectLastSuccesses,
  selectUnlisted,
  type UnlistedRow,
} from './customer-store.ts'
import { type SuggestedRow, selectBatches, selectByIdRange, selectByToken } from './suggestion-store.ts'

/** Transactions per slice: a few milliseconds of folding. */
const SLICE_MAX = 5_000

/**
 * Adds the customers of new transactions to the list that the search box suggests from. Late or twice does no harm: a customer who is not
 * listed yet is found by their full phone number and by any id. An application that cannot be listed holds up no other. Stops between two
 * slices when `isEnding`.
 */
export async function listCustomers(pool: Pool, isEnding: () => boolean = () => false): Promise<void> {
  for (const { applicationId, listedUntil } of await selectApplicationsBehind(pool)) {
    try {
      await listApplication(pool, applicationId, listedUntil, isEnding)
    } catch (error) {
      reportUnexpected('customers: list', error, {
        message: 'Customers could not be listed for the search; the task of the next minute repeats it',
        applicationId,
      })
    }
  }
}

async function listApplication(pool: Pool, applicationId: string, listedUntil: bigint, isEnding: () => boolean): Promise<void> {
  let from = listedUntil
  while (!isEnding()) {
    const rows = await selectUnlisted(pool, applicationId, from, SLICE_MAX)
    const last = rows.at(-1)
    if (!last) return
    await insertCustomers(pool, applicationId, distinctPairs(rows), last.sequence)
    from = last.sequence
  }
}

function distinctPairs(rows: readonly UnlistedRow[]): ListedPair[] {
  const pairs = new Map<string, ListedPair>()
  for (const { phoneNumber, customerName } of rows) {
    const key = `${phoneNumber} ${customerName}`
    if (!pairs.has(key)) pairs.set(key, { phoneNumber, customerName, foldedName: foldText(customerName), words: foldedWords(customerName) })
  }
  return [...pairs.values()]
}

/**
 * Whom an application paid or collected from before, by the start of a word of the name or of the phone number, the latest transaction
 * first, each with the latest success of this type. At most `countMax`; those of the last minute may be missing.
 */
export async function suggestBeneficiaries(
  queryable: Queryable,
  applicationId: string,
  { typed, type }: { typed: string; type: TransactionType },
  countMax: number,
): Promise<KnownBeneficiary[]> {
  const customers = await findCustomers(queryable, applicationId, typed, countMax)
  const phoneNumbers = [...new Set(customers.flatMap(({ phoneNumber }) => phoneNumberForms(phoneNumber)))]
  const successes = await selectLastSuccesses(queryable, applicationId, type, phoneNumbers)
  return customers.map(({ phoneNumber, customerName }) => {
    const forms = phoneNumberForms(phoneNumber)
    const own = successes.filter((row) => forms.includes(row.phoneNumber))
    const last = own.toSorted((left, right) => right.at.getTime() - left.at.getTime())[0]
    return {
      phoneNumber,
      customerName,
      last: last
        ? { type, amount: formatMinor(last.amountMinor), currency: last.currency, operator: last.operator, at: last.at.toISOString() }
        : null,
    }
  })
}

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
async function findCustomers(queryable: Queryable, applicationId: string, typed: string, countMax: number): Promise<CustomerRow[]> {
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

function toCustomer({
  phoneNumber,
  customerName,
  latestAt,
  latestOperator,
  latestAmountMinor,
  latestCurrency,
}: CustomerRow): SearchSuggestion {
  const latest = { at: latestAt.toISOString(), operator: latestOperator, amount: formatMinor(latestAmountMinor), currency: latestCurrency }
  return { kind: 'customer', customerName, phoneNumber, latest }
}
