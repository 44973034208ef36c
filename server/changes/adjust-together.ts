import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { CHANGE_PERMISSIONS } from '#lib/approvals/proposed-change.ts'
import { err, type FreshProofRefusal, ok, type Result } from '#lib/result.ts'
import type { exceptionInputs } from '#lib/schemas/exceptions.ts'
import type { Clock } from '#lib/time/time.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkFreshProof, type FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { lockException } from '#server/reconciliation/exceptions/exception-store.ts'
import { listOfBatch } from './change-store.ts'
import { type ConfirmFailure, confirmProven } from './decide-change.ts'
import { KINDS } from './kinds.ts'
import { type ProposeFailure, storeProposal } from './propose-change.ts'

type Adjustments = z.output<typeof exceptionInputs.adjust>
/** `exceptionId`: which of them was refused. */
type TogetherFailure = 'not_permitted' | { exceptionId: string; failure: ProposeFailure | 'no_exception' }

/**
 * Proposes one adjustment of a kind for each of several exceptions, with the same evidence: all of them or, where one is refused, none. Each is a proposal
 * and a posting of its own.
 */
export async function proposeTogether(
  pool: Pool,
  { applicationId, actor, adjustments }: { applicationId: string; actor: PersonCommandActor; adjustments: Adjustments },
): Promise<Result<{ batchId: string }, TogetherFailure>> {
  const { kind, exceptionIds, evidence, note, waivesFees } = adjustments
  if (!mayAct(actor, applicationId, CHANGE_PERMISSIONS[kind].propose)) return err('not_permitted')
  const batchId = randomUUID()
  return withTransaction<{ batchId: string }, TogetherFailure>(pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('not_permitted')
    // In one order for everybody, and before the audit record, whose lock every step of an exception takes last.
    const found = new Map<string, { ledger: string; transactionId: string }>()
    for (const exceptionId of exceptionIds.toSorted()) {
      const locked = await lockException(trx, applicationId, exceptionId)
      if (!locked || locked.outcome !== null || locked.ledger === null || locked.transactionId === null)
        return err({ exceptionId, failure: 'no_exception' })
      found.set(exceptionId, { ledger: locked.ledger, transactionId: locked.transactionId })
    }
    for (const [exceptionId, of] of found) {
      const bound = KINDS[kind].bind({ ...of, evidence, note, ...(kind === 'adjustment.late' && { waivesFees }) })
      if (!bound.ok) return err({ exceptionId, failure: bound.error })
      const proposal = { applicationId, kind, changeId: randomUUID(), proposedBy: actor.id, actor, batchId }
      const stored = await storeProposal(trx, proposal, bound.value)
      if (!stored.ok) return err({ exceptionId, failure: stored.error })
    }
    return ok({ batchId })
  })
}

/** `refused`: why the first of those that still wait was not confirmed; null if none waits. */
type ConfirmedTogether = { confirmed: number; refused: ConfirmFailure | null }

/**
 * Confirms the changes that somebody else proposed together and that still wait, with one proof. Each is confirmed in a transaction of its own, so
 * one that can no longer be confirmed delays no other, and those before it stay confirmed.
 */
export async function confirmTogether(
  deps: { pool: Pool; clock: Clock },
  {
    applicationId,
    batchId,
    actor,
    proof,
  }: { applicationId: string; batchId: string; actor: PersonCommandActor; proof?: FreshProof | undefined },
): Promise<Result<ConfirmedTogether, ConfirmFailure | FreshProofRefusal>> {
  if (actor.applicationId !== applicationId) return err('not_found')
  const changes = await listOfBatch(deps.pool, applicationId, batchId)
  if (changes.length === 0) return err('not_found')
  const waiting = changes.filter(({ isOpen }) => isOpen)
  if (waiting.length === 0) return err('not_open')
  const checked = await checkFreshProof(deps, { applicationIds: [applicationId], personId: actor.id, proof })
  if (!checked.ok) return checked
  let confirmed = 0
  let refused: ConfirmedTogether['refused'] = null
  for (const { changeId } of waiting) {
    const result = await confirmProven(deps.pool, { applicationId, changeId, actor }, checked.value)
    if (result.ok) confirmed++
    // Somebody decided about it meanwhile.
    else if (result.error !== 'not_open') refused ??= result.error
  }
  return confirmed === 0 && refused !== null ? err(refused) : ok({ confirmed, refused })
}
