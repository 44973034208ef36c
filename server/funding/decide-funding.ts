import { formatMinor } from '#lib/money/money.ts'
import { can, type Permission } from '#lib/people/permissions.ts'
import { err, type FreshCodeRefusal, ok, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import type { Clock } from '#lib/time/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { postFunding } from '#server/ledger/fundings.ts'
import type { FundedBalances } from '#server/ledger/ledger-store.ts'
import { lockActiveMember } from '#server/people/person-store.ts'
import { checkFreshCode, type FreshCode } from '#server/people/second-factor.ts'
import { endFunding, lockFunding, type StoredFunding } from './funding-store.ts'
import { POSTINGS } from './propose-funding.ts'

type DecideFailure =
  | 'not_found'
  | 'not_permitted'
  /** It was confirmed, refused or withdrawn, or has expired. */
  | 'not_open'
  | 'own_proposal'

/** Locks a funding that can still be decided, for a person who may decide it at this moment. Says whether its proposer may still propose it. */
async function lockOpenFunding(
  trx: TrxClient,
  { applicationId, fundingId, actor }: { applicationId: string; fundingId: string; actor: PersonCommandActor },
): Promise<Result<StoredFunding & { isProposerGone: boolean }, DecideFailure>> {
  if (!mayAct(actor, applicationId, 'funding:decide')) return err('not_permitted')
  const stored = await lockFunding(trx, applicationId, fundingId)
  if (!stored) return err('not_found')
  if (!stored.isOpen) return err('not_open')
  if (stored.proposedBy === actor.id) return err('own_proposal')
  // Read again and kept until the end of the transaction: a role that is taken away meanwhile moves no money.
  const mayStill = async (personId: string, permission: Permission) =>
    can((await lockActiveMember(trx, applicationId, personId)) ?? [], permission)
  if (!(await mayStill(actor.id, 'funding:decide'))) return err('not_permitted')
  return ok({ ...stored, isProposerGone: !(await mayStill(stored.proposedBy, 'funding:propose')) })
}

type ConfirmFailure =
  | DecideFailure
  | FreshCodeRefusal
  /** A balance would fall below zero. The funding still waits. */
  | 'balance_too_low'
  /** Its proposer was blocked or lost the role: only one present person would answer for it. It can be refused. */
  | 'proposer_gone'

/** `code`: a current one-time code, where the application requires the second factor. */
type ConfirmFunding = { applicationId: string; fundingId: string; code?: string | undefined; actor: PersonCommandActor }

/**
 * Confirms a funding that somebody else proposed, and posts it in the same database transaction: it is either posted and recorded, or
 * neither. The posting has the funding's id, so that it cannot be posted twice. A code is used up even if the confirmation is then refused.
 */
export async function confirmFunding(deps: { pool: Pool; clock: Clock }, command: ConfirmFunding): Promise<Result<void, ConfirmFailure>> {
  const { applicationId, fundingId, code, actor } = command
  if (!mayAct(actor, applicationId, 'funding:decide')) return err('not_permitted')
  const checked = await checkFreshCode(deps, { applicationId, personId: actor.id, code })
  if (!checked.ok) return checked
  const { withCode } = checked.value
  return withTransaction<void, ConfirmFailure>(deps.pool, async (trx) => {
    const locked = await lockOpenFunding(trx, command)
    if (!locked.ok) return locked
    if (locked.value.isProposerGone) return err('proposer_gone')
    const { kind, operator, account, amountMinor, reference } = locked.value
    const posted = await postFunding(trx, {
      applicationId,
      operator,
      kind: POSTINGS[kind],
      account,
      amountMinor,
      fundingId,
      actorId: actor.id,
      reason: reference,
    })
    if (!posted.ok) {
      if (posted.error === 'balance_too_low') return err('balance_too_low')
      throw new Error(`Funding ${fundingId} waits and cannot be posted: ${posted.error}`)
    }
    await endFunding(trx, { applicationId, fundingId, outcome: 'confirmed', decidedBy: actor.id, reason: '' }, posted.value)
    await recordConfirmation(trx, { ...command, withCode }, locked.value, posted.value)
    return ok(undefined)
  })
}

async function recordConfirmation(
  trx: TrxClient,
  { applicationId, fundingId, withCode, actor }: ConfirmFunding & FreshCode,
  { kind, operator, currency, account, amountMinor, reference, proposedBy }: StoredFunding,
  { before, after }: { before: FundedBalances; after: FundedBalances },
): Promise<void> {
  const figures = ({ collectMinor, depositMinor }: FundedBalances) => ({
    collect: formatMinor(collectMinor),
    deposit: formatMinor(depositMinor),
  })
  await appendAudit(trx, {
    applicationId,
    actor,
    action: 'funding.confirmed',
    subject: fundingId,
    details: {
      kind,
      operator,
      account,
      amount: formatMinor(amountMinor),
      currency,
      reference,
      proposedBy,
      ...withCode,
      before: figures(before),
      after: figures(after),
    },
  })
}

/** Refuses a funding that somebody else proposed. `reason`: 1 to 500 characters, shown to the proposer. */
export async function refuseFunding(
  pool: Pool,
  command: { applicationId: string; fundingId: string; reason: string; actor: PersonCommandActor },
): Promise<Result<void, DecideFailure | 'invalid_reason'>> {
  const { applicationId, fundingId, actor } = command
  const reason = command.reason.trim()
  if (reason.length < 1 || reason.length > 500 || !isCleanText(reason)) return err('invalid_reason')
  return withTransaction<void, DecideFailure>(pool, async (trx) => {
    const locked = await lockOpenFunding(trx, command)
    if (!locked.ok) return locked
    await endFunding(trx, { applicationId, fundingId, outcome: 'refused', decidedBy: actor.id, reason })
    const { kind, operator, reference, proposedBy } = locked.value
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'funding.refused',
      subject: fundingId,
      details: { kind, operator, reference, proposedBy, reason },
    })
    return ok(undefined)
  })
}

/** Takes back an own funding that nobody has decided. The person may meanwhile have lost the role: withdrawing moves nothing. */
export async function withdrawFunding(
  pool: Pool,
  command: { applicationId: string; fundingId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_found' | 'not_open'>> {
  const { applicationId, fundingId, actor } = command
  if (actor.applicationId !== applicationId) return err('not_found')
  return withTransaction<void, 'not_found' | 'not_open'>(pool, async (trx) => {
    const stored = await lockFunding(trx, applicationId, fundingId)
    if (!stored || stored.proposedBy !== actor.id) return err('not_found')
    if (!stored.isOpen) return err('not_open')
    await endFunding(trx, { applicationId, fundingId, outcome: 'withdrawn', decidedBy: actor.id, reason: '' })
    const { kind, operator, reference } = stored
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'funding.withdrawn',
      subject: fundingId,
      details: { kind, operator, reference },
    })
    return ok(undefined)
  })
}
