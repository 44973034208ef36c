import { err, ok, type Result } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readChainIds, readEntriesAfter, readEntriesBefore, type StoredEntry } from './audit-store.ts'
import { GENESIS_HASH, hashEntry } from './canonical-text.ts'

/** A page of an application's record, newest first; `before` is the last sequence of the page before it. At most 200 entries. */
export async function listAudit(
  queryable: Queryable,
  applicationId: string,
  page: { before?: bigint; size: number },
): Promise<StoredEntry[]> {
  return readEntriesBefore(queryable, applicationId, page.before ?? null, Math.min(page.size, 200))
}

const PAGE_SIZE = 1_000

/**
 * An intact chain: how many entries and the digest of the last, which an outside anchor can be compared with. `isWhole`: nothing is left to
 * check.
 */
type ChainReport = { entryCount: bigint; headHash: Buffer; isWhole: boolean }

/** The first place where a chain does not hold. */
type ChainBreak = { sequence: bigint; problem: 'entry_missing' | 'wrong_predecessor' | 'content_changed' }

/**
 * Recomputes the chain of one application, a thousand entries at a time, and reports the first break.
 * A cut-off end cannot be seen from inside: compare `entryCount` and `headHash` with a copy stored elsewhere. For a check in parts, `part`
 * names the entry to continue after and the number of entries to read: a part is right only if those before it were.
 */
export async function verifyAuditChain(
  queryable: Queryable,
  applicationId: string,
  part: { after: bigint; countMax: number } = { after: 0n, countMax: Number.POSITIVE_INFINITY },
): Promise<Result<ChainReport, ChainBreak>> {
  let sequence = part.after
  let previousHash: Buffer = GENESIS_HASH
  if (sequence > 0n) {
    const [last] = await readEntriesAfter(queryable, applicationId, sequence - 1n, 1)
    if (last?.sequence !== sequence) return err({ sequence, problem: 'entry_missing' })
    previousHash = last.hash
  }
  for (let left = part.countMax; ; left -= PAGE_SIZE) {
    if (left <= 0) return ok({ entryCount: sequence, headHash: previousHash, isWhole: false })
    const entries = await readEntriesAfter(queryable, applicationId, sequence, PAGE_SIZE)
    for (const entry of entries) {
      if (entry.sequence !== sequence + 1n) return err({ sequence: sequence + 1n, problem: 'entry_missing' })
      if (!entry.previousHash.equals(previousHash)) return err({ sequence: entry.sequence, problem: 'wrong_predecessor' })
      if (!entry.hash.equals(hashEntry(previousHash, entry))) return err({ sequence: entry.sequence, problem: 'content_changed' })
      sequence = entry.sequence
      previousHash = entry.hash
    }
    if (entries.length < PAGE_SIZE) return ok({ entryCount: sequence, headHash: previousHash, isWhole: true })
  }
}

/** The applications (and the nil UUID for the service itself) that have a chain to verify. */
export async function listAuditChains(queryable: Queryable): Promise<string[]> {
  return readChainIds(queryable)
}
