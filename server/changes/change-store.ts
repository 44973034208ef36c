import type { ChangeFacts } from '#lib/approvals/proposed-change.ts'
import type { Queryable } from '#server/database/pool.ts'
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
  lifetimeDays: number
}

/** Whether a proposal about the same subject can still be confirmed. */
export async function hasOpenChange(trx: Queryable, applicationId: string, kind: string, subject: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    `select 1 from proposed_changes where application_id = $1 and kind = $2 and subject = $3 and outcome is null and expires_at > now()`,
    [applicationId, kind, subject],
  )
  return (rowCount ?? 0) > 0
}

export async function insertChange(trx: Queryable, change: NewChange): Promise<void> {
  const payload = JSON.stringify(change.payload)
  const place = proposedChangePlace(change.applicationId, change.changeId)
  await trx.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, sealed_payload)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(days => $9), $10)`,
    [
      change.applicationId,
      change.changeId,
      change.kind,
      change.subject,
      change.isSealed ? '{}' : payload,
      JSON.stringify(change.before),
      JSON.stringify(change.after),
      change.proposedBy,
      change.lifetimeDays,
      change.isSealed ? keyringOfProcess().seal(place, payload) : null,
    ],
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
  isOpen: boolean
}

/** Returns a change and locks its row until the transaction ends. */
export async function lockChange(trx: Queryable, applicationId: string, changeId: string): Promise<StoredChange | undefined> {
  const { rows } = await trx.query<StoredChange & { sealedPayload: string | null }>(
    `select change_id as "changeId", kind, subject, payload, before, after, proposed_by as "proposedBy",
            outcome is null and expires_at > now() as "isOpen", sealed_payload as "sealedPayload"
       from proposed_changes where application_id = $1 and change_id = $2 for update`,
    [applicationId, changeId],
  )
  const [row] = rows
  if (!row) return undefined
  const { sealedPayload, ...stored } = row
  if (sealedPayload === null) return stored
  return { ...stored, payload: JSON.parse(keyringOfProcess().open(proposedChangePlace(applicationId, changeId), sealedPayload)) }
}

/** Returns the payload of an open change of a kind; undefined if there is no such change. */
export async function selectPayload(queryable: Queryable, applicationId: string, changeId: string, kind: string): Promise<unknown> {
  const { rows } = await queryable.query<{ payload: unknown }>(
    'select payload from proposed_changes where application_id = $1 and change_id = $2 and kind = $3 and outcome is null',
    [applicationId, changeId, kind],
  )
  return rows[0]?.payload
}

/** Stores what became of a change. Secrets in its input are removed with it. */
export async function endChange(
  trx: Queryable,
  end: { applicationId: string; changeId: string; outcome: ChangeOutcome; decidedBy: string; reason: string },
): Promise<void> {
  await trx.query(
    `update proposed_changes set outcome = $3, decided_by = $4, decided_at = now(), reason = $5, sealed_payload = null
      where application_id = $1 and change_id = $2 and outcome is null`,
    [end.applicationId, end.changeId, end.outcome, end.decidedBy, end.reason],
  )
}

/** Lets the proposer of a confirmed change collect the secret that it makes. */
export async function openCollection(trx: Queryable, applicationId: string, changeId: string, lifetimeDays: number): Promise<void> {
  await trx.query(
    `update proposed_changes set collect_until = now() + make_interval(days => $3) where application_id = $1 and change_id = $2`,
    [applicationId, changeId, lifetimeDays],
  )
}

/** Removes the secrets in the input of changes that can no longer be confirmed. */
export async function removeExpiredPayloads(queryable: Queryable): Promise<void> {
  await queryable.query('update proposed_changes set sealed_payload = null where sealed_payload is not null and expires_at <= now()')
}

type CollectableChange = Pick<StoredChange, 'kind' | 'subject' | 'payload' | 'proposedBy'> & {
  decidedBy: string | null
  isCollectable: boolean
}

/** Returns a change and locks its row until the transaction ends, with whether its secret can be collected now. */
export async function lockCollectable(trx: Queryable, applicationId: string, changeId: string): Promise<CollectableChange | undefined> {
  const { rows } = await trx.query<CollectableChange>(
    `select kind, subject, payload, proposed_by as "proposedBy", decided_by as "decidedBy",
            outcome = 'confirmed' and coalesce(collect_until > now(), false) and collected_at is null as "isCollectable"
       from proposed_changes where application_id = $1 and change_id = $2 for update`,
    [applicationId, changeId],
  )
  return rows[0]
}

/** Stores that the secret was collected. */
export async function endCollection(trx: Queryable, applicationId: string, changeId: string): Promise<void> {
  await trx.query('update proposed_changes set collected_at = now() where application_id = $1 and change_id = $2', [
    applicationId,
    changeId,
  ])
}

export type ChangeRow = Omit<StoredChange, 'isOpen' | 'payload'> & {
  proposerName: string
  proposedAt: Date
  expiresAt: Date
  outcome: ChangeOutcome | null
  isExpired: boolean
  decidedBy: string | null
  deciderName: string | null
  decidedAt: Date | null
  reason: string
  collection: 'open' | 'collected' | 'expired' | null
}

/** Returns the changes of some kinds, newest first. */
export async function selectChanges(
  queryable: Queryable,
  applicationId: string,
  kinds: readonly string[],
  countMax: number,
): Promise<ChangeRow[]> {
  const { rows } = await queryable.query<ChangeRow>(
    `select c.change_id as "changeId", c.kind, c.subject, c.before, c.after, c.proposed_by as "proposedBy", p.name as "proposerName",
            c.proposed_at as "proposedAt", c.expires_at as "expiresAt", c.outcome, c.outcome is null and c.expires_at <= now() as "isExpired",
            c.decided_by as "decidedBy", d.name as "deciderName", c.decided_at as "decidedAt", c.reason,
            case when c.collect_until is null then null when c.collected_at is not null then 'collected'
                 when c.collect_until <= now() then 'expired' else 'open' end as collection
       from proposed_changes c join people p on p.person_id = c.proposed_by left join people d on d.person_id = c.decided_by
      where c.application_id = $1 and c.kind = any ($2) order by c.proposed_at desc, c.change_id limit $3`,
    [applicationId, kinds, countMax],
  )
  return rows
}
