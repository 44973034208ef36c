import { foldedWords, foldText } from '#lib/fold-text.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { insertCustomers, type ListedPair, selectApplicationsBehind, selectUnlisted, type UnlistedRow } from './customer-store.ts'

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
