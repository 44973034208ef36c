'use server'

import { limitsText } from '#lib/operators/amount-limits.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { limitsProblem, limitsValues } from '#lib/payments/limits-text.ts'
import type { PaymentContent } from '#lib/payments/payment-fields.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { removedDraftSchema, savedDraftSchema, sentPaymentSchema } from '#lib/schemas/payment.ts'
import { type RemoveFailure, removeAttachment } from '#server/attachments/attach-file.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readLocale } from '#server/back-office/preferences.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { queryFailures } from '#server/operators/work/second-looks.ts'
import { deleteDraft, type SendFailure, saveDraft, sendPayment } from '#server/transactions/payments.ts'
import type { EndedPayment } from '#server/transactions/transaction-store.ts'

/** The form's values; the amount is a plain decimal. With the digest of the file that the form shows. */
type SendInput = PaymentContent & { externalId: string; originId: string | null; attachmentSha256: string | null }

/** Sends a payment to its checkers. The same one again returns the transaction that it already is. */
export async function sendForApproval(
  application: string,
  input: SendInput,
): Promise<ActionResult<{ transactionId: string }, SendFailure | 'amount_not_multiple'>> {
  return runAction<typeof sentPaymentSchema, { transactionId: string }, SendFailure | 'amount_not_multiple'>(
    { schema: sentPaymentSchema, permission: 'transaction:create', application, input },
    async (maker, payment) => {
      const runtime = backOfficeRuntime()
      const snapshot = runtime.directory.find(maker.applicationId)
      if (!snapshot) return err('overloaded')
      const confirmFailure = async (failed: EndedPayment) =>
        (await queryFailures(runtime.forcedEnquiries, [failed])).has(failed.transactionId)
      const sent = await sendPayment({ ...runtime, confirmFailure }, { application: snapshot, maker, payment })
      if (sent.ok) return ok({ transactionId: sent.value.transactionId })
      const { code, limits } = sent.error
      if (!limits) return err(code)
      const text = limitsText(limits)
      const { currency } = OPERATORS[payment.operator].country
      return err({ code: limitsProblem(text), values: limitsValues(text, currency, await readLocale()) })
    },
  )
}

type DraftInput = { externalId: string; originId: string | null; content: PaymentContent }

/** Saves what this person has typed, to continue later. */
export async function keepDraft(application: string, input: DraftInput): Promise<ActionResult<null, 'too_many'>> {
  return runAction({ schema: savedDraftSchema, permission: 'transaction:create', application, input }, (maker, draft) =>
    saveDraft(backOfficeRuntime().pool, { applicationId: maker.applicationId, personId: maker.id, ...draft }),
  )
}

/** Removes the file that this person attached to a payment that is not sent yet. */
export async function detachFile(application: string, input: { externalId: string }): Promise<ActionResult<void, RemoveFailure>> {
  return runAction<typeof removedDraftSchema, void, RemoveFailure>(
    { schema: removedDraftSchema, permission: 'transaction:create', application, input },
    (actor, { externalId }) => removeAttachment(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, externalId }),
  )
}

/** Removes a draft of this person. */
export async function discardDraft(application: string, input: { externalId: string }): Promise<ActionResult<null, 'not_found'>> {
  return runAction({ schema: removedDraftSchema, permission: 'transaction:create', application, input }, (maker, { externalId }) =>
    deleteDraft(backOfficeRuntime().pool, { applicationId: maker.applicationId, personId: maker.id, externalId }),
  )
}
