import type { ExceptionClass, ExceptionEventDto, ExceptionOutcome } from '#lib/reconciliation/exceptions.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { OPEN_CONTRADICTION } from '#server/operators/work/contradiction-store.ts'
import { announceClose } from '../close-revision-store.ts'

/** An exception that a command holds until its transaction ends. */
export type LockedException = {
  exceptionId: string
  class: ExceptionClass
  ownerId: string | null
  outcome: ExceptionOutcome | null
  ledger: string | null
  transactionId: string | null
}

/** Locks an exception until the transaction ends. */
export async function lockException(trx: TrxClient, applicationId: string, exceptionId: string): Promise<LockedException | undefined> {
  const { rows } = await trx.query<LockedException>(
    `select exception_id as "exceptionId", class, owner_id as "ownerId", outcome, matched_application_id as ledger, transaction_id as "transactionId"
       from exceptions where application_id = $1 and exception_id = $2 for update`,
    [applicationId, exceptionId],
  )
  return rows[0]
}

/**
 * Opens the exception about a transaction of the application whose outcome is unknown, unless it has one, and locks it; undefined if the outcome is
 * known and it never had one.
 */
export async function openUnconfirmed(trx: TrxClient, applicationId: string, transactionId: string): Promise<LockedException | undefined> {
  await trx.query(
    `with unknown as (
       select t.* from transactions t
        where t.application_id = $1 and t.transaction_id = $2
          and (t.status = 'PENDING' and exists (select from operator_work w where w.application_id = t.application_id
                                                  and w.transaction_id = t.transaction_id and w.phase = 'begun')
               or exists (select from operator_contradictions c where c.transaction_id = t.transaction_id and ${OPEN_CONTRADICTION}))),
     opened as (
       insert into exceptions (application_id, subject, class, operator, type, matched_application_id, transaction_id, amount_minor)
         select application_id, format('transaction %s %s', application_id, transaction_id), 'unconfirmed', operator, type, application_id,
                transaction_id, amount_minor from unknown
       on conflict on constraint exceptions_subject do update set outcome = null, closed_by = null, closed_at = null, opened_at = clock_timestamp()
         where exceptions.class = 'unconfirmed' and exceptions.outcome is not null
       returning new.application_id, new.exception_id, new.owner_id, old.class as class_before)
     insert into exception_events (application_id, exception_id, event, class, owner_id)
       select application_id, exception_id, 'reopened', 'unconfirmed', owner_id from opened where class_before is not null`,
    [applicationId, transactionId],
  )
  // A statement of its own: another person may have opened it since the first one began.
  const { rows } = await trx.query<{ exceptionId: string }>(
    'select exception_id as "exceptionId" from exceptions where application_id = $1 and subject = format(\'transaction %s %s\', $1::uuid, $2::uuid)',
    [applicationId, transactionId],
  )
  return rows[0] && lockException(trx, applicationId, rows[0].exceptionId)
}

type Step = {
  applicationId: string
  exceptionId: string
  event: Exclude<ExceptionEventDto['event'], 'opened' | 'class_changed' | 'reopened'>
  ownerId: string | null
  personId: string
  note: string
  outcome?: ExceptionOutcome
  changeId?: string | undefined
}

/** Stores what a person did with an exception that the caller has locked: the event, and what it changes. */
export async function storeStep(trx: TrxClient, step: Step): Promise<void> {
  await trx.query(
    `with changed as (
       update exceptions
          set owner_id = $4, owned_since = case when owner_id is not distinct from $4 then owned_since else clock_timestamp() end,
              outcome = $7, change_id = $8,
              closed_by = case when $7::text is null then null else $5::uuid end,
              closed_at = case when $7::text is null then null else clock_timestamp() end
        where application_id = $1 and exception_id = $2 returning class)
     insert into exception_events (application_id, exception_id, event, class, owner_id, person_id, note, outcome)
       select $1, $2, $3, class, $4, $5, $6, $7 from changed`,
    [step.applicationId, step.exceptionId, step.event, step.ownerId, step.personId, step.note, step.outcome ?? null, step.changeId ?? null],
  )
  await announceClose(trx, step.applicationId)
}

/** The newest adjustment that two people have made of a transaction; undefined if there is none. */
export async function findAdjustment(trx: TrxClient, ledger: string, transactionId: string): Promise<string | undefined> {
  const { rows } = await trx.query<{ changeId: string }>(
    `select change_id as "changeId" from ledger_postings
      where application_id = $1 and subject_id = $2 and kind in ('late', 'reverse', 'concede') order by at desc limit 1`,
    [ledger, transactionId],
  )
  return rows[0]?.changeId
}

/** Whether an exception about a transaction or a line is open. */
export async function hasOpenException(queryable: Queryable, applicationId: string, subject: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    "select 1 from exceptions where application_id = $1 and subject = $2 and class <> 'unconfirmed' and outcome is null",
    [applicationId, subject],
  )
  return rowCount !== 0
}

/** Locks the open exception about a transaction or a line; undefined if there is none. */
export async function lockExceptionOf(trx: TrxClient, applicationId: string, subject: string): Promise<LockedException | undefined> {
  const { rows } = await trx.query<{ exceptionId: string }>(
    `select exception_id as "exceptionId" from exceptions where application_id = $1 and subject = $2 and outcome is null for update`,
    [applicationId, subject],
  )
  return rows[0] && lockException(trx, applicationId, rows[0].exceptionId)
}
