import { lockCounters } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import type { CertificateBody } from '../certificates/certificate.ts'
import { codeOf, composeEntry, isSameEntry, reverseLines } from './compose-entry.ts'
import { readCodes } from './journal-accounts.ts'
import { findEntryInForce, insertEntry, listEntries, readSlugs } from './journal-store.ts'

/**
 * Books a day in the transaction that signs it, with the next number of the installation: a rollback leaves no gap, because the counters are locked
 * until it ends. A later version of a day with other figures reverses the entry before it; one with the same figures leaves it as it is.
 */
export async function numberDay(
  trx: TrxClient,
  { applicationId, body, now }: { applicationId: string; body: CertificateBody; now: Date },
): Promise<void> {
  await lockCounters(trx, applicationId)
  const { wallet, day, version, currency } = body
  const slugs = await readSlugs(trx)
  const lines = composeEntry(body, (id) => slugOf(slugs, id))
  const present = await findEntryInForce(trx, { applicationId, wallet, day })
  const booked = present ? await listEntries(trx, { applicationId, number: present.number }) : []
  const before = booked[0]
  if (before && isSameEntry(lines, before.lines)) return
  const common = { applicationId, wallet, day, version, currency, now }
  if (before) {
    const { number: reverses, mappingVersion, journal } = before
    await insertEntry(trx, { ...common, kind: 'reversal', reverses, mappingVersion, journal, lines: reverseLines(before.lines) })
  }
  if (lines.length === 0) return
  const { version: mappingVersion, codes } = await readCodes(trx, applicationId)
  const coded = lines.map((line) => ({ ...line, code: codeOf(codes, line.account, wallet) }))
  await insertEntry(trx, { ...common, kind: 'day', reverses: null, mappingVersion, journal: codes.journal, lines: coded })
}

/** The auxiliary account of an application. */
export function slugOf(slugs: ReadonlyMap<string, string>, applicationId: string): string {
  const slug = slugs.get(applicationId)
  if (slug === undefined) throw new Error(`The application ${applicationId} does not exist`)
  return slug
}
