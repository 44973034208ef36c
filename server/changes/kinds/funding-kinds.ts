import { z } from 'zod'
import { referenceKey } from '#lib/approvals/proposed-change.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { err, ok } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { balancesAfter, covers, type FundingPosting, postFunding } from '#server/ledger/fundings.ts'
import { type FundedBalances, readFundedBalances } from '#server/ledger/ledger-store.ts'
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

type Funding = z.output<typeof move> & { account?: FundingPosting['account'] }

/** Money that moves when it is confirmed, as one posting that has the id of the change: it cannot be posted twice. */
function fundingKind<Payload extends Funding>(name: string, posting: FundingPosting['kind'], schema: z.ZodType<Payload>): ChangeKind {
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
      const present = (await readFundedBalances(queryable, applicationId, operator)) ?? { collectMinor: 0n, depositMinor: 0n }
      const { currency } = OPERATORS[operator].country
      const about = { operator, currency, ...(account && { account }), amountMinor, reference, note }
      const proof = { document: document?.name ?? null, documentSha256: document?.sha256 ?? null }
      return ok({
        before: { operator, ...texts(present) },
        after: { ...about, ...proof, ...texts(balancesAfter(present, postingOf(payload))) },
        obstacle: covers(present, postingOf(payload)) ? undefined : 'balance_too_low',
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

export const FUNDING_KINDS = {
  'funding.pay_in': fundingKind('funding.pay_in', 'fund', payIn),
  'funding.move': fundingKind('funding.move', 'move', move),
  'funding.correction': fundingKind('funding.correction', 'correct', correction),
}
