import { z } from 'zod'
import { type ChangeFacts, referenceKey } from '#lib/approvals/proposed-change.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Queryable } from '#server/database/pool.ts'
import { balancesAfter, covers, type FundingPosting, postFunding } from '#server/ledger/fundings.ts'
import { type FundedBalances, readFundedBalances } from '#server/ledger/ledger-store.ts'
import { findMinimum, readBankAccount } from '#server/reconciliation/treasury/bank-store.ts'
import { bankAccountText } from '#server/reconciliation/treasury/treasury-terms.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'
import { isConfirmedBefore } from '../change-store.ts'

/** The file that proves a funding: it is stored elsewhere, its digest here. */
const document = z.strictObject({ name: text(200).min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) })
/** Amounts in hundredths, as decimal strings. */
const content = {
  operator: z.enum(OPERATOR_CODES),
  amountMinor: z.string().regex(/^[1-9]\d{0,11}$/),
  reference: text(100).refine((reference) => referenceKey(reference) !== ''),
  note: text(500),
}
const payIn = z.strictObject({ ...content, document })
/** Within the books: no document from outside exists for it. */
const move = z.strictObject({ ...content, document: document.nullable() })
/** A minus takes money away. */
const correction = z.strictObject({
  ...content,
  amountMinor: z.string().regex(/^-?[1-9]\d{0,11}$/),
  account: z.enum(['collect', 'deposit']),
  document,
})

/** To a bank account that two people added. */
const withdrawal = z.strictObject({
  ...content,
  account: z.enum(['collect', 'deposit']),
  bankAccountId: z.uuid(),
  document: document.nullable(),
})

type Funding = z.output<typeof move> & { account?: FundingPosting['account'] }
/** The facts that a kind adds to the difference, and why it cannot be confirmed now. */
type Terms = { facts: ChangeFacts; obstacle?: string | undefined }

/** Money that moves when it is confirmed, as one posting that has the id of the change: it cannot be posted twice. */
function fundingKind<Payload extends Funding>(
  name: string,
  posting: FundingPosting['kind'],
  schema: z.ZodType<Payload>,
  termsOf: (queryable: Queryable, applicationId: string, payload: Payload) => Promise<Result<Terms, string>> = async () =>
    ok({ facts: {} }),
): ChangeKind {
  const postingOf = ({ account = 'deposit', amountMinor }: Funding): FundingPosting => ({
    kind: posting,
    account,
    amountMinor: BigInt(amountMinor),
  })
  return defineKind<Payload, void>({
    schema,
    isRelative: true,
    subjectOf: ({ reference }) => referenceKey(reference),
    async read(queryable, applicationId, payload) {
      const { operator, account, amountMinor, reference, note, document }: Funding = payload
      if (await isConfirmedBefore(queryable, applicationId, name, referenceKey(reference))) return err('reference_booked')
      const terms = await termsOf(queryable, applicationId, payload)
      if (!terms.ok) return terms
      const present = (await readFundedBalances(queryable, applicationId, operator)) ?? { collectMinor: 0n, depositMinor: 0n }
      const { currency } = OPERATORS[operator].country
      const about = { operator, currency, ...(account && { account }), amountMinor, reference, note }
      const proof = { document: document?.name ?? null, documentSha256: document?.sha256 ?? null }
      return ok({
        before: { operator, ...texts(present) },
        after: { ...about, ...terms.value.facts, ...proof, ...texts(balancesAfter(present, postingOf(payload))) },
        obstacle: terms.value.obstacle ?? (covers(present, postingOf(payload)) ? undefined : 'balance_too_low'),
      })
    },
    async apply(trx, { applicationId, changeId, payload, actor }) {
      const { operator, amountMinor, reference } = payload
      const funding = { ...postingOf(payload), applicationId, operator, fundingId: changeId, actorId: actor.id, reason: reference }
      const posted = await postFunding(trx, funding)
      if (!posted.ok) return posted
      const details = { operator, currency: OPERATORS[operator].country.currency, amountMinor, reason: reference }
      await appendAudit(trx, { applicationId, actor, action: 'balance.funded', subject: changeId, details })
      return posted
    },
  })
}

function texts({ collectMinor, depositMinor }: FundedBalances) {
  return { collectMinor: String(collectMinor), depositMinor: String(depositMinor) }
}

/** A withdrawal goes to a bank account of the application, in its currency, and is not below the minimum. */
async function termsOfWithdrawal(
  queryable: Queryable,
  applicationId: string,
  { operator, bankAccountId, amountMinor }: z.output<typeof withdrawal>,
): Promise<Result<Terms, string>> {
  const account = await readBankAccount(queryable, applicationId, bankAccountId)
  if (!account) return err('unknown_bank_account')
  const { currency } = OPERATORS[operator].country
  const minimumMinor = await findMinimum(queryable, applicationId, currency)
  const obstacle = account.isRemoved
    ? 'bank_account_removed'
    : account.currency !== currency
      ? 'other_currency'
      : minimumMinor !== null && BigInt(amountMinor) < minimumMinor
        ? 'below_minimum'
        : undefined
  return ok({ facts: { bankAccount: bankAccountText(account) }, obstacle })
}

export const FUNDING_KINDS = {
  'funding.pay_in': fundingKind('funding.pay_in', 'fund', payIn),
  'funding.move': fundingKind('funding.move', 'move', move),
  'funding.correction': fundingKind('funding.correction', 'correct', correction),
  'funding.withdrawal': fundingKind('funding.withdrawal', 'withdraw', withdrawal, termsOfWithdrawal),
}
