import type { FundingDto } from '#lib/approvals/proposed-change.ts'
import { formatMinor } from '#lib/money/money.ts'
import { can } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { balancesAfter, covers, type FundingPosting } from '#server/ledger/fundings.ts'
import type { FundedBalances } from '#server/ledger/ledger-store.ts'
import { type FundingRow, selectFundings } from './funding-store.ts'
import { POSTINGS } from './propose-funding.ts'

/** The list of a page: those that wait, and what was decided lately. */
const LISTED_MAX = 100

/** Returns the fundings that wait, then the newest others, each with what this person may do with it. */
export async function listFundings(
  pool: Pool,
  { applicationId, actor }: { applicationId: string; actor: PersonCommandActor },
): Promise<FundingDto[]> {
  const rows = await selectFundings(pool, applicationId, LISTED_MAX)
  return rows.map((row) => toDto(row, actor))
}

function toDto(row: FundingRow, actor: PersonCommandActor): FundingDto {
  const { fundingId, kind, operator, currency, account, reference, note, reason, attachmentName, attachmentSha256 } = row
  const posting: FundingPosting = { kind: POSTINGS[kind], account, amountMinor: row.amountMinor }
  const state = row.outcome ?? (row.isExpired ? 'expired' : 'open')
  return {
    fundingId,
    kind,
    operator,
    currency,
    account,
    amount: formatMinor(row.amountMinor),
    reference,
    note,
    attachment: attachmentName !== null && attachmentSha256 !== null ? { name: attachmentName, sha256: attachmentSha256 } : null,
    state,
    proposedBy: { personId: row.proposedBy, name: row.proposerName },
    proposedAt: row.proposedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    decidedBy: row.decidedBy === null ? null : { personId: row.decidedBy, name: row.deciderName ?? '' },
    decidedAt: row.decidedAt?.toISOString() ?? null,
    reason,
    steps: stepsOf(row, posting),
    isCovered: covers(row, posting),
    mayDecide: mayDecide(row, actor),
  }
}

/** Only the balances that change. */
function stepsOf(row: FundingRow, posting: FundingPosting): FundingDto['steps'] {
  const pair = balancesOf(row, posting)
  if (!pair) return []
  return (['collect', 'deposit'] as const).flatMap((account) => {
    const [before, after] = [pair.before[`${account}Minor`], pair.after[`${account}Minor`]]
    return before === after ? [] : [{ account, before: formatMinor(before), after: formatMinor(after) }]
  })
}

function balancesOf(row: FundingRow, posting: FundingPosting): { before: FundedBalances; after: FundedBalances } | undefined {
  if (row.outcome === null) return row.isExpired ? undefined : { before: row, after: balancesAfter(row, posting) }
  const { collectBeforeMinor, collectAfterMinor, depositBeforeMinor, depositAfterMinor } = row
  if (collectBeforeMinor === null || collectAfterMinor === null || depositBeforeMinor === null || depositAfterMinor === null)
    return undefined
  return {
    before: { collectMinor: collectBeforeMinor, depositMinor: depositBeforeMinor },
    after: { collectMinor: collectAfterMinor, depositMinor: depositAfterMinor },
  }
}

function mayDecide(row: FundingRow, actor: PersonCommandActor): FundingDto['mayDecide'] {
  if (row.outcome !== null || row.isExpired) return 'decided'
  if (row.proposedBy === actor.id) return 'own_proposal'
  return can(actor.roles, 'funding:decide') ? true : 'not_permitted'
}
