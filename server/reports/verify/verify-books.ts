import { listAuditChains, verifyAuditChain } from '#server/audit/read-audit.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { verifyCertificates } from '#server/reconciliation/certificates/verify-certificates.ts'
import { verifyJournal } from '#server/reconciliation/journal/verify-journal.ts'
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

/**
 * Recounts the books and recomputes every audit chain, every certificate of a signed day and its journal entry, all in one snapshot, so that a database at work is
 * verified as it stood at one instant. One sentence per difference; empty: all is right.
 */
export async function verifyDatabase(pool: Pool): Promise<string[]> {
  return withSnapshot(pool, async (snapshot) => {
    const differences = [...(await verifyBooks(snapshot)), ...(await verifyCertificates(snapshot)), ...(await verifyJournal(snapshot))]
    const problems = differences.map((one) => `${one.check}: ${one.subject}: ${one.detail}`)
    for (const applicationId of await listAuditChains(snapshot)) {
      const chain = await verifyAuditChain(snapshot, applicationId)
      if (!chain.ok) problems.push(`audit chain: ${applicationId}: ${chain.error.problem} at entry ${chain.error.sequence}`)
    }
    return problems
  })
}
