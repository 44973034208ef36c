import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import { encodeRows, type RowColumns, recordOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { AuditDetails, ChainedEntry } from './canonical-text.ts'
import type { AuditActor } from './command-actor.ts'

export type StoredEntry = ChainedEntry & { previousHash: Buffer; hash: Buffer }
/** An entry as `insertEntries` sends it. The digests are hexadecimal, because JSON has no bytes. */
const ENTRY = {
  application_id: 'uuid',
  sequence: 'bigint',
  at: 'timestamptz',
  actor_kind: 'text',
  actor_id: 'uuid | null',
  action: 'text',
  subject: 'text',
  details: 'jsonb',
  previous_hash: 'text',
  hash: 'text',
  address: 'text | null',
} as const satisfies RowColumns

type ChainHead = { sequence: bigint; hash: Buffer | null; at: Date }

/** Locks a chain until the database transaction ends, so that its writers append one after the other. */
export async function lockChain(trx: Queryable, applicationId: string): Promise<void> {
  await trx.query(`select pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))`, [applicationId])
}

/** The last entry of a chain (sequence 0, no hash: an empty one) and the database's time in whole milliseconds. */
export async function readHead(trx: Queryable, applicationId: string): Promise<ChainHead> {
  const { rows } = await trx.query<{ sequence: bigint; hash: Buffer | null; at: Date }>(
    `select coalesce(last.sequence, 0) as sequence, last.hash, date_trunc('milliseconds', clock_timestamp()) as at
       from (select 1) one left join lateral (select e.sequence, e.hash from audit_entries e
         where e.application_id = $1 order by e.sequence desc limit 1) last on true`,
    [applicationId],
  )
  const head = rows[0]
  if (!head) throw new Error('The head of the audit chain could not be read')
  return head
}

/** Writes entries that already carry their place and digest. */
export async function insertEntries(trx: Queryable, entries: readonly StoredEntry[]): Promise<void> {
  await trx.query(
    `insert into audit_entries (application_id, sequence, at, actor_kind, actor_id, action, subject, details, previous_hash, hash, address)
       select e.application_id, e.sequence, e.at, e.actor_kind, e.actor_id, e.action, e.subject, e.details,
              decode(e.previous_hash, 'hex'), decode(e.hash, 'hex'), e.address
         from json_to_recordset($1::json) as e (${recordOf(ENTRY)})`,
    [
      encodeRows(
        ENTRY,
        entries.map((entry) => ({
          application_id: entry.applicationId,
          sequence: entry.sequence,
          at: entry.at,
          actor_kind: entry.actor.kind,
          actor_id: entry.actor.id,
          action: entry.action,
          subject: entry.subject,
          details: entry.details,
          previous_hash: entry.previousHash.toString('hex'),
          hash: entry.hash.toString('hex'),
          address: entry.address,
        })),
      ),
    ],
  )
}

type EntryRow = {
  application_id: string
  sequence: bigint
  at: Date
  actor_kind: AuditActor['kind']
  actor_id: string | null
  action: string
  subject: string
  details: AuditDetails
  previous_hash: Buffer
  hash: Buffer
  address: string | null
}

/** Up to `limit` entries after a sequence, in order. */
export async function readEntriesAfter(
  queryable: Queryable,
  applicationId: string,
  sequence: bigint,
  limit: number,
): Promise<StoredEntry[]> {
  const { rows } = await queryable.query<EntryRow>(
    `select * from audit_entries where application_id = $1 and sequence > $2 order by sequence limit $3`,
    [applicationId, sequence, limit],
  )
  return rows.map(toEntry)
}

/** Up to `limit` entries before a sequence (null: from the newest), newest first. */
export async function readEntriesBefore(
  queryable: Queryable,
  applicationId: string,
  before: bigint | null,
  limit: number,
): Promise<StoredEntry[]> {
  const { rows } = await queryable.query<EntryRow>(
    `select * from audit_entries where application_id = $1 and ($2::bigint is null or sequence < $2) order by sequence desc limit $3`,
    [applicationId, before, limit],
  )
  return rows.map(toEntry)
}

/** A filter for audit entries. Days are in the time zone, both included. */
export type AuditFilter = {
  /** A person, or everything that people did not do. */
  actor?: { id: string } | { kind: Exclude<AuditActor['kind'], 'person'> } | undefined
  actions?: readonly string[] | undefined
  subject?: string | undefined
  from?: string | null | undefined
  to?: string | null | undefined
  timeZone: string
}
/** `before` and `after` are sequences, neither included. */
type AuditPlace = { before?: bigint | undefined; after?: bigint | undefined }

/** Up to `limit` entries that match, newest first; with `after`, the oldest of those that are newer. */
async function selectEntries(
  queryable: Queryable,
  applicationId: string,
  { actor, actions, subject, from, to, timeZone }: AuditFilter,
  { before, after }: AuditPlace,
  limit: number,
): Promise<StoredEntry[]> {
  const conditions = [
    sql`application_id = ${applicationId}`,
    ...(actor && 'id' in actor ? [sql`actor_id = ${actor.id} and actor_kind = 'person'`] : []),
    // The second part is what the index holds.
    ...(actor && 'kind' in actor ? [sql`actor_kind = ${actor.kind} and actor_kind <> 'person'`] : []),
    ...(actions ? [sql`action = any (${actions}::text[])`] : []),
    // The first part is what the index holds.
    ...(subject ? [sql`left(subject, 80) = left(${subject}::text, 80) and subject = ${subject}`] : []),
    ...(from ? sinceDay(applicationId, sql`(${from}::date::timestamp at time zone ${timeZone})`) : []),
    ...(to ? beforeDay(applicationId, sql`((${to}::date + 1)::timestamp at time zone ${timeZone})`) : []),
    ...(before === undefined ? [] : [sql`sequence < ${before}`]),
    ...(after === undefined ? [] : [sql`sequence > ${after}`]),
  ]
  const order = sql.raw(after === undefined ? 'desc' : 'asc')
  const rows = await runQuery<EntryRow>(
    queryable,
    sql`select * from audit_entries where ${sql.join(conditions, sql` and `)} order by sequence ${order} limit ${limit}`,
  )
  const entries = rows.map(toEntry)
  return after === undefined ? entries : entries.reverse()
}

/**
 * Entries are written in order of their time, except for what a clock is set back. So the number of an entry of the day before bounds the
 * walk along the chain, and the time itself decides.
 */
function sinceDay(applicationId: string, instant: Sql): Sql[] {
  return [
    sql`at >= ${instant}`,
    sql`sequence >= (select b.sequence from audit_entries b where b.application_id = ${applicationId}
          and b.at >= ${instant} - interval '1 day' order by b.at limit 1)`,
  ]
}

function beforeDay(applicationId: string, instant: Sql): Sql[] {
  return [
    sql`at < ${instant}`,
    sql`sequence <= (select b.sequence from audit_entries b where b.application_id = ${applicationId}
          and b.at < ${instant} + interval '1 day' order by b.at desc limit 1)`,
  ]
}

/** When the first entry of a chain was written; undefined if it has none. */
async function readFirstTime(queryable: Queryable, applicationId: string): Promise<Date | undefined> {
  const { rows } = await queryable.query<{ at: Date }>('select at from audit_entries where application_id = $1 order by sequence limit 1', [
    applicationId,
  ])
  return rows[0]?.at
}

/** Every application that has a chain, also one whose first entry is missing. */
export async function readChainIds(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ application_id: string }>(
    `select distinct application_id from audit_entries order by application_id`,
  )
  return rows.map((row) => row.application_id)
}

function toEntry(row: EntryRow): StoredEntry {
  return {
    applicationId: row.application_id,
    sequence: row.sequence,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    subject: row.subject,
    details: row.details,
    address: row.address,
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}

/** Returns entries of an application that match a filter, newest first. The sequence is the cursor: entries never move. */
export function findEntries(
  queryable: Queryable,
  applicationId: string,
  filter: AuditFilter,
  place: AuditPlace,
  limit: number,
): Promise<StoredEntry[]> {
  return selectEntries(queryable, applicationId, filter, place, limit)
}

/** The start of an application's record; undefined if it has none. */
export function readChainStart(queryable: Queryable, applicationId: string): Promise<Date | undefined> {
  return readFirstTime(queryable, applicationId)
}
