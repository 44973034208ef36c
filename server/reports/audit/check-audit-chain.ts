import type { AuditCheck } from '#lib/audit-dto.ts'
import { readChainStart } from '#server/audit/audit-queries.ts'
import { verifyAuditChain } from '#server/audit/verify-audit-chain.ts'
import type { Queryable } from '#server/database/pool.ts'

/** How many entries one request recomputes: some tenths of a second. */
const PART_SIZE = 20_000

/**
 * Recomputes the next part of an application's chain. The page goes on until it is whole, so no request takes long, however many entries
 * there are.
 */
export async function checkAuditChain(queryable: Queryable, applicationId: string, after: bigint): Promise<AuditCheck> {
  const verified = await verifyAuditChain(queryable, applicationId, { after, countMax: PART_SIZE })
  if (!verified.ok) return { isUnbroken: false, brokenAt: String(verified.error.sequence), problem: verified.error.problem }
  const { entryCount, headHash, isWhole } = verified.value
  const startedAt = isWhole ? await readChainStart(queryable, applicationId) : undefined
  return {
    isUnbroken: true,
    checkedUntil: String(entryCount),
    isWhole,
    startedAt: startedAt?.toISOString() ?? null,
    headHash: headHash.toString('hex'),
  }
}
