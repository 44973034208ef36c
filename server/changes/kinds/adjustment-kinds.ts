import { z } from 'zod'
import type { ChangeFacts } from '#lib/approvals/proposed-change.ts'
import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { readTerms, runsInstallation } from '#server/applications/terms-store.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Queryable } from '#server/database/pool.ts'
import { coversAdjustment, postAdjustment } from '#server/ledger/adjustments.ts'
import { type AdjustedBalances, type AdjustmentRow, listAdjustments, readAdjustedBalances } from '#server/ledger/ledger-store.ts'
import { closeAdjusted } from '#server/reconciliation/exceptions/work-on-exception.ts'
import { findReversal } from '#server/reconciliation/reversals/reversal-store.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

/** `ledger`: the application whose books change; `evidence`: the line of the operator's statement, or what else proves it. */
const content = { ledger: z.uuid(), evidence: text(200).min(1), note: text(500) }
const ofTransaction = { ...content, transactionId: z.uuid() }
/** Amounts in hundredths, as decimal strings. */
const reverse = z.strictObject(ofTransaction)
const late = z.strictObject({ ...ofTransaction, waivesFees: z.boolean() })
/** A minus takes money away. */
const concede = z.strictObject({
  ...ofTransaction,
  account: z.enum(['collect', 'deposit']),
  amountMinor: z.string().regex(/^-?[1-9]\d{0,11}$/),
})
const feesOut = z.strictObject({ ...content, operator: z.enum(OPERATOR_CODES), amountMinor: z.string().regex(/^[1-9]\d{0,11}$/) })

type Payload = { ledger: string; evidence: string; note: string; transactionId?: string }
/** The posting of an adjustment, apart from the change itself. */
type Posting = Omit<AdjustmentRow, 'subjectId' | 'actorId' | 'reason' | 'change'>

/**
 * An adjustment: one posting in the books of any application, which the people of the installation agree on. A transaction has each kind at
 * most once; its status never changes, and no webhook is sent.
 */
function adjustmentKind<Own extends Payload & { [key: string]: string | boolean }>(
  kind: AdjustmentKind,
  schema: z.ZodType<Own>,
  subjectOf: (payload: Own) => string,
  postingOf: (queryable: Queryable, payload: Own) => Promise<Result<Posting, string>>,
): ChangeKind {
  return defineKind<Own, void>({
    schema,
    isRelative: true,
    ledgerOf: ({ ledger }) => ledger,
    subjectOf: (payload) => `${payload.ledger} ${subjectOf(payload)}`,
    async read(queryable, applicationId, payload) {
      if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
      const posting = await postingOf(queryable, payload)
      if (!posting.ok) return posting
      const { ledger, transactionId } = payload
      if (transactionId !== undefined && (await listAdjustments(queryable, ledger, [transactionId])).get(transactionId)?.includes(kind))
        return err('already_adjusted')
      if (transactionId !== undefined && (await isTakenBack(queryable, ledger, transactionId, kind))) return err('reversal_asked')
      const balances = await readAdjustedBalances(queryable, posting.value)
      const books = await readTerms(queryable, ledger)
      if (!balances || !books) return err('unknown_application')
      return ok({
        before: { operator: posting.value.operator, ...textsOf(balances.before) },
        after: { ledger: books.name, ...factsOf(posting.value), ...factsOfPayload(payload), ...textsOf(balances.after) },
        obstacle: coversAdjustment(kind, balances) ? undefined : 'balance_too_low',
      })
    },
    async apply(trx, { applicationId, changeId, payload, actor, proposedBy }) {
      const posting = await postingOf(trx, payload)
      if (!posting.ok) return posting
      const subjectId = payload.transactionId ?? changeId
      const change = { applicationId, changeId }
      const posted = await postAdjustment(trx, { ...posting.value, subjectId, actorId: actor.id, reason: payload.evidence, change })
      if (!posted.ok) return posted
      const { ledger, evidence, note, transactionId } = payload
      // The operator's act against our result is booked now. Before the audit entries, whose chains are held until the commit.
      const closed =
        transactionId !== undefined && (kind === 'late' || kind === 'reverse')
          ? await closeAdjusted(trx, { applicationId, actor, subject: `transaction ${ledger} ${transactionId}`, changeId })
          : undefined
      const { operator, currency, amountMinor } = posting.value
      const details = { kind, operator, currency, amountMinor: String(amountMinor), evidence, note, proposedBy, changeId }
      const adjusted = {
        action: 'ledger.adjusted',
        subject: subjectId,
        details: { ...details, actingApplicationId: applicationId, ledger },
      } as const
      // In both chains: that of the books, and that of the people.
      await appendAudit(trx, { applicationId: ledger, actor, ...adjusted })
      if (ledger !== applicationId) await appendAudit(trx, { applicationId, actor, ...adjusted })
      if (closed) await appendAudit(trx, { applicationId, actor, ...closed })
      return posted
    },
  })
}

/**
 * Whether the operator takes the payment back, or has: then its reversal is in the books already, or never was, and a success that came late is no longer
 * there.
 */
async function isTakenBack(queryable: Queryable, ledger: string, transactionId: string, kind: AdjustmentKind): Promise<boolean> {
  const reversal = kind === 'reverse' || kind === 'late' ? await findReversal(queryable, ledger, transactionId) : undefined
  return reversal !== undefined && reversal.state !== 'refused'
}

/** A posting about a transaction that ended as it must have for this kind. */
async function ofFinal(
  queryable: Queryable,
  { ledger, transactionId }: { ledger: string; transactionId: string },
  kind: AdjustmentKind,
  status: 'SUCCESS' | 'FAILED' | undefined,
): Promise<Result<Posting, string>> {
  const transaction = await findTransaction(queryable, ledger, transactionId)
  if (!transaction) return err('unknown_transaction')
  if (transaction.finalAt === null) return err('not_final')
  if (status !== undefined && transaction.status !== status) return err(status === 'SUCCESS' ? 'not_a_success' : 'not_a_failure')
  const { operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor } = transaction
  return ok({ applicationId: ledger, kind, operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor })
}

function factsOf({ operator, currency, amountMinor, feeSystemMinor, feeAppMinor }: Posting): ChangeFacts {
  return { operator, currency, amountMinor: String(amountMinor), feesMinor: String(feeSystemMinor + feeAppMinor) }
}

function factsOfPayload({ evidence, note, transactionId }: Payload): ChangeFacts {
  return { ...(transactionId !== undefined && { transactionId }), evidence, note }
}

function textsOf({ collectMinor, depositMinor, feesMinor }: AdjustedBalances): ChangeFacts {
  return { collectMinor: String(collectMinor), depositMinor: String(depositMinor), appFeesMinor: String(feesMinor) }
}

const NO_FEES = { feeSystemMinor: 0n, feeAppMinor: 0n }

export const ADJUSTMENT_KINDS = {
  'adjustment.reverse': adjustmentKind(
    'reverse',
    reverse,
    ({ transactionId }) => transactionId,
    (queryable, payload) => ofFinal(queryable, payload, 'reverse', 'SUCCESS'),
  ),
  'adjustment.late': adjustmentKind(
    'late',
    late,
    ({ transactionId }) => transactionId,
    async (queryable, payload) => {
      const posting = await ofFinal(queryable, payload, 'late', 'FAILED')
      return posting.ok && payload.waivesFees ? ok({ ...posting.value, ...NO_FEES }) : posting
    },
  ),
  'adjustment.concede': adjustmentKind(
    'concede',
    concede,
    ({ transactionId }) => transactionId,
    async (queryable, payload) => {
      const posting = await ofFinal(queryable, payload, 'concede', undefined)
      if (!posting.ok) return posting
      const type = payload.account === 'collect' ? 'COLLECT' : 'DEPOSIT'
      return ok({ ...posting.value, ...NO_FEES, type, amountMinor: BigInt(payload.amountMinor) })
    },
  ),
  'adjustment.fees_out': adjustmentKind(
    'fees_out',
    feesOut,
    ({ operator }) => operator,
    async (_, { ledger, operator, amountMinor }) => {
      const { currency } = OPERATORS[operator].country
      return ok({
        applicationId: ledger,
        kind: 'fees_out',
        operator,
        currency,
        type: 'COLLECT',
        amountMinor: BigInt(amountMinor),
        ...NO_FEES,
      })
    },
  ),
}
