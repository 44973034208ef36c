import { setTimeout as delay } from 'node:timers/promises'
import type { DecidedResult } from '#lib/approvals/approvals.ts'
import { err, ok } from '#lib/result.ts'
import { recordAct } from '#server/audit/run-command.ts'
import { runWithCallerAddress } from '#server/caller-address.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { noteChange } from '../approval-store.ts'
import { type DecideManyDeps, decideMany } from '../decide.ts'
import { decideBatch } from '../decide-batch.ts'
import { actOf } from './intend.ts'
import { type DueIntention, endIntention, hasDecidedBatch, type IntentionResult, lockDue } from './intention-store.ts'

/** An intention that is later than this was delayed by an outage, and a person looks again before money moves. */
const LATE_MS_MAX = 15 * 60_000
/** How many are carried out at once; each keeps one connection while its command uses another. */
const CONCURRENCY = 2
const POLL_MS = 1_000
const DRAIN_MS = 5_000

type Deps = DecideManyDeps

/**
 * Carries out one intended decision that is due, by the command that a person's decision would have called, with all its checks of now. Returns
 * whether there was one. The row stays locked until its end is stored: no other process takes it, nobody undoes it, and if this process dies
 * it is due again. What was decided before that counts as carried out.
 */
export async function carryOutNext(deps: Deps): Promise<boolean> {
  const carried = await withTransaction<DueIntention & { result: IntentionResult }, 'none'>(deps.pool, async (trx) => {
    const due = await lockDue(trx)
    if (!due) return err('none')
    const result = await runWithCallerAddress(due.address ?? undefined, () => carryOut(deps, due))
    await endIntention(trx, due, result)
    await lockCounters(trx, due.applicationId)
    await noteChange(trx, due.applicationId)
    return ok({ ...due, result })
  })
  if (!carried.ok) return false
  const { applicationId, intentionId, personId, result } = carried.value
  if (result.refusal !== null || result.refused.length > 0) {
    const { batchId, command } = carried.value
    const about = batchId === null ? { transactionIds: command.items.map((item) => item.transactionId) } : { batchId }
    await recordAct(
      deps.pool,
      { applicationId, actor: { kind: 'person', id: personId } },
      {
        action: 'approvals.not_carried_out',
        ...actOf(about, intentionId),
        details: { reason: result.refusal ?? result.refused[0]?.reason ?? '', count: result.refused.length },
      },
    )
  }
  return true
}

async function carryOut(deps: Deps, due: DueIntention): Promise<IntentionResult> {
  const { applicationId, personId, hasSecondFactor } = due
  if (!due.mayAct) return notCarriedOut('session_ended')
  if (due.lateMs > LATE_MS_MAX) return notCarriedOut('too_late')
  const checker = { applicationId, id: personId, hasSecondFactor }
  const ground = { checker, decision: 'validated' as const, verifiedDigest: due.codeDigest ?? undefined }
  if (due.batchId === null) {
    const decided = await decideMany(deps, { ...ground, ...due.command })
    if (!decided.ok) return notCarriedOut(decided.error)
    const refused = decided.value.flatMap((result) => refusedOf(result, personId))
    return { refusal: null, refused, stillWaiting: decided.value.filter((result) => isStillWaiting(result, personId)).length }
  }
  const { shownAt, ...command } = due.command
  const decided = await decideBatch(deps, { ...ground, ...command, batchId: due.batchId, shownAt: new Date(shownAt) }).catch(
    (error: unknown) => {
      reportUnexpected('approvals: carry out', error, { applicationId, batchId: due.batchId, message: 'A decision failed unexpectedly' })
      return err('unexpected' as const)
    },
  )
  if (decided.ok && decided.value.kind === 'done') return { refusal: null, refused: [], stillWaiting: decided.value.waiting }
  const own = { applicationId, batchId: due.batchId, personId, since: due.createdAt }
  if (await hasDecidedBatch(deps.pool, own)) return { refusal: null, refused: [], stillWaiting: due.stillWaiting }
  if (decided.ok) return notCarriedOut('changed')
  return notCarriedOut(decided.error === 'not_found' ? 'not_waiting' : decided.error)
}

function notCarriedOut(refusal: NonNullable<IntentionResult['refusal']>): IntentionResult {
  return { refusal, refused: [], stillWaiting: 0 }
}

function refusedOf(result: DecidedResult, personId: string): IntentionResult['refused'] {
  if (result.kind !== 'refused' || isDecidedBy(result, personId)) return []
  return [{ transactionId: result.transactionId, reason: result.reason }]
}

/** Refused because this person decided before: by a process that died after it, or in another window. Either way it is what they wanted. */
function isDecidedBy({ now }: Extract<DecidedResult, { kind: 'refused' }>, personId: string): boolean {
  return now?.decisions.some((one) => one.checkerId === personId && one.decision === 'validated') ?? false
}

/** Validated by this person, and more approvals are needed. */
function isStillWaiting(result: DecidedResult, personId: string): boolean {
  if (result.kind === 'done') return result.status === 'PENDING_APPROVAL'
  return isDecidedBy(result, personId) && result.now?.status === 'PENDING_APPROVAL'
}

type IntentionLoop = { drain(): Promise<void> }

/** Carries out what is due, in any number of processes. What fails unexpectedly is reported and stays due. */
export function startIntentionLoop(deps: Deps, { pollMs = POLL_MS }: { pollMs?: number } = {}): IntentionLoop {
  const stopping = new AbortController()
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wasDue = await carryOutNext(deps).catch((error: unknown) => {
        reportUnexpected('approvals: carry out', error, { message: 'An intended decision could not be carried out; it is tried again' })
        return false
      })
      // biome-ignore lint/plugin/no-silent-error: the pause only ends early, and never fails.
      if (!wasDue) await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const workers = Promise.all(Array.from({ length: CONCURRENCY }, work))
  return {
    async drain() {
      stopping.abort()
      await Promise.race([workers, delay(DRAIN_MS, undefined, { ref: false })])
    },
  }
}
