import { randomUUID } from 'node:crypto'
import { FUNDING_LIFETIME_DAYS, type FundingKind, referenceKey } from '#lib/approvals/proposed-change.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { can } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Funding } from '#lib/schemas/proposal.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { covers, type FundingPosting } from '#server/ledger/fundings.ts'
import { readFundedBalances } from '#server/ledger/ledger-store.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { findReference, insertFundingRow } from './funding-store.ts'

type ProposeFailure =
  | 'not_permitted'
  | 'unknown_application'
  /** Nobody else may confirm it: the machine's administrator has to make it. */
  | 'no_second_person'
  /** A funding of this kind with the same reference waits. */
  | 'reference_waiting'
  /** A funding of this kind with the same reference was confirmed. */
  | 'reference_booked'
  /** A balance would fall below zero. */
  | 'balance_too_low'

type ProposeFunding = { applicationId: string; funding: Funding; actor: PersonCommandActor }

/**
 * Proposes a funding. No money moves until another person confirms it, within seven days. An amount that the balances do not cover is
 * refused here and again when it is confirmed; in between nothing is held for it.
 */
export async function proposeFunding(pool: Pool, command: ProposeFunding): Promise<Result<{ fundingId: string }, ProposeFailure>> {
  const { applicationId, actor, funding } = command
  if (!mayAct(actor, applicationId, 'funding:propose')) return err('not_permitted')
  return withTransaction<{ fundingId: string }, ProposeFailure>(pool, async (trx) => {
    // So that one reference is proposed once.
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const members = await listActiveMembers(trx, applicationId)
    if (!members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'funding:decide'))) return err('no_second_person')
    const key = referenceKey(funding.reference)
    const earlier = await findReference(trx, { applicationId, kind: funding.kind, referenceKey: key })
    if (earlier) return err(earlier === 'waiting' ? 'reference_waiting' : 'reference_booked')
    if (!(await isCovered(trx, command))) return err('balance_too_low')
    const fundingId = randomUUID()
    await store(trx, command, { fundingId, key })
    return ok({ fundingId })
  })
}

async function isCovered(trx: TrxClient, { applicationId, funding }: ProposeFunding): Promise<boolean> {
  const { operator, kind, account, amount } = funding
  const balances = (await readFundedBalances(trx, applicationId, operator)) ?? { collectMinor: 0n, depositMinor: 0n }
  return covers(balances, { kind: POSTINGS[kind], account, amountMinor: amount })
}

async function store(
  trx: TrxClient,
  { applicationId, funding, actor }: ProposeFunding,
  { fundingId, key }: { fundingId: string; key: string },
): Promise<void> {
  const { kind, operator, account, amount, reference, note, attachment } = funding
  const { currency } = OPERATORS[operator].country
  await insertFundingRow(trx, {
    applicationId,
    fundingId,
    kind,
    operator,
    currency,
    account,
    amountMinor: amount,
    reference,
    referenceKey: key,
    note,
    attachment,
    proposedBy: actor.id,
    lifetimeDays: FUNDING_LIFETIME_DAYS,
  })
  await appendAudit(trx, {
    applicationId,
    actor,
    action: 'funding.proposed',
    subject: fundingId,
    details: {
      kind,
      operator,
      account,
      amount: formatMinor(amount),
      currency,
      reference,
      note,
      attachmentName: attachment?.name ?? null,
      attachmentSha256: attachment?.sha256 ?? null,
    },
  })
}

/** The kind of posting of each kind of funding. */
export const POSTINGS = { pay_in: 'fund', move: 'move', correction: 'correct' } as const satisfies Record<
  FundingKind,
  FundingPosting['kind']
>
