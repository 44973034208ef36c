import { listAuditChains, verifyAuditChain } from '#server/audit/verify-audit-chain.ts'
import type { Pool } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-snapshot.ts'
import { verifyBooks } from './verify-books.ts'

/**
 * Recounts the books and recomputes every audit chain, all in one snapshot, so that a database at work is
 * verified as it stood at one instant. One sentence per difference; empty: all is right.
 */
export async function verifyDatabase(pool: Pool): Promise<string[]> {
  return withSnapshot(pool, async (snapshot) => {
    const problems = (await verifyBooks(snapshot)).map((one) => `${one.check}: ${one.subject}: ${one.detail}`)
    for (const applicationId of await listAuditChains(snapshot)) {
      const chain = await verifyAuditChain(snapshot, applicationId)
      if (!chain.ok) problems.push(`audit chain: ${applicationId}: ${chain.error.problem} at entry ${chain.error.sequence}`)
    }
    return problems
  })
}
