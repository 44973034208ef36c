import type { Queryable } from '#server/database/pool.ts'
import { BOOK_CHECKS, selectDifferences } from './verify-books-store.ts'

type Difference = { check: string; subject: string; detail: string }

/**
 * Recounts every balance, roll-up, counter and sequence from the raw rows. Empty: all is right.
 * Reads everything; meant for the command line and for tests, on a quiet database or inside a snapshot.
 */
export async function verifyBooks(queryable: Queryable): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const { check, sql } of BOOK_CHECKS) {
    for (const row of await selectDifferences(queryable, sql)) differences.push({ check, ...row })
  }
  return differences
}
