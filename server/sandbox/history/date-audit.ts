import { GENESIS_HASH, hashEntry } from '#server/audit/canonical-text.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { insertAudit, readLastEntry, type StagedEntry, stageAudit, takeStagedAudit } from './history-store.ts'

/**
 * Runs `work`, and adds what it appended to the audit record with other times: `timeOf` returns that of each entry, in milliseconds, by its
 * index in its chain. Digests are computed again, because the time is a part of them.
 */
export async function withAuditDated<Value>(trx: TrxClient, timeOf: (index: number) => number, work: () => Promise<Value>): Promise<Value> {
  await stageAudit(trx)
  const value = await work()
  const staged = await takeStagedAudit(trx)
  const dated: StagedEntry[] = []
  for (const [applicationId, entries] of Map.groupBy(staged, (entry) => entry.application_id)) {
    let last = (await readLastEntry(trx, applicationId)) ?? { sequence: 0n, hash: GENESIS_HASH }
    for (const [index, entry] of entries.entries()) {
      const chained: StagedEntry = { ...entry, sequence: last.sequence + 1n, at: new Date(timeOf(index)), previous_hash: last.hash }
      last = { sequence: chained.sequence, hash: digestOf(chained) }
      dated.push({ ...chained, hash: last.hash })
    }
  }
  await insertAudit(trx, dated)
  return value
}

function digestOf({ application_id, actor_kind, actor_id, previous_hash, ...entry }: StagedEntry): Buffer {
  return hashEntry(previous_hash, { ...entry, applicationId: application_id, actor: { kind: actor_kind, id: actor_id } })
}
