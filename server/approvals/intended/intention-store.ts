import type { IntendedDecision, IntentionRefusal, RefusedReason } from '#lib/approvals/intended.ts'
import type { Currency } from '#lib/money/money.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { DecideManyCommand } from '../decide.ts'
import type { DecideBatchCommand } from '../decide-batch.ts'

/** The part of a command that is stored as it was sent: what was shown, and the note. */
export type ListCommand = Pick<DecideManyCommand, 'items' | 'note'>
export type BatchCommand = Pick<DecideBatchCommand, 'hash' | 'note' | 'excluded'> & { shownAt: string }

/** The subject of an intended decision. */
type Subject = { transactionIds: readonly string[]; command: ListCommand } | { batchId: string; command: BatchCommand }

/** How an intended decision ended, as it is stored: what was refused of it, or why all of it was. */
export type IntentionResult = {
  refusal: IntentionRefusal | null
  refused: readonly { transactionId: string; reason: RefusedReason }[]
  /** How many payments wait for another approval. */
  stillWaiting: number
}

export type DueIntention = {
  applicationId: string
  intentionId: string
  personId: string
  address: string | null
  codeDigest: string | null
  createdAt: Date
  /** How long it has been due, by the clock of the database. */
  lateMs: number
  /** The person is not blocked, has not ended all sessions since, and has the second factor that the application may demand. */
  mayAct: boolean
  hasSecondFactor: boolean
  stillWaiting: number
} & ({ batchId: null; command: ListCommand } | { batchId: string; command: BatchCommand })

/** How long people of an application can undo, in seconds, and which of these items this person intends to validate already. */
export async function selectIntended(
  queryable: Queryable,
  { applicationId, personId }: { applicationId: string; personId: string },
  about: { transactionIds?: readonly string[]; batchId?: string },
): Promise<{ undoSeconds: number; transactionIds: Set<string>; isBatchIntended: boolean }> {
  const { rows } = await queryable.query<{ undoSeconds: number; transactionIds: string[] | null; batchIds: string[] | null }>(
    `select a.undo_seconds as "undoSeconds",
       (select array_agg(u.id) from intended_decisions d cross join unnest(d.transaction_ids) as u (id)
          where d.application_id = $1 and d.person_id = $2 and d.state = 'waiting' and u.id = any ($3::uuid[])) as "transactionIds",
       (select array_agg(d.batch_id) from intended_decisions d
          where d.application_id = $1 and d.person_id = $2 and d.state = 'waiting' and d.batch_id = $4) as "batchIds"
     from applications a where a.application_id = $1`,
    [applicationId, personId, about.transactionIds ?? [], about.batchId ?? null],
  )
  const [found] = rows
  if (!found) throw new Error('A person decides in an application that does not exist')
  return { undoSeconds: found.undoSeconds, transactionIds: new Set(found.transactionIds), isBatchIntended: found.batchIds !== null }
}

type NewIntention = Subject & {
  applicationId: string
  intentionId: string
  personId: string
  address: string | undefined
  codeDigest: string | null
  undoSeconds: number
  stillWaiting: number
}

/** Stores what a person intends, and returns when it takes effect. The person must exist. */
export async function insertIntention(trx: TrxClient, intention: NewIntention): Promise<Date> {
  const { rows } = await trx.query<{ dueAt: Date }>(
    `insert into intended_decisions
       (application_id, intention_id, person_id, session_epoch, address, transaction_ids, batch_id, command, code_digest, still_waiting, created_at, due_at)
     select $1, $2, p.person_id, p.session_epoch, $4, $5, $6, $7, $8, $10, n.at, n.at + $9 * interval '1 second'
     from people p cross join (select clock_timestamp() as at) n where p.person_id = $3
     returning due_at as "dueAt"`,
    [
      intention.applicationId,
      intention.intentionId,
      intention.personId,
      intention.address ?? null,
      'batchId' in intention ? null : intention.transactionIds,
      'batchId' in intention ? intention.batchId : null,
      JSON.stringify(intention.command),
      intention.codeDigest,
      intention.undoSeconds,
      intention.stillWaiting,
    ],
  )
  const [stored] = rows
  if (!stored) throw new Error('A person who does not exist intends a decision')
  return stored.dueAt
}

/** Locks one intended decision that is due and that no other worker holds; undefined if there is none. The lock ends with the transaction. */
export async function lockDue(trx: TrxClient): Promise<DueIntention | undefined> {
  const { rows } = await trx.query<DueIntention>(
    `select d.application_id as "applicationId", d.intention_id as "intentionId", d.person_id as "personId", d.address,
       d.code_digest as "codeDigest", d.batch_id as "batchId", d.command, d.created_at as "createdAt",
       (extract(epoch from clock_timestamp() - d.due_at) * 1000)::float8 as "lateMs",
       not p.is_blocked and p.session_epoch = d.session_epoch and (has_second_factor(p.person_id) or not a.requires_second_factor) as "mayAct",
       has_second_factor(p.person_id) as "hasSecondFactor", d.still_waiting as "stillWaiting"
     from intended_decisions d join people p on p.person_id = d.person_id join applications a on a.application_id = d.application_id
     where d.state = 'waiting' and d.due_at <= clock_timestamp() order by d.due_at limit 1 for update of d skip locked`,
  )
  return rows[0]
}

/** Stores how a locked intended decision ended. */
export async function endIntention(
  trx: TrxClient,
  { applicationId, intentionId }: Pick<DueIntention, 'applicationId' | 'intentionId'>,
  result: IntentionResult,
): Promise<void> {
  const state = result.refusal === null && result.refused.length === 0 ? 'carried_out' : 'refused'
  await trx.query(
    `update intended_decisions set state = $3, result = $4, still_waiting = $5, ended_at = clock_timestamp()
     where application_id = $1 and intention_id = $2`,
    [applicationId, intentionId, state, JSON.stringify({ refusal: result.refusal, refused: result.refused }), result.stillWaiting],
  )
}

/**
 * Marks as undone what this person intends and no worker has taken. Returns what it was about; `already_sent` if it was taken, undefined if
 * this person never intended it.
 */
export async function undoWaiting(
  trx: TrxClient,
  { applicationId, intentionId, personId }: { applicationId: string; intentionId: string; personId: string },
): Promise<{ batchId: string | null; transactionIds: string[] | null } | 'undone' | 'already_sent' | undefined> {
  const keys = [applicationId, intentionId, personId]
  const { rows } = await trx.query<{ batchId: string | null; transactionIds: string[] | null }>(
    `update intended_decisions d set state = 'undone', ended_at = clock_timestamp(), told_at = clock_timestamp()
     from (select application_id, intention_id from intended_decisions
       where application_id = $1 and intention_id = $2 and person_id = $3 and state = 'waiting' for update skip locked) w
     where d.application_id = w.application_id and d.intention_id = w.intention_id
     returning d.batch_id as "batchId", d.transaction_ids as "transactionIds"`,
    keys,
  )
  if (rows[0]) return rows[0]
  const found = await trx.query<{ state: string }>(
    'select state from intended_decisions where application_id = $1 and intention_id = $2 and person_id = $3',
    keys,
  )
  const state = found.rows[0]?.state
  return state === undefined ? undefined : state === 'undone' ? 'undone' : 'already_sent'
}

/** The person has read what was refused. Returns whether this person intended it and it has ended. */
export async function updateTold(
  queryable: Queryable,
  { applicationId, intentionId, personId }: { applicationId: string; intentionId: string; personId: string },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `update intended_decisions set told_at = coalesce(told_at, clock_timestamp())
     where application_id = $1 and intention_id = $2 and person_id = $3 and state <> 'waiting'`,
    [applicationId, intentionId, personId],
  )
  return rowCount === 1
}

type IntentionRow = {
  intentionId: string
  state: IntendedDecision['state']
  dueInMs: number
  batchId: string | null
  batchName: string | null
  result: Omit<IntentionResult, 'stillWaiting'> | null
  stillWaiting: number
  items: { transactionId: string; customerName: string; currency: Currency; amountMinor: string }[]
}

/** The waiting intentions of a person, what took effect within the last half minute, and within a week what was refused and not dismissed; newest first. */
export async function selectIntentions(
  queryable: Queryable,
  { applicationId, personId }: { applicationId: string; personId: string },
): Promise<IntentionRow[]> {
  const { rows } = await queryable.query<IntentionRow>(
    `select d.intention_id as "intentionId", d.state, (extract(epoch from d.due_at - clock_timestamp()) * 1000)::integer as "dueInMs", d.batch_id as "batchId", b.name as "batchName", d.result, d.still_waiting as "stillWaiting",
       coalesce((select json_agg(json_build_object('transactionId', t.transaction_id, 'customerName', t.customer_name, 'currency', t.currency,
           'amountMinor', t.amount_minor::text))
         from transactions t where t.application_id = d.application_id and t.transaction_id = any (d.transaction_ids)), '[]') as items
     from intended_decisions d left join batches b on b.application_id = d.application_id and b.batch_id = d.batch_id
     where d.application_id = $1 and d.person_id = $2 and (d.state = 'waiting' or d.told_at is null)
       and (d.state = 'waiting' or d.ended_at > clock_timestamp() - case d.state when 'refused' then interval '7 days' else interval '30 seconds' end)
     order by d.due_at desc limit 50`,
    [applicationId, personId],
  )
  return rows
}

/** Whether a person decided on rows of a batch as a whole since an instant. */
export async function hasDecidedBatch(
  queryable: Queryable,
  { applicationId, batchId, personId, since }: { applicationId: string; batchId: string; personId: string; since: Date },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select from approval_decisions
     where application_id = $1 and batch_id = $2 and checker_id = $3 and decision = 'validated' and decided_at >= $4 limit 1`,
    [applicationId, batchId, personId, since],
  )
  return rowCount === 1
}

/** Deletes what ended more than a week ago, which no page shows: the audit record keeps who validated, undid and was refused what. */
export async function deleteEnded(queryable: Queryable): Promise<void> {
  await queryable.query("delete from intended_decisions where state <> 'waiting' and created_at <= clock_timestamp() - interval '8 days'")
}
