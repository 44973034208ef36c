import type { FundingAccount, FundingKind } from '#lib/approvals/proposed-change.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { FundedBalances } from '#server/ledger/ledger-store.ts'

type FundingOutcome = 'confirmed' | 'refused' | 'withdrawn'

type NewFunding = {
  applicationId: string
  fundingId: string
  kind: FundingKind
  operator: OperatorCode
  currency: Currency
  account: FundingAccount
  amountMinor: bigint
  reference: string
  referenceKey: string
  note: string
  attachment: { name: string; sha256: string } | null
  proposedBy: string
  lifetimeDays: number
}

/** Returns the outcome of a funding of this kind with the same reference that waits or was confirmed; undefined if there is none. */
export async function findReference(
  trx: Queryable,
  { applicationId, kind, referenceKey }: { applicationId: string; kind: FundingKind; referenceKey: string },
): Promise<'waiting' | 'confirmed' | undefined> {
  const { rows } = await trx.query<{ state: 'waiting' | 'confirmed' }>(
    `select case when outcome is null then 'waiting' else 'confirmed' end as state from fundings
      where application_id = $1 and kind = $2 and reference_key = $3
        and (outcome = 'confirmed' or (outcome is null and expires_at > now()))
      order by outcome nulls last limit 1`,
    [applicationId, kind, referenceKey],
  )
  return rows[0]?.state
}

export async function insertFundingRow(trx: Queryable, funding: NewFunding): Promise<void> {
  await trx.query(
    `insert into fundings (application_id, funding_id, kind, operator, currency, account, amount_minor, reference, reference_key, note,
         attachment_name, attachment_sha256, proposed_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, decode($12, 'hex'), $13, now() + make_interval(days => $14))`,
    [
      funding.applicationId,
      funding.fundingId,
      funding.kind,
      funding.operator,
      funding.currency,
      funding.account,
      funding.amountMinor,
      funding.reference,
      funding.referenceKey,
      funding.note,
      funding.attachment?.name ?? null,
      funding.attachment?.sha256 ?? null,
      funding.proposedBy,
      funding.lifetimeDays,
    ],
  )
}

export type StoredFunding = {
  fundingId: string
  kind: FundingKind
  operator: OperatorCode
  currency: Currency
  account: FundingAccount
  amountMinor: bigint
  reference: string
  proposedBy: string
  isOpen: boolean
}

const STORED = `funding_id as "fundingId", kind, operator, currency, account, amount_minor as "amountMinor", reference, proposed_by as "proposedBy"`

/** Returns a funding and locks its row until the transaction ends. */
export async function lockFunding(trx: Queryable, applicationId: string, fundingId: string): Promise<StoredFunding | undefined> {
  const { rows } = await trx.query<StoredFunding>(
    `select ${STORED}, outcome is null and expires_at > now() as "isOpen"
       from fundings where application_id = $1 and funding_id = $2 for update`,
    [applicationId, fundingId],
  )
  return rows[0]
}

type End = { applicationId: string; fundingId: string; outcome: FundingOutcome; decidedBy: string; reason: string }

/** Stores what became of a funding; with both balances before and after, if it was confirmed. */
export async function endFunding(trx: Queryable, end: End, balances?: { before: FundedBalances; after: FundedBalances }): Promise<void> {
  const { rowCount } = await trx.query(
    `update fundings set outcome = $3, decided_by = $4, decided_at = now(), reason = $5, collect_before_minor = $6, collect_after_minor = $7,
         deposit_before_minor = $8, deposit_after_minor = $9
      where application_id = $1 and funding_id = $2 and outcome is null`,
    [
      end.applicationId,
      end.fundingId,
      end.outcome,
      end.decidedBy,
      end.reason,
      balances?.before.collectMinor ?? null,
      balances?.after.collectMinor ?? null,
      balances?.before.depositMinor ?? null,
      balances?.after.depositMinor ?? null,
    ],
  )
  if (rowCount !== 1) throw new Error(`Funding ${end.fundingId} was decided under its lock`)
}

export type FundingRow = Omit<StoredFunding, 'isOpen'> & {
  note: string
  attachmentName: string | null
  attachmentSha256: string | null
  proposerName: string
  proposedAt: Date
  expiresAt: Date
  outcome: FundingOutcome | null
  isExpired: boolean
  decidedBy: string | null
  deciderName: string | null
  decidedAt: Date | null
  reason: string
  collectBeforeMinor: bigint | null
  collectAfterMinor: bigint | null
  depositBeforeMinor: bigint | null
  depositAfterMinor: bigint | null
  /** The balances now. */
  collectMinor: bigint
  depositMinor: bigint
}

/** Returns those that can be decided, then the others, each newest first. */
export async function selectFundings(queryable: Queryable, applicationId: string, countMax: number): Promise<FundingRow[]> {
  const { rows } = await queryable.query<FundingRow>(
    `select f.funding_id as "fundingId", f.kind, f.operator, f.currency, f.account, f.amount_minor as "amountMinor", f.reference, f.note,
            f.attachment_name as "attachmentName", encode(f.attachment_sha256, 'hex') as "attachmentSha256",
            f.proposed_by as "proposedBy", p.name as "proposerName", f.proposed_at as "proposedAt", f.expires_at as "expiresAt", f.outcome,
            f.outcome is null and f.expires_at <= now() as "isExpired", f.decided_by as "decidedBy", d.name as "deciderName",
            f.decided_at as "decidedAt", f.reason, f.collect_before_minor as "collectBeforeMinor", f.collect_after_minor as "collectAfterMinor",
            f.deposit_before_minor as "depositBeforeMinor", f.deposit_after_minor as "depositAfterMinor",
            coalesce(b.collect_minor, 0) as "collectMinor", coalesce(b.deposit_minor, 0) as "depositMinor"
       from fundings f join people p on p.person_id = f.proposed_by left join people d on d.person_id = f.decided_by
       left join ledger_balances b on b.application_id = f.application_id and b.operator = f.operator
      where f.application_id = $1
      order by f.outcome is null and f.expires_at > now() desc, f.proposed_at desc, f.funding_id limit $2`,
    [applicationId, countMax],
  )
  return rows
}
