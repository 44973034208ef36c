import type { JournalAccount, JournalCodes } from '#lib/reconciliation/journal.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** The auxiliary account of each application, which is its slug. */
export async function readSlugs(queryable: Queryable): Promise<ReadonlyMap<string, string>> {
  const { rows } = await queryable.query<{ id: string; slug: string }>('select application_id as id, slug from applications')
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}

export type Mapping = { version: number; codes: unknown }

/** Every version of the accounts that people set, oldest first. */
export async function listMappings(queryable: Queryable, applicationId: string): Promise<Mapping[]> {
  const { rows } = await queryable.query<Mapping>(
    'select version, codes from journal_mappings where application_id = $1 order by version',
    [applicationId],
  )
  return rows
}

/** Stores the next version of the accounts, under the lock of the application's counters. Returns its number. */
export async function insertMapping(
  trx: TrxClient,
  { applicationId, codes, changeId, actorId }: { applicationId: string; codes: JournalCodes; changeId: string; actorId: string },
): Promise<number> {
  const { rows } = await trx.query<{ version: number }>(
    `insert into journal_mappings (application_id, version, codes, change_id, confirmed_by)
       select $1, coalesce(max(version), 0) + 1, $2, $3, $4 from journal_mappings where application_id = $1
     returning version`,
    [applicationId, JSON.stringify(codes), changeId, actorId],
  )
  const [row] = rows
  if (!row) throw new Error('An insert of one row returns it')
  return row.version
}

/** A line as it was numbered. */
export type StoredLine = { account: JournalAccount; code: string; auxiliary: string | null; amountMinor: bigint }
export type StoredEntry = {
  number: number
  kind: 'day' | 'reversal'
  wallet: string
  day: string
  version: number
  reverses: number | null
  reversedBy: number | null
  currency: string
  mappingVersion: number
  journal: string
  debitMinor: bigint
  numberedAt: Date
}

const ENTRY = `e.number::integer, e.kind, e.wallet, e.day::text, e.version, e.reverses::integer,
  (select r.number::integer from journal_entries r where r.application_id = e.application_id and r.reverses = e.number) as "reversedBy",
  e.currency, e.mapping_version as "mappingVersion", e.journal, e.debit_minor as "debitMinor", e.numbered_at as "numberedAt"`

type Numbered = Pick<StoredEntry, 'kind' | 'wallet' | 'day' | 'version' | 'reverses' | 'currency' | 'mappingVersion' | 'journal'> & {
  applicationId: string
  lines: readonly StoredLine[]
  now: Date
}

/** Stores an entry with the next number. The counters of the application are locked. */
export async function insertEntry(trx: TrxClient, { applicationId, lines, now, ...entry }: Numbered): Promise<number> {
  const { rows } = await trx.query<{ number: number }>(
    `with lines as materialized (
       select account, code, auxiliary, amount_minor, (row_number() over (order by ordinality))::smallint as place
         from unnest($10::text[], $11::text[], $12::text[], $13::bigint[]) with ordinality as l (account, code, auxiliary, amount_minor, ordinality)),
     numbered as (
       insert into journal_entries (application_id, number, kind, wallet, day, version, reverses, currency, mapping_version, journal, debit_minor, numbered_at)
         select $1, coalesce((select max(number) from journal_entries where application_id = $1), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9,
                (select coalesce(sum(amount_minor) filter (where amount_minor > 0), 0) from lines), $14
       returning number),
     stored as (
       insert into journal_lines (application_id, number, place, account, code, auxiliary, amount_minor)
         select $1, n.number, l.place, l.account, l.code, l.auxiliary, l.amount_minor from numbered n cross join lines l)
     select number::integer from numbered`,
    [
      applicationId,
      entry.kind,
      entry.wallet,
      entry.day,
      entry.version,
      entry.reverses,
      entry.currency,
      entry.mappingVersion,
      entry.journal,
      lines.map(({ account }) => account),
      lines.map(({ code }) => code),
      lines.map(({ auxiliary }) => auxiliary),
      lines.map(({ amountMinor }) => amountMinor),
      now,
    ],
  )
  const [row] = rows
  if (!row) throw new Error('An insert of one row returns it')
  return row.number
}

/** The entry of a day that nothing has reversed; undefined if it has none. */
export async function findEntryInForce(
  queryable: Queryable,
  { applicationId, wallet, day }: { applicationId: string; wallet: string; day: string },
): Promise<StoredEntry | undefined> {
  const { rows } = await queryable.query<StoredEntry>(
    `select ${ENTRY} from journal_entries e
      where e.application_id = $1 and e.wallet = $2 and e.day = $3 and e.kind = 'day'
        and not exists (select from journal_entries r where r.application_id = $1 and r.reverses = e.number)`,
    [applicationId, wallet, day],
  )
  return rows[0]
}

/** Which entries: by their day, both ends included, and as the other names say. Null: all. */
export type EntryScope = {
  applicationId: string
  from?: string | null
  to?: string | null
  wallet?: string | null
  currency?: string | null
  number?: number | null
  after?: number | null
}
const SCOPE = `e.application_id = $1 and e.day between coalesce($2::date, '-infinity') and coalesce($3::date, 'infinity')
  and ($4::text is null or e.wallet = $4) and ($5::text is null or e.currency = $5) and ($6::bigint is null or e.number = $6)
  and ($7::bigint is null or e.number > $7)`
const scopeValues = ({ applicationId, from, to, wallet, currency, number, after }: EntryScope) => [
  ...[applicationId, from ?? null, to ?? null, wallet ?? null, currency ?? null, number ?? null, after ?? null],
]

/** The entries with their lines, in order of their number. */
export async function listEntries(queryable: Queryable, scope: EntryScope): Promise<(StoredEntry & { lines: StoredLine[] })[]> {
  const entries = await queryable.query<StoredEntry>(
    `select ${ENTRY} from journal_entries e where ${SCOPE} order by e.number`,
    scopeValues(scope),
  )
  const lines = await queryable.query<StoredLine & { number: number }>(
    `select l.number::integer, l.account, l.code, l.auxiliary, l.amount_minor as "amountMinor"
       from journal_entries e join journal_lines l using (application_id, number) where ${SCOPE} order by l.number, l.place`,
    scopeValues(scope),
  )
  const byNumber = Map.groupBy(lines.rows, ({ number }) => number)
  return entries.rows.map((entry) => ({ ...entry, lines: (byNumber.get(entry.number) ?? []).map(({ number: _, ...line }) => line) }))
}

/** A page of entries, the newest number first, and how many there are. */
export async function listEntryPage(
  queryable: Queryable,
  scope: EntryScope,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: StoredEntry[]; total: number }> {
  const counted = await queryable.query<{ total: number }>(
    `select count(*)::integer as total from journal_entries e where ${SCOPE}`,
    scopeValues(scope),
  )
  const { rows } = await queryable.query<StoredEntry>(
    `select ${ENTRY} from journal_entries e where ${SCOPE} order by e.number desc limit $8 offset $9`,
    [...scopeValues(scope), limit, offset],
  )
  return { rows, total: counted.rows[0]?.total ?? 0 }
}
