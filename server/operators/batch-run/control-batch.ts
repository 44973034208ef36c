import { DENIED_AFTER_STOP_MESSAGE, STOPPED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { can } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { ChangedMeanwhileError, withTransaction } from '#server/database/with-transaction.ts'
import { type TransitionItem, transition, type Wake } from '#server/transactions/transition.ts'
import {
  type BatchRun,
  type BatchRunState,
  canRelease,
  lockWork,
  noteRunChange,
  pauseWork,
  queryInsteadOfSending,
  releaseRun,
  resumeWork,
  selectEndable,
  selectRun,
  selectStoppedWithWork,
  selectTimed,
  storeRun,
} from './batch-run-store.ts'

type Person = Extract<CommandActor, { kind: 'person' }>
type Deps = { pool: Pool; wake: Wake }
type Command = { applicationId: string; batchId: string; person: Person }

/** `not_yours`: a maker and another maker's batch, or a pause that somebody else started. */
export type BatchRunFailure = 'not_found' | 'not_yours' | 'not_running' | 'not_paused' | 'stopped' | 'nothing_left' | 'wrong_time'

/**
 * Rows of a batch that were not sent yet wait until somebody resumes it; what an operator may have goes on. Its maker, checkers and
 * administrators may pause it. Returns how many rows wait. A row whose call is in progress waits too if that call turns out not to have
 * been made.
 */
export function pauseBatch(deps: Deps, command: Command & { reason: string }): Promise<Result<{ count: number }, BatchRunFailure>> {
  const { applicationId, batchId } = command
  return change(deps, command, { state: 'paused' }, async (trx, run) => {
    // Paused until a time: now until a person resumes it.
    if (run.isTimed) return ok({ count: await pauseWork(trx, applicationId, batchId) })
    if (run.state !== 'running') return err(run.state === 'stopped' ? 'stopped' : 'not_running')
    return ok({ count: await pauseWork(trx, applicationId, batchId) })
  })
}

/**
 * Sends on what was paused. Checkers and administrators may, and the person who paused it; the maker may not overrule somebody else's
 * pause, even if they are a checker too, nor send what was approved for a later time. Returns how many rows are due.
 */
export async function resumeBatch(deps: Deps, command: Command): Promise<Result<{ count: number }, BatchRunFailure>> {
  const { applicationId, batchId, person } = command
  const resumed = await change(deps, command, { state: 'running' }, async (trx, run, open) => {
    if (run.state !== 'paused') return err(run.state === 'stopped' ? 'stopped' : 'not_paused')
    if (run.makerId === person.id && (run.changedBy !== person.id || (open > 0 && !run.isDue))) return err('not_yours')
    return ok({ count: await resumeWork(trx, applicationId, batchId) })
  })
  if (resumed.ok) deps.wake.operators()
  return resumed
}

/**
 * Changes the time at which a batch that is held is sent, to one within 30 days. The rights are those of `resumeBatch`; its maker may choose any
 * time until rows are approved, and later times after that. Returns how many rows wait for it.
 */
export function planBatch(deps: Deps, command: Command & { releaseAt: Date }): Promise<Result<{ count: number }, BatchRunFailure>> {
  const { person, releaseAt } = command
  return change(deps, command, { state: 'paused', releaseAt }, async (trx, run, open) => {
    if (run.state !== 'paused') return err(run.state === 'stopped' ? 'stopped' : 'not_paused')
    if (!(await canRelease(trx, releaseAt))) return err('wrong_time')
    const isEarlier = run.releaseAt !== null && releaseAt < run.releaseAt
    if (run.makerId === person.id && (run.changedBy !== person.id || (open > 0 && isEarlier))) return err('not_yours')
    return ok({ count: open })
  })
}

/**
 * Sends on the batches whose time has come: never before it, each once however many processes run this, and, after an outage, as soon as one
 * of them runs again. Each is one database transaction, so a process that dies has sent it on or not. Returns how many.
 */
export async function releaseTimedBatches(deps: Deps): Promise<number> {
  let released = 0
  for (const { applicationId, batchId } of await selectTimed(deps.pool)) {
    const result = await runRecorded<true, 'not_due'>(deps.pool, { applicationId, actor: SYSTEM_ACTOR }, async (trx) => {
      await lockCounters(trx, applicationId)
      const releaseAt = await releaseRun(trx, applicationId, batchId)
      if (!releaseAt) return err('not_due')
      await lockWork(trx, applicationId, batchId)
      const rows = await resumeWork(trx, applicationId, batchId)
      await noteRunChange(trx, applicationId)
      return done({ action: 'batch.released', subject: batchId, details: { rows, releaseAt: releaseAt.toISOString() } }, true)
    })
    if (result.ok) released++
  }
  if (released > 0) deps.wake.operators()
  return released
}

/**
 * Ends every row of a batch that was never sent as FAILED, with its hold released and a webhook. A row that was sent, or may have been, is
 * queried until the operator reports its result, and nothing of the batch is submitted again. It cannot be undone. The rows are locked
 * first, so a row is either stopped or sent. Returns how many rows ended; `endStoppedRows` ends what turns out not to have left, or not to
 * have arrived.
 */
export async function stopBatch(deps: Deps, command: Command & { reason: string }): Promise<Result<{ count: number }, BatchRunFailure>> {
  const { applicationId, batchId, person, reason } = command
  const stopped = await change(deps, command, { state: 'stopped' }, async (trx, run) => {
    if (run.state === 'stopped') return err('stopped')
    return ok({ count: await endStopped(trx, { applicationId, batchId, personId: person.id, reason }) })
  })
  if (stopped.ok) {
    deps.wake.webhooks()
    deps.wake.operators()
  }
  return stopped
}

/**
 * Ends rows of stopped batches that somebody stopped while they were being sent, and that did not leave this service or that the operator
 * denies; and those that were approved after the stop. Returns how many it ended.
 */
export async function endStoppedRows(deps: Deps): Promise<number> {
  let ended = 0
  for (const { applicationId, batchId, changedBy, reason } of await selectStoppedWithWork(deps.pool)) {
    const result = await withTransaction<number, never>(deps.pool, async (trx) => {
      await lockCounters(trx, applicationId)
      await lockWork(trx, applicationId, batchId)
      return ok(await endStopped(trx, { applicationId, batchId, personId: changedBy, reason }))
    })
    if (result.ok) ended += result.value
  }
  if (ended > 0) deps.wake.webhooks()
  return ended
}

/** Everything that the three commands have in common: locks, who may, the stored state and the audit entry. */
function change(
  { pool }: Deps,
  { applicationId, batchId, person, reason }: Command & { reason?: string },
  to: { state: BatchRunState; releaseAt?: Date },
  work: (trx: TrxClient, run: BatchRun, open: number) => Promise<Result<{ count: number }, BatchRunFailure>>,
): Promise<Result<{ count: number }, BatchRunFailure>> {
  return runRecorded<{ count: number }, BatchRunFailure>(pool, { applicationId, actor: person }, async (trx) => {
    await lockCounters(trx, applicationId)
    const run = await selectRun(trx, applicationId, batchId)
    if (!run) return err('not_found')
    if (!mayControl(person, applicationId, run)) return err('not_yours')
    // Stored before the rows are locked: an answer that waits for a lock then finds it.
    await storeRun(trx, { applicationId, batchId, ...to, changedBy: person.id, reason: reason ?? null })
    const open = await lockWork(trx, applicationId, batchId)
    if (open === 0 && run.state === 'running') return err('nothing_left')
    const worked = await work(trx, run, open)
    if (!worked.ok) return worked
    await noteRunChange(trx, applicationId)
    const at = to.releaseAt?.toISOString()
    const details = {
      rows: worked.value.count,
      ...(reason === undefined ? {} : { reason }),
      ...(at === undefined ? {} : { releaseAt: at }),
    }
    const action = at !== undefined ? 'batch.planned' : to.state === 'running' ? 'batch.resumed' : (`batch.${to.state}` as const)
    return done({ action, subject: batchId, details }, worked.value)
  })
}

/** The permission table says which roles; a maker without another of them only controls their own batches. */
function mayControl(person: Person, applicationId: string, run: BatchRun): boolean {
  if (person.applicationId !== applicationId || !can(person.roles, 'batch:control')) return false
  return run.makerId === person.id || person.roles.includes('checker') || person.roles.includes('administrator')
}

/** Leaves no row of a locked, stopped batch to be sent: each of them ends, or is queried. Returns how many ended. */
async function endStopped(
  trx: TrxClient,
  { applicationId, batchId, personId, reason }: { applicationId: string; batchId: string; personId: string; reason: string },
): Promise<number> {
  const rows = await selectEndable(trx, applicationId, batchId)
  const actor = { kind: 'person' as const, id: personId }
  const items = rows.map(({ id, isDenied }): TransitionItem => {
    const item = { applicationId, transactionId: id, reason, actor }
    // It was submitted, so it is not called stopped: a retry of the batch, or a second look at its failures, has to query the operator.
    return isDenied
      ? { ...item, event: 'failed', message: DENIED_AFTER_STOP_MESSAGE }
      : { ...item, event: 'stopped', message: STOPPED_MESSAGE }
  })
  if (items.length > 0) {
    const outcomes = await transition(trx, items)
    if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A stopped batch did not end all that it locked')
  }
  await queryInsteadOfSending(trx, applicationId, batchId)
  return items.length
}
