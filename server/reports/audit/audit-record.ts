import type { AuditCheck, AuditEntryDto, AuditValue } from '#lib/people/audit-actions.ts'
import type { AuditListFilter } from '#lib/schemas/page-address.ts'
import { type AuditFilter, findEntries, readChainStart, type StoredEntry } from '#server/audit/audit-store.ts'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { JsonLines } from '../export/export-table.ts'
import { selectNames } from './name-store.ts'

const AUDIT_PAGE_SIZE = 50

type AuditPage = {
  entries: AuditEntryDto[]
  /** The starts of the pages before and after this one; null if there are none. */
  newer: string | null
  older: string | null
}

type Reader = { applicationId: string; businessZone: string }

/** A page of an application's record, newest first. A cursor is the number of an entry, so a page stays what it was while entries are added. */
export async function listAuditEntries(queryable: Queryable, reader: Reader, filter: AuditListFilter): Promise<AuditPage> {
  const before = filter.before === undefined ? undefined : BigInt(filter.before)
  const after = filter.after === undefined || before !== undefined ? undefined : BigInt(filter.after)
  const found = await findEntries(queryable, reader.applicationId, wanted(filter, reader), { before, after }, AUDIT_PAGE_SIZE + 1)
  const isMore = found.length > AUDIT_PAGE_SIZE
  // One more than shown: the oldest of a page that goes back, the newest of one that goes forward.
  const shown = !isMore ? found : after === undefined ? found.slice(0, -1) : found.slice(1)
  const [first, last] = [shown[0], shown.at(-1)]
  const hasNewer = after === undefined ? before !== undefined : isMore
  const hasOlder = after === undefined ? isMore : true
  return {
    entries: await nameEntries(queryable, reader.applicationId, shown),
    newer: hasNewer && first ? String(first.sequence) : null,
    older: hasOlder && last ? String(last.sequence) : null,
  }
}

/** Every entry that matches, newest first, in pages of a thousand. */
export async function* readAuditPages(
  queryable: Queryable,
  reader: Reader,
  filter: Omit<AuditListFilter, 'before' | 'after'>,
): AsyncGenerator<{ stored: StoredEntry; dto: AuditEntryDto }[], void, undefined> {
  const size = 1_000
  for (let before: bigint | undefined; ; ) {
    const found = await findEntries(queryable, reader.applicationId, wanted(filter, reader), { before }, size)
    const named = await nameEntries(queryable, reader.applicationId, found)
    yield found.flatMap((stored, index) => {
      const dto = named[index]
      return dto ? [{ stored, dto }] : []
    })
    before = found.at(-1)?.sequence
    if (found.length < size) return
  }
}

/** Kinds of actor that are not people. */
const WITHOUT_PERSON = ['system', 'api', 'operator'] as const

function wanted({ who, action, subject, from, to }: Omit<AuditListFilter, 'before' | 'after'>, { businessZone }: Reader): AuditFilter {
  const kind = WITHOUT_PERSON.find((each) => each === who)
  const actor = kind ? { kind } : who === undefined ? undefined : { id: who }
  return { actor, actions: action && [action], subject, from, to, timeZone: businessZone }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

async function nameEntries(queryable: Queryable, applicationId: string, entries: readonly StoredEntry[]): Promise<AuditEntryDto[]> {
  const idsOf = ({ actor, subject, details }: StoredEntry) =>
    [actor.id ?? '', subject, ...Object.values(details)].flatMap((value) => (typeof value === 'string' && UUID.test(value) ? [value] : []))
  const known = await selectNames(queryable, applicationId, [...new Set(entries.flatMap(idsOf))])
  return entries.map((entry) => toDto(entry, known))
}

function toDto({ sequence, at, actor, action, subject, address, details }: StoredEntry, known: ReadonlyMap<string, string>): AuditEntryDto {
  const named: Record<string, AuditValue> = details
  // A change names what it is about in its details; its subject is its own id.
  const about = action.startsWith('change.') ? String(named['subject'] ?? '') : subject
  const names = Object.values(named).flatMap((value) => (typeof value === 'string' && known.has(value) ? [[value, known.get(value)]] : []))
  return {
    sequence: String(sequence),
    at: at.toISOString(),
    actor: { kind: actor.kind, id: actor.id, name: actor.id === null ? null : (known.get(actor.id) ?? null) },
    action,
    subject,
    subjectName: known.get(about) ?? null,
    address,
    details: named,
    names: Object.fromEntries(names),
  }
}

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
