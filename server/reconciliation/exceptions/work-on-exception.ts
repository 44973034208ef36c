import { can } from '#lib/people/permissions.ts'
import type { ExceptionOutcome, ExceptionRef } from '#lib/reconciliation/exceptions.ts'
import { err, type Result } from '#lib/result.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { lockActiveMember } from '#server/people/person-store.ts'
import { findAdjustment, type LockedException, lockException, lockExceptionOf, openUnconfirmed, storeStep } from './exception-store.ts'

type OneException = { applicationId: string; actor: PersonCommandActor } & ExceptionRef
type Failure = 'not_found' | 'closed'
/** `subject`: as the exception names it, a transaction or a line. */
type Adjusted = { applicationId: string; actor: Pick<PersonCommandActor, 'id'>; subject: string; changeId: string }

function lock(trx: TrxClient, request: OneException): Promise<LockedException | undefined> {
  return 'exceptionId' in request
    ? lockException(trx, request.applicationId, request.exceptionId)
    : openUnconfirmed(trx, request.applicationId, request.transactionId)
}

/** The subject of the audit entry. A payment without a known outcome has no exception that people know by its id. */
function subjectOf({ class: name, exceptionId, transactionId }: LockedException): string {
  return name === 'unconfirmed' && transactionId !== null ? transactionId : exceptionId
}

/** Makes the actor the owner of an exception that nobody has. A second request of its owner changes nothing. `taken`: somebody else is. */
export function takeException(pool: Pool, request: OneException): Promise<Result<void, Failure | 'taken' | 'not_permitted'>> {
  const { applicationId, actor } = request
  return runCommand<void, Failure | 'taken'>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const found = await lock(trx, request)
    if (!found) return err('not_found')
    if (found.outcome !== null) return err('closed')
    if (found.ownerId === actor.id) return done(null)
    if (found.ownerId !== null) return err('taken')
    const { exceptionId } = found
    await storeStep(trx, { applicationId, exceptionId, event: 'taken', ownerId: actor.id, personId: actor.id, note: '' })
    return done({ action: 'exception.taken', subject: subjectOf(found), details: { class: found.class } })
  })
}

/**
 * Makes another person the owner, who can work on exceptions. Its owner does that, or who may reassign the exceptions of others.
 * `not_a_worker`: the other person is no active member with that permission.
 */
export function handOverException(
  pool: Pool,
  request: OneException & { personId: string; note: string },
): Promise<Result<void, Failure | 'not_owner' | 'not_a_worker' | 'not_permitted'>> {
  const { applicationId, actor, personId, note } = request
  return runCommand<void, Failure | 'not_owner' | 'not_a_worker'>(pool, { applicationId, actor }, 'exception:hand-over', async (trx) => {
    const found = await lock(trx, request)
    if (!found) return err('not_found')
    if (found.outcome !== null) return err('closed')
    if (found.ownerId !== actor.id && !mayAct(actor, applicationId, 'exception:reassign')) return err('not_owner')
    if (!can((await lockActiveMember(trx, applicationId, personId)) ?? [], 'reconciliation:work')) return err('not_a_worker')
    if (found.ownerId === personId) return done(null)
    const { exceptionId } = found
    await storeStep(trx, { applicationId, exceptionId, event: 'handed_over', ownerId: personId, personId: actor.id, note })
    return done({ action: 'exception.handed_over', subject: subjectOf(found), details: { class: found.class, to: personId, note } })
  })
}

/** Adds a note to an exception, which stays with it for good. */
export function noteOnException(pool: Pool, request: OneException & { note: string }): Promise<Result<void, Failure | 'not_permitted'>> {
  const { applicationId, actor, note } = request
  return runCommand<void, Failure>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const found = await lock(trx, request)
    if (!found) return err('not_found')
    if (found.outcome !== null) return err('closed')
    const { exceptionId } = found
    await storeStep(trx, { applicationId, exceptionId, event: 'noted', ownerId: found.ownerId, personId: actor.id, note })
    return done({ action: 'exception.noted', subject: subjectOf(found), details: { class: found.class, note } })
  })
}

/**
 * Closes an exception in the name of its owner, with a reason. `not_adjusted`: no adjustment of its transaction is confirmed; closing moves no
 * money, only the two people of an adjustment do.
 */
export function closeException(
  pool: Pool,
  {
    applicationId,
    actor,
    exceptionId,
    outcome,
    note,
  }: Pick<OneException, 'applicationId' | 'actor'> & {
    exceptionId: string
    outcome: Extract<ExceptionOutcome, 'explained' | 'adjusted'>
    note: string
  },
): Promise<Result<void, Failure | 'not_owner' | 'not_adjusted' | 'not_permitted'>> {
  return runCommand<void, Failure | 'not_owner' | 'not_adjusted'>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const found = await lockException(trx, applicationId, exceptionId)
    if (!found) return err('not_found')
    if (found.outcome !== null) return err('closed')
    if (found.ownerId !== actor.id) return err('not_owner')
    const { ledger, transactionId } = found
    const changeId =
      outcome === 'adjusted' && ledger !== null && transactionId !== null ? await findAdjustment(trx, ledger, transactionId) : undefined
    if (outcome === 'adjusted' && changeId === undefined) return err('not_adjusted')
    await storeStep(trx, { applicationId, exceptionId, event: 'closed', ownerId: actor.id, personId: actor.id, note, outcome, changeId })
    return done({ action: 'exception.closed', subject: exceptionId, details: { class: found.class, outcome, note } })
  })
}

/**
 * Closes the exception about a transaction or a line that two people have just adjusted, in their transaction, so that the alert ends with the
 * posting. Returns the act for the audit record, which the caller writes; undefined if no such exception is open.
 */
export async function closeAdjusted(
  trx: TrxClient,
  { applicationId, actor, subject, changeId }: Adjusted,
): Promise<{ action: 'exception.closed'; subject: string; details: Record<string, string> } | undefined> {
  const found = await lockExceptionOf(trx, applicationId, subject)
  if (!found) return undefined
  const { exceptionId, ownerId } = found
  await storeStep(trx, {
    applicationId,
    exceptionId,
    event: 'closed',
    ownerId,
    personId: actor.id,
    note: '',
    outcome: 'adjusted',
    changeId,
  })
  return { action: 'exception.closed', subject: exceptionId, details: { class: found.class, outcome: 'adjusted', changeId } }
}
