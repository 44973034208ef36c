import type { AuditEntryDto, AuditValue } from '#lib/audit-dto.ts'
import type { AuditListFilter } from '#lib/schemas/audit-address.ts'
import { type AuditFilter, findEntries, type StoredEntry } from '#server/audit/audit-queries.ts'
import type { Queryable } from '#server/database/pool.ts'
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
