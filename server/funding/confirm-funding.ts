import type { FreshCodeRefusal } from '#lib/action-result.ts'
import { formatMinor } from '#lib/money.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { FundedBalances } from '#server/ledger/funding-queries.ts'
import { postFunding } from '#server/ledger/post-funding.ts'
import { checkFreshCode, type FreshCode } from '#server/people/fresh-code.ts'
import { endFunding, type StoredFunding } from './funding-store.ts'
import { type DecideFailure, lockOpenFunding } from './lock-open-funding.ts'
import { POSTINGS } from './postings.ts'

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
