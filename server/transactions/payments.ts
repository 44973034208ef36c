import type { AmountLimits } from '#lib/operators/amount-limits.ts'
import { type PaymentContent, pickTexts } from '#lib/payments/payment-fields.ts'
import type { PaymentDraft } from '#lib/payments/payment-preview.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { paymentContentSchema, type SentPayment } from '#lib/schemas/payment.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { keepAttachment } from '#server/attachments/attach-file.ts'
import { findOwnAttachment } from '#server/attachments/attachment-store.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import type { StartProblem } from './find-start-problems.ts'
import { type DraftOwner, type DraftRow, removeDraft, selectDraft, selectDrafts, upsertDraft } from './payment-draft-store.ts'
import { type StartTransactionsDeps, startTransactions } from './start-transactions.ts'
import { type EndedPayment, findEndedPayment, findReplacement } from './transaction-store.ts'

type SendDeps = StartTransactionsDeps & {
  pool: Pool
  /** Queries the operator again about a payment that failed. Returns whether it may be paid again. */
  confirmFailure: (payment: EndedPayment) => Promise<boolean>
}

type SendCommand = {
  application: ApplicationSnapshot
  maker: Extract<CommandActor, { kind: 'person' }>
  payment: SentPayment
}

export type SendFailure =
  | 'attachment_differs'
  | 'too_many_attachments'
  | 'not_permitted'
  | 'application_disabled'
  | 'overloaded'
  | Exclude<StartProblem['kind'], 'external_id_repeated'>

/** `transactionId`: the one that was quicker to replace the origin. `limits`: what an amount outside of them should be. */
type SendRefusal = { code: SendFailure; transactionId?: string; limits?: AmountLimits }

/**
 * Starts one transaction of a maker, which waits for its checkers, and removes the draft it was. The same payment again returns the
 * transaction that it already is. A refusal of `origin_replaced` names the transaction that was quicker. Where it replaces a payment that failed
 * at an operator, the operator is queried about that one first.
 */
export async function sendPayment(
  deps: SendDeps,
  { application, maker, payment }: SendCommand,
): Promise<Result<{ transactionId: string; status: TransactionStatus }, SendRefusal>> {
  const { externalId, originId, type } = payment
  const { applicationId } = application
  if (originId !== null && !(await isOriginConfirmed(deps, applicationId, originId))) return err({ code: 'origin_unconfirmed' })
  const refused = await findAttachmentProblem(deps.pool, applicationId, maker, payment)
  if (refused) return err({ code: refused })
  const started = await startTransactions(deps, {
    application,
    type,
    source: 'person',
    actor: maker,
    ...(originId === null ? {} : { originId }),
    requests: [
      {
        externalId,
        transferMethod: payment.operator,
        countryName: payment.country,
        ...pickTexts(payment),
        phoneNumber: payment.phoneNumber,
        amount: payment.amount,
        // No program waits for the result of what a person sends.
        webhookUrl: null,
      },
    ],
  })
  if (!started.ok) return err(toFailure(started.error))
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') throw new Error('A single payment was started without a transaction')
  // Afterwards, because the transaction commits with those of others. If this is lost, no list shows the draft of a sent payment.
  await deleteDraft(deps.pool, { applicationId, personId: maker.id, externalId })
  return ok({ transactionId: outcome.transactionId, status: outcome.status })
}

/**
 * Why the payment does not have the file that its maker saw; null if it has, or if both have none. With the digest of the file of the payment
 * that it replaces, it has that one from now on: before the transaction starts, because its file never changes afterwards.
 */
async function findAttachmentProblem(
  pool: Pool,
  applicationId: string,
  maker: SendCommand['maker'],
  { externalId, originId, attachmentSha256: seen }: SentPayment,
): Promise<'attachment_differs' | 'too_many_attachments' | 'not_permitted' | null> {
  const digestOfOwn = async () => (await findOwnAttachment(pool, { applicationId, personId: maker.id, externalId }))?.sha256 ?? null
  const own = await digestOfOwn()
  if (own === seen) return null
  // A file of another window, or one that was removed meanwhile: the maker would send what they have not seen.
  if (own !== null || seen === null || originId === null) return 'attachment_differs'
  const kept = await keepAttachment(pool, { applicationId, actor: maker, externalId, transactionId: originId, sha256: seen })
  if (kept.ok) return null
  if (kept.error === 'not_permitted') return 'not_permitted'
  if (kept.error === 'too_many') return 'too_many_attachments'
  // The same request, arrived twice, may have been quicker.
  return (await digestOfOwn()) === seen ? null : 'attachment_differs'
}

/** Whether nothing speaks against paying in place of this one. One that is replaced already was confirmed then. */
async function isOriginConfirmed({ pool, confirmFailure }: SendDeps, applicationId: string, originId: string): Promise<boolean> {
  const ended = await findEndedPayment(pool, applicationId, originId)
  if (!ended?.wasSent || ended.isDoubted || (await findReplacement(pool, applicationId, originId))) return true
  return confirmFailure(ended)
}

type StartError = Extract<Awaited<ReturnType<typeof startTransactions>>, { ok: false }>['error']

function toFailure(error: StartError): SendRefusal {
  if (error.kind !== 'refused') return { code: error.kind }
  const [problem] = error.problems
  if (!problem || problem.kind === 'external_id_repeated') throw new Error('A single payment was refused without a reason')
  if (problem.kind === 'amount_out_of_limits') return { code: problem.kind, limits: problem }
  return problem.kind === 'origin_replaced' ? { code: problem.kind, transactionId: problem.transactionId } : { code: problem.kind }
}

/** More than a person has open at once, and few enough for one list. */
export const DRAFTS_MAX = 20

/** The drafts of a person in an application, the newest first. */
export async function listDrafts(queryable: Queryable, owner: DraftOwner): Promise<PaymentDraft[]> {
  return (await selectDrafts(queryable, owner)).flatMap((row) => toDraft(row) ?? [])
}

/** One draft of a person; undefined if there is none, or if it was saved by a version that knew other fields. */
export async function findDraft(queryable: Queryable, owner: DraftOwner, externalId: string): Promise<PaymentDraft | undefined> {
  const row = await selectDraft(queryable, owner, externalId)
  return row && toDraft(row)
}

/**
 * Stores what a person has typed so far, in place of what was stored under this identity. Not in the audit record: a draft moves nothing,
 * only its owner sees it, and what it becomes is recorded. Two windows at once may store one more than DRAFTS_MAX.
 */
export async function saveDraft(
  queryable: Queryable,
  draft: DraftOwner & { externalId: string; originId: string | null; content: PaymentContent },
): Promise<Result<null, 'too_many'>> {
  return (await upsertDraft(queryable, draft, DRAFTS_MAX)) ? ok(null) : err('too_many')
}

/** Removes one of a person's own drafts. */
export async function deleteDraft(queryable: Queryable, draft: DraftOwner & { externalId: string }): Promise<Result<null, 'not_found'>> {
  return (await removeDraft(queryable, draft, draft.externalId)) ? ok(null) : err('not_found')
}

function toDraft({ externalId, originId, content, savedAt }: DraftRow): PaymentDraft | undefined {
  const read = paymentContentSchema.safeParse(content)
  return read.success ? { externalId, originId, content: read.data, savedAt: savedAt.toISOString() } : undefined
}
