import type { AuditAction } from '#lib/people/audit-actions.ts'
import { callerAddress } from '#server/caller-address.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { insertEntries, lockChain, readHead, type StoredEntry } from './audit-store.ts'
import { type AuditDetails, GENESIS_HASH, hashEntry, storableDetails, storableSubject } from './canonical-text.ts'
import type { AuditActor } from './command-actor.ts'

/** The chain of acts that belong to no single application. */
export const SERVICE_WIDE = '00000000-0000-0000-0000-000000000000'

export type AuditEntry = {
  applicationId: string
  actor: AuditActor
  /** The action as noun and verb: `api_key.created`. A new one needs its sentence (lib/people/audit-actions.ts). */
  action: AuditAction | `test.${string}`
  /** The id of what it was done to. */
  subject: string
  details?: AuditDetails
  /**
   * The actor's address; null: not from an address. Default: the address of the current request, for people and programs. Work that
   * is done later or for many requests together passes it.
   */
  address?: string | null
}

/**
 * Adds one entry to the chain of its application, inside the caller's database transaction: what is recorded happened,
 * and what happened is recorded. Call it last: it holds that application's chain until the transaction ends.
 * An entry is bounded: what is too long is cut (canonical-text.ts). Throws when details name a secret.
 */
export async function appendAudit(trx: TrxClient, entry: AuditEntry): Promise<void> {
  await appendAuditEntries(trx, [entry])
}

/** The same for many entries, in order, at the price of one per application. */
export async function appendAuditEntries(trx: TrxClient, entries: readonly AuditEntry[]): Promise<void> {
  const byApplication = Map.groupBy(entries, (entry) => entry.applicationId)
  // In one order everywhere, so that two transactions that write to the same two chains cannot wait for each other.
  for (const applicationId of [...byApplication.keys()].sort()) {
    await lockChain(trx, applicationId)
    // A statement of its own after the lock: only a new snapshot sees what the previous holder committed.
    const head = await readHead(trx, applicationId)
    let sequence = head.sequence
    let previousHash: Buffer = head.hash ?? GENESIS_HASH
    const stored: StoredEntry[] = []
    for (const entry of byApplication.get(applicationId) ?? []) {
      sequence += 1n
      const chained = {
        applicationId,
        sequence,
        at: head.at,
        actor: entry.actor,
        action: entry.action,
        subject: storableSubject(entry.subject),
        details: storableDetails(entry.details ?? {}),
        address: addressOf(entry),
      }
      const hash = hashEntry(previousHash, chained)
      stored.push({ ...chained, previousHash, hash })
      previousHash = hash
    }
    await insertEntries(trx, stored)
  }
}

/** Returns the caller's address; null for the service's own actions, even if a request caused them. */
function addressOf({ address, actor }: AuditEntry): string | null {
  if (address !== undefined) return address
  return actor.kind === 'person' || actor.kind === 'api' ? (callerAddress() ?? null) : null
}
