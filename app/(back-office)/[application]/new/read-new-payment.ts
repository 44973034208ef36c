import type { OwnTransaction } from '#lib/finance/finance-dto.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { COUNTRIES, OPERATORS } from '#lib/operators/operators.ts'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import { EMPTY_PAYMENT, type PaymentContent, pickTexts } from '#lib/payments/payment-fields.ts'
import type { Payee, PaymentDraft } from '#lib/payments/payment-preview.ts'
import { countryOfPhone } from '#lib/payments/phone-number.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { isReplaceableEnd, type ReplaceableEnd } from '#lib/payments/transactions/transaction-status.ts'
import { findOwnAttachment } from '#server/attachments/attachment-store.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import type { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listDisturbed } from '#server/operators/availability/disturbed.ts'
import { suggestPayees } from '#server/reports/customers/suggest-payees.ts'
import { readReturned } from '#server/reports/overview/read-overview.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { findDraft, listDrafts } from '#server/transactions/payments.ts'
import { findByExternalIds } from '#server/transactions/transaction-store.ts'

/** Of one number: it may have had several names. */
const KNOWN_MAX = 5

/** A transaction that is to be edited and sent again, and whether that is possible now. */
export type Origin = Pick<TransactionDetailDto, 'transactionId' | 'replacedBy' | 'isReplaceable' | 'refundOf'> & {
  /** It still waits and this person started it: it can be recalled first. */
  isRecallable: boolean
  /** How it ended, by whom and why. */
  end: { event: ReplaceableEnd; by: string | null; reason: string | null } | null
}

export type NewPaymentState = {
  sent: TransactionDetailDto | null
  origin: Origin | null
  initial: PaymentContent
  /** The file that this person attached already. */
  attachment: AttachmentDto | null
  /** The file of the payment that this one replaces, which it can keep; null once it has one of its own. */
  earlierAttachment: AttachmentDto | null
  isDraft: boolean
  drafts: readonly PaymentDraft[]
  returned: readonly OwnTransaction[]
  /** Operators that do not work as usual, marked before one is chosen. */
  disturbed: readonly DisturbedDirection[]
}

/** Reads the initial values of the form: the transaction already started, a draft, the transaction to replace, a known customer, or nothing. */
export async function readNewPayment(
  { pool, clock }: Pick<ReturnType<typeof backOfficeRuntime>, 'pool' | 'clock'>,
  actor: BackOfficeActor,
  externalId: string,
  { from, to }: { from: string | null; to: string | null },
): Promise<NewPaymentState> {
  const { applicationId, id } = actor
  const owner = { applicationId, personId: id }
  const [stored, draft, drafts, returned, disturbed, attachment] = await Promise.all([
    findByExternalIds(pool, applicationId, [externalId]),
    findDraft(pool, owner, externalId),
    listDrafts(pool, owner),
    readReturned(pool, actor, clock.now()),
    listDisturbed(pool, applicationId),
    findOwnAttachment(pool, { ...owner, externalId }),
  ])
  const originId = draft?.originId ?? from
  const [sent, replaced, known] = await Promise.all([
    stored[0] ? readTransactionDetail(pool, applicationId, stored[0].transactionId) : undefined,
    originId === null ? undefined : readTransactionDetail(pool, applicationId, originId),
    to === null ? [] : suggestPayees(pool, applicationId, { typed: to, type: 'DEPOSIT' }, KNOWN_MAX),
  ])
  const origin = replaced ? toOrigin(replaced, replaced.makerId === id) : null
  return {
    sent: sent ?? null,
    origin,
    initial: draft?.content ?? (replaced ? contentOf(replaced) : contentFor(known.find(({ phoneNumber }) => phoneNumber === to))),
    attachment: attachment ?? null,
    // After its retention there is nothing to keep.
    earlierAttachment: !attachment && replaced?.attachment?.isKept ? replaced.attachment : null,
    isDraft: draft !== undefined,
    drafts: drafts.filter((each) => each.externalId !== externalId),
    returned: returned.filter((each) => each.transactionId !== originId),
    disturbed,
  }
}

function toOrigin(detail: TransactionDetailDto, isOwn: boolean): Origin {
  const last = detail.events.at(-1)
  return {
    transactionId: detail.transactionId,
    replacedBy: detail.replacedBy,
    isReplaceable: detail.isReplaceable,
    refundOf: detail.refundOf,
    isRecallable: isOwn && detail.status === 'PENDING_APPROVAL',
    end: last && isReplaceableEnd(last.event) ? { event: last.event, by: last.actor.name, reason: reasonOf(last, detail) } : null,
  }
}

/** An operator's code is no reason for people; its message is. */
function reasonOf(last: TransactionDetailDto['events'][number], { message }: TransactionDetailDto): string | null {
  return last.event === 'failed' ? message : (last.reason ?? message)
}

/** A payment to somebody in the book, or who was paid or collected from before: everything but the amount; the operator of the latest deposit, if the book has none. */
function contentFor(known: Payee | undefined): PaymentContent {
  if (!known) return EMPTY_PAYMENT
  const { phoneNumber, customerName, last, bookOperator } = known
  const country = countryOfPhone(phoneNumber)
  return {
    ...EMPTY_PAYMENT,
    phoneNumber,
    customerName,
    country: country ? COUNTRIES[country].name : '',
    operator: bookOperator ?? last?.operator ?? '',
  }
}

function contentOf(detail: TransactionDetailDto): PaymentContent {
  const { type, operator, phoneNumber, amount } = detail
  return { type, country: OPERATORS[operator].country.name, operator, phoneNumber, amount, ...pickTexts(detail) }
}
