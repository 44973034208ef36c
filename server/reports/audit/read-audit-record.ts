import { findEntries, type StoredEntry } from '#server/audit/audit-queries.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { JsonLines } from '#server/reports/export/export-table.ts'

const PAGE_SIZE = 1_000
const NO_DIGEST = '0'.repeat(64)

/** How the digest of an entry is computed, for an auditor who has only the file. */
const FORMAT =
  'countersign audit record 1: hash = SHA-256 of the 32 bytes of previousHash (zeros before the first entry) followed by the UTF-8 text of the ' +
  'JSON array [applicationId, sequence as text, at, actorKind, actorId, action, subject, details, address], without spaces, where ' +
  'each object in details is a list of [name, value] in order of the names'

/**
 * The whole record of an application as lines of JSON, the first entry first. The first line says how many entries follow and which digest the
 * last one has, so that a file that was cut off is found too. Entries that are added meanwhile are not part of it.
 */
export async function* readAuditRecord(queryable: Queryable, applicationId: string): JsonLines {
  const [last] = await findEntries(queryable, applicationId, { timeZone: 'UTC' }, {}, 1)
  const entryCount = last?.sequence ?? 0n
  const headHash = last ? last.hash.toString('hex') : NO_DIGEST
  yield [toLine({ format: FORMAT, applicationId, entryCount: Number(entryCount), headHash })]
  for (let after = 0n; after < entryCount; ) {
    const found = await findEntries(queryable, applicationId, { timeZone: 'UTC' }, { after }, PAGE_SIZE)
    const entries = found.toReversed().filter(({ sequence }) => sequence <= entryCount)
    const newest = entries.at(-1)
    if (!newest) return
    yield entries.map(toRecordLine)
    after = newest.sequence
  }
}

function toRecordLine({ sequence, at, actor, action, subject, details, address, previousHash, hash }: StoredEntry): string {
  return toLine({
    sequence: Number(sequence),
    at: at.toISOString(),
    actorKind: actor.kind,
    actorId: actor.id,
    action,
    subject,
    details,
    address,
    previousHash: previousHash.toString('hex'),
    hash: hash.toString('hex'),
  })
}

/** JSON allows two characters that many programs read as the end of a line. */
function toLine(value: object): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
