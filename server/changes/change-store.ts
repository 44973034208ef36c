import { CHANGE_LIFETIME_DAYS, CHANGE_PERMISSIONS, type ChangeFacts, type ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { rolesWith } from '#lib/people/permissions.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { hasMember } from '#server/people/second-person-store.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { proposedChangePlace } from '#server/secrets-at-rest/sealed-columns.ts'

type ChangeOutcome = 'confirmed' | 'refused' | 'withdrawn'

type NewChange = {
  applicationId: string
  changeId: string
  kind: string
  subject: string
  payload: unknown
  /** The payload holds secrets and is stored encrypted. */
  isSealed: boolean
  before: ChangeFacts
  after: ChangeFacts
  proposedBy: string
  /** Of the changes that are proposed together. */
  batchId?: string | undefined
}

/** Whether a proposal about the same subject can still be confirmed. */
export async function hasOpenChange(trx: Queryable, applicationId: string, kind: string, subject: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    `select 1 from proposed_changes where application_id = $1 and kind = $2 and subject = $3 and outcome is null and expires_at > now()`,
    [applicationId, kind, subject],
  )
  return (rowCount ?? 0) > 0
}

/** Whether a change of a kind about the same subject was confirmed at any time. */
export async function isConfirmedBefore(queryable: Queryable, applicationId: string, kind: string, subject: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 from proposed_changes where application_id = $1 and kind = $2 and subject = $3 and outcome = 'confirmed' limit 1`,
    [applicationId, kind, subject],
  )
  return rowCount === 1
}

export async function insertChange(trx: Queryable, change: NewChange): Promise<void> {
  const payload = JSON.stringify(change.payload)
  const place = proposedChangePlace(change.applicationId, change.changeId)
  await trx.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, sealed_payload, batch_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(days => $9), $10, $11)`,
    [
      change.applicationId,
      change.changeId,
      change.kind,
      change.subject,
      change.isSealed ? '{}' : payload,
      JSON.stringify(change.before),
      JSON.stringify(change.after),
      change.proposedBy,
      CHANGE_LIFETIME_DAYS,
      change.isSealed ? keyringOfProcess().seal(place, payload) : null,
      change.batchId ?? null,
    ],
  )
  await announce(trx, change.applicationId)
}

/** Open pages of the application read its proposals again. */
async function announce(trx: Queryable, applicationId: string): Promise<void> {
  await trx.query(
    'update application_counters set change_number = change_number + 1, proposal_number = proposal_number + 1 where application_id = $1',
    [applicationId],
  )
}

export type StoredChange = {
  changeId: string
  kind: string
  subject: string
  payload: unknown
  before: ChangeFacts
  after: ChangeFacts
  proposedBy: string
  decidedBy: string | null
  isOpen: boolean
  /** It was confirmed, and the secret that it makes can be collected. */
  isCollectable: boolean
}

/** Returns a change and locks its row until the transaction ends. */
export async function lockChange(trx: Queryable, applicationId: string, changeId: string): Promise<StoredChange | undefined> {
  const { rows } = await trx.query<StoredChange & { sealedPayload: string | null }>(
    `select change_id as "changeId", kind, subject, payload, before, after, proposed_by as "proposedBy", decided_by as "decidedBy",
            outcome is null and expires_at > now() as "isOpen", sealed_payload as "sealedPayload",
            outcome is not distinct from 'confirmed' and coalesce(collect_until > now(), false) and collected_at is null as "isCollectable"
       from proposed_changes where application_id = $1 and change_id = $2 for update`,
    [applicationId, changeId],
  )
  const [row] = rows
  if (!row) return undefined
  const { sealedPayload, ...stored } = row
  if (sealedPayload === null) return stored
  return { ...stored, payload: JSON.parse(keyringOfProcess().open(proposedChangePlace(applicationId, changeId), sealedPayload)) }
}

/** Whether the database is that of a sandbox. A process of the other mode does not start on it. */
export async function isSandbox(queryable: Queryable): Promise<boolean> {
  const { rowCount } = await queryable.query("select from installation where mode = 'sandbox'")
  return (rowCount ?? 0) > 0
}

/** Returns the kind and the input of an open change, which is empty if it holds secrets; undefined if there is no such change. */
export async function readProposal(
  queryable: Queryable,
  applicationId: string,
  changeId: string,
): Promise<{ kind: string; input: unknown } | undefined> {
  const { rows } = await queryable.query<{ kind: string; input: unknown }>(
    'select kind, payload as input from proposed_changes where application_id = $1 and change_id = $2 and outcome is null',
    [applicationId, changeId],
  )
  return rows[0]
}

/** Returns the changes that were proposed together, in the order in which they are confirmed, and which of them still wait. */
export async function listOfBatch(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
): Promise<{ changeId: string; isOpen: boolean }[]> {
  const { rows } = await queryable.query<{ changeId: string; isOpen: boolean }>(
    `select change_id as "changeId", outcome is null and expires_at > now() as "isOpen" from proposed_changes
      where application_id = $1 and batch_id = $2 order by change_id`,
    [applicationId, batchId],
  )
  return rows
}

/** Returns the input of a change of a kind, and whether it is still undecided; undefined if there is no such change. */
export async function readPayload(
  queryable: Queryable,
  applicationId: string,
  changeId: string,
  kind: ChangeKindName,
): Promise<{ payload: unknown; isUndecided: boolean } | undefined> {
  const { rows } = await queryable.query<{ payload: unknown; isUndecided: boolean }>(
    `select payload, outcome is null as "isUndecided" from proposed_changes where application_id = $1 and change_id = $2 and kind = $3`,
    [applicationId, changeId, kind],
  )
  return rows[0]
}

type End = {
  applicationId: string
  changeId: string
  outcome: ChangeOutcome
  decidedBy: string
  reason: string
  /** Its proposer confirmed it, in a sandbox. */
  isAlone?: boolean
  /** The confirmed change, and whether its proposer collects a secret; undefined unless it was. */
  confirmed?: { before: ChangeFacts; after: ChangeFacts; isCollected: boolean }
}

/** Stores what became of a change. Secrets in its input are removed with it. */
export async function endChange(trx: Queryable, end: End): Promise<void> {
  const { confirmed } = end
  const { rowCount } = await trx.query(
    `update proposed_changes set outcome = $3, decided_by = $4, decided_at = now(), reason = $5, sealed_payload = null,
         before = coalesce($6, before), after = coalesce($7, after), collect_until = now() + make_interval(days => $8),
         is_confirmed_alone = $9
      where application_id = $1 and change_id = $2 and outcome is null`,
    [
      end.applicationId,
      end.changeId,
      end.outcome,
      end.decidedBy,
      end.reason,
      confirmed ? JSON.stringify(confirmed.before) : null,
      confirmed ? JSON.stringify(confirmed.after) : null,
      confirmed?.isCollected ? CHANGE_LIFETIME_DAYS : null,
      end.isAlone ?? false,
    ],
  )
  if (rowCount !== 1) throw new Error(`Change ${end.changeId} was decided under its lock`)
  await announce(trx, end.applicationId)
}

/** Removes the secrets in the input of changes that can no longer be confirmed. */
export async function removeExpiredPayloads(queryable: Queryable): Promise<void> {
  await queryable.query('update proposed_changes set sealed_payload = null where sealed_payload is not null and expires_at <= now()')
}

/** Stores that the secret was collected. */
export async function endCollection(trx: Queryable, applicationId: string, changeId: string): Promise<void> {
  await trx.query('update proposed_changes set collected_at = now() where application_id = $1 and change_id = $2', [
    applicationId,
    changeId,
  ])
  await announce(trx, applicationId)
}

export type ChangeRow = Pick<
  StoredChange,
  'changeId' | 'kind' | 'subject' | 'payload' | 'before' | 'after' | 'proposedBy' | 'decidedBy'
> & {
  applicationId: string
  applicationName: string
  proposerName: string
  proposedAt: Date
  expiresAt: Date
  outcome: ChangeOutcome | null
  isExpired: boolean
  deciderName: string | null
  decidedAt: Date | null
  reason: string
  collection: 'open' | 'collected' | 'expired' | null
  /** Nobody else in the application may confirm it. */
  isDecidedElsewhere: boolean
  batchId: string | null
}

/** The kinds that are read, of one application, or of all others that nobody there but their proposer could decide. */
type Selection = { kinds: readonly ChangeKindName[] } & ({ applicationId: string } | { installationId: string })

/**
 * Returns the changes of some kinds: those that can be decided, then the others, each newest first. The input of a decided one, which may hold a thousand
 * people, is left out.
 */
export async function selectChanges(queryable: Queryable, selection: Selection, countMax: number): Promise<ChangeRow[]> {
  const { kinds } = selection
  const roles = kinds.map((kind) => rolesWith(CHANGE_PERMISSIONS[kind].confirm).join())
  const where =
    'applicationId' in selection
      ? sql`c.application_id = ${selection.applicationId}`
      : sql`c.application_id <> ${selection.installationId} and case when c.outcome is null
          then c.expires_at > now() and not ${hasSecondMember}
          else c.outcome <> 'withdrawn' and exists (select from memberships m where m.application_id = ${selection.installationId} and m.person_id = c.decided_by)
            and not exists (select from memberships m where m.application_id = c.application_id and m.person_id = c.decided_by) end`
  return runQuery<ChangeRow>(
    queryable,
    sql`select c.application_id as "applicationId", a.name as "applicationName", c.change_id as "changeId", c.kind, c.subject,
            case when c.outcome is null then c.payload else '{}' end as payload, c.before, c.after,
            c.proposed_by as "proposedBy", p.name as "proposerName",
            c.proposed_at as "proposedAt", c.expires_at as "expiresAt", c.outcome, c.outcome is null and c.expires_at <= now() as "isExpired",
            c.decided_by as "decidedBy", d.name as "deciderName", c.decided_at as "decidedAt", c.reason,
            case when c.collect_until is null then null when c.collected_at is not null then 'collected'
                 when c.collect_until <= now() then 'expired' else 'open' end as collection,
            c.outcome is null and not ${hasSecondMember} as "isDecidedElsewhere", c.batch_id as "batchId"
       from proposed_changes c
         join unnest(${kinds}::text[], ${roles}::text[]) k (kind, roles) on k.kind = c.kind
         join applications a on a.application_id = c.application_id
         join people p on p.person_id = c.proposed_by left join people d on d.person_id = c.decided_by
      where ${where}
      order by c.outcome is null and c.expires_at > now() desc, c.proposed_at desc, c.change_id limit ${countMax}`,
  )
}

/** Whether a member of the application besides its proposer and the person whom it is about may confirm a change. */
const hasSecondMember = hasMember({
  applicationId: sql`c.application_id`,
  roles: sql`string_to_array(k.roles, ',')`,
  except: sql`array[c.proposed_by::text, c.subject]`,
})
