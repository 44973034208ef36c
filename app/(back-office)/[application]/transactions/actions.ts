'use server'

import { z } from 'zod'
import type { Locale } from '#lib/i18n/locale.ts'
import { formatMinor } from '#lib/money/money.ts'
import { limitsText } from '#lib/operators/amount-limits.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { limitsProblem, limitsValues } from '#lib/payments/limits-text.ts'
import { isRefundObstacle, type RefundObstacle } from '#lib/payments/refunds.ts'
import { SYNCHRONISED_AT_ONCE, type SynchroniseOutcome } from '#lib/payments/transactions/transaction-list.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import { type ActionError, type ActionResult, err, ok } from '#lib/result.ts'
import { sentRefundSchema } from '#lib/schemas/payment.ts'
import { moneyText } from '#lib/text/format.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readLocale } from '#server/back-office/preferences.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { queryFailures } from '#server/operators/work/second-looks.ts'
import { synchroniseTransaction } from '#server/operators/work/synchronise-transaction.ts'
import { type RefundFailure, startRefund } from '#server/transactions/refunds.ts'
import { resendWebhook } from '#server/webhooks/resend-webhook.ts'

const transactionId = z.object({ transactionId: z.uuid() })

function synchroniseOne(actor: BackOfficeActor, id: string): ReturnType<typeof synchroniseTransaction> {
  return synchroniseTransaction(backOfficeRuntime().forcedEnquiries, {
    applicationId: actor.applicationId,
    transactionId: id,
    actor: { kind: 'person', id: actor.id },
  })
}

function codeOf<Code extends string>(error: Code | { code: Code }): Code {
  return typeof error === 'string' ? error : error.code
}

/** Queries the operator now and stores the result. */
export async function synchronise(
  application: string,
  input: { transactionId: string },
): Promise<ActionResult<{ status: TransactionStatus }, 'not_found' | 'operator_unavailable' | 'busy' | 'throttled'>> {
  return runAction(
    { schema: transactionId, permission: 'transaction:synchronise', application, input },
    async (actor, { transactionId: id }) => {
      const result = await synchroniseOne(actor, id)
      return result.ok ? ok({ status: result.value.status }) : err(codeOf(result.error))
    },
  )
}

/** Transactions that one request synchronises: a page sends more of them in several requests, so that it can show each answer. */
const severalIds = z.object({ transactionIds: z.array(z.uuid()).min(1).max(SYNCHRONISED_AT_ONCE) })

/** Queries the operators about several transactions now and returns the outcome of each. */
export async function synchroniseSeveral(
  application: string,
  input: { transactionIds: readonly string[] },
): Promise<ActionResult<Record<string, SynchroniseOutcome>>> {
  return runAction({ schema: severalIds, permission: 'transaction:synchronise', application, input }, async (actor, { transactionIds }) => {
    const outcomes = await Promise.all(
      transactionIds.map(async (id): Promise<[string, SynchroniseOutcome]> => {
        const result = await synchroniseOne(actor, id)
        return [id, result.ok ? result.value.status : codeOf(result.error)]
      }),
    )
    return ok(Object.fromEntries(outcomes))
  })
}

type RefundRefusal =
  | Exclude<RefundFailure['kind'], RefundObstacle | 'start_refused' | 'webhook_url_missing'>
  | 'not_refundable'
  | 'service_disabled'
  | 'operator_not_in_service'
  | 'amount_out_of_limits'
  | 'amount_not_multiple'

/** Sends the refund of a collect to its checkers. The same one again returns the transaction that it already is. */
export async function refundCollect(
  application: string,
  input: { transactionId: string; externalId: string; amount: string; reason: string },
): Promise<ActionResult<{ transactionId: string }, RefundRefusal>> {
  return runAction<typeof sentRefundSchema, { transactionId: string }, RefundRefusal>(
    { schema: sentRefundSchema, permission: 'transaction:create', application, input },
    async (maker, { transactionId: collectId, externalId, amount, reason }) => {
      const runtime = backOfficeRuntime()
      const snapshot = runtime.directory.find(maker.applicationId)
      if (!snapshot) return err('overloaded')
      const refunded = await startRefund(
        { ...runtime, confirmFailures: (refunds) => queryFailures(runtime.forcedEnquiries, refunds) },
        { application: snapshot, collectId, externalId, amountMinor: amount, reason, webhookUrl: null, source: 'person', actor: maker },
      )
      return refunded.ok ? ok(refunded.value) : err(toRefusal(refunded.error, await readLocale()))
    },
  )
}

function toRefusal(failure: RefundFailure, locale: Locale): RefundRefusal | ActionError<RefundRefusal> {
  if (failure.kind === 'webhook_url_missing') throw new Error('A person was refused as a program')
  if (failure.kind !== 'start_refused') return isRefundObstacle(failure.kind) ? 'not_refundable' : failure.kind
  const { problem, request } = failure
  if (problem.kind === 'service_disabled' || problem.kind === 'operator_not_in_service') return problem.kind
  if (problem.kind !== 'amount_out_of_limits') throw new Error(`A refund was refused for ${problem.kind}`)
  const { currency } = OPERATORS[request.transferMethod].country
  const limits = limitsText(problem)
  // The customer may pay the fees: what must be within the limits is what they receive.
  const received = moneyText({ amount: formatMinor(request.amount), currency }, locale)
  return { code: limitsProblem(limits), values: { ...limitsValues(limits, currency, locale), received } }
}

/** Requests one more attempt to deliver the webhook of a final transaction. */
export async function resend(
  application: string,
  input: { transactionId: string },
): Promise<ActionResult<null, 'not_permitted' | 'no_delivery' | 'attempt_in_progress' | 'resend_waiting' | 'throttled'>> {
  return runAction({ schema: transactionId, permission: 'webhook:resend', application, input }, async (actor, { transactionId: id }) => {
    const { pool, wake } = backOfficeRuntime()
    const result = await resendWebhook(
      { pool, wakeWebhooks: wake.webhooks },
      { applicationId: actor.applicationId, transactionId: id, actor },
    )
    return result.ok ? ok(null) : err(codeOf(result.error))
  })
}
