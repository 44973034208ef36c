import { formatMinor } from '#lib/money/money.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { jsonNumber } from '#lib/schemas/api/settlement-responses.ts'
import { parseRefundRequest } from '#lib/schemas/api/transaction-request.ts'
import { joinProblems } from '#lib/schemas/fields.ts'
import { synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import type { Call, PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { toListed } from '#server/http/api/list-transactions.ts'
import { BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { queryFailures } from '#server/operators/work/second-looks.ts'
import { listRefunds, readRefundFacts } from '#server/transactions/refund-store.ts'
import { type RefundFailure, startRefund } from '#server/transactions/refunds.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { describeProblem, refuseStart } from '../payments.ts'
import { NO_TRANSACTION } from '../status.ts'

export const REFUNDS_PATH = '/api/v2/transactions/{transactionId}/refunds'

const PATH = /^\/api\/v2\/transactions\/([\w-]{1,40})\/refunds$/

/** POST /api/v2/transactions/{transactionId}/refunds: returns a collect to its payer, whole or in parts. */
const refundCollect: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'refundCollect',
  scope: 'refunds:write',
  method: 'POST',
  path: REFUNDS_PATH,
  answer: start,
}

/** GET /api/v2/transactions/{transactionId}/refunds: the refunds of a collect, and what is left of it. */
const refundsOfCollect: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'listRefunds',
  scope: 'payments:read',
  method: 'GET',
  path: REFUNDS_PATH,
  besides: refundCollect,
  answer: list,
}

/** The endpoint of the refunds of one collect, whatever its id. */
export function refundEndpointAt(path: string): PartnerEndpoint | undefined {
  return PATH.test(path) ? refundsOfCollect : undefined
}

function collectOf({ request }: Call): Result<string, Refusal> {
  const named = synchroniseQuerySchema.safeParse({ transactionId: PATH.exec(request.path)?.[1] })
  return named.success ? ok(named.data.transactionId) : err(NO_TRANSACTION)
}

async function start(call: Call): Promise<Result<string, Refusal>> {
  const { runtime, request, caller } = call
  const { application, apiUserId } = caller
  const { applicationId } = application
  const collectId = collectOf(call)
  if (!collectId.ok) return collectId
  const body = await readJsonBody(request, BODY_BYTES_MAX, { kind: 'application', id: applicationId })
  if (!body.ok) return body
  const parsed = parseRefundRequest(body.value)
  if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
  const { externalId, amount, webhookUrl = null } = parsed.value
  const started = await startRefund(
    { ...runtime, confirmFailures: (refunds) => queryFailures(runtime.forcedEnquiries, refunds) },
    {
      application,
      collectId: collectId.value,
      externalId,
      amountMinor: amount,
      reason: '',
      webhookUrl,
      source: 'api',
      actor: { kind: 'api', id: apiUserId },
    },
  )
  if (!started.ok) return err(refuseRefund(started.error, externalId))
  const { transactionId } = started.value
  // The answer is read after the refund was taken in: its webhook does not overtake it.
  return runtime.unansweredStarts.during([transactionId], async () => {
    const stored = await findTransaction(runtime.pool, applicationId, transactionId)
    if (!stored) throw new Error('A refund that was started is gone')
    const [listed] = await toListed(runtime.pool, applicationId, [stored])
    return ok(JSON.stringify(listed))
  })
}

async function list(call: Call): Promise<Result<string, Refusal>> {
  const { runtime, caller } = call
  const { applicationId } = caller.application
  const collectId = collectOf(call)
  if (!collectId.ok) return collectId
  const collect = await findTransaction(runtime.pool, applicationId, collectId.value)
  if (!collect) return err(NO_TRANSACTION)
  const [refunds, facts] = await Promise.all([
    listRefunds(runtime.pool, applicationId, collect.transactionId),
    readRefundFacts(runtime.pool, applicationId, [collect.transactionId]),
  ])
  const refundedMinor = facts.get(collect.transactionId)?.refundedMinor ?? 0n
  const isRefundable = collect.type === 'COLLECT' && collect.status === 'SUCCESS'
  return ok(
    JSON.stringify({
      refunds: await toListed(runtime.pool, applicationId, refunds),
      refundedAmount: jsonNumber(formatMinor(refundedMinor)),
      remainingAmount: jsonNumber(formatMinor(isRefundable ? collect.amountMinor - refundedMinor : 0n)),
    }),
  )
}

/** Returns the response to a refund that was not started. */
export function refuseRefund(failure: RefundFailure, externalId: string): Refusal {
  switch (failure.kind) {
    case 'not_found':
      return NO_TRANSACTION
    case 'not_a_collect':
      return refuse(400, 'not_a_collect', 'The transaction must be a COLLECT: a deposit cannot be refunded.')
    case 'not_successful':
      return refuse(400, 'collect_not_successful', 'The collect must be SUCCESS: nothing else was paid by the customer.')
    case 'contradicted':
      return refuse(
        400,
        'collect_contradicted',
        'The operator contradicts the result of the collect. It can be refunded once this is clarified.',
      )
    case 'adjusted':
      return refuse(
        400,
        'collect_adjusted',
        'The collect was adjusted after it ended, or an adjustment waits for a decision. It cannot be refunded.',
      )
    case 'nothing_left':
      return refuse(400, 'nothing_left', 'Nothing is left of the collect: it is refunded, or being refunded, completely.')
    case 'more_than_is_left':
      return refuse(400, 'more_than_is_left', `amount must be at most ${formatMinor(failure.leftMinor)}: this is left of the collect.`)
    case 'not_above_fees':
      return refuse(400, 'amount_not_above_fees', 'amount must be greater than the fees, which are taken from the refund.')
    case 'earlier_unconfirmed':
      return refuse(
        400,
        'earlier_refund_unconfirmed',
        'The operator has not confirmed that an earlier refund of this collect failed. Retry in a few minutes.',
      )
    case 'webhook_url_missing':
      return refuse(400, 'webhook_url_missing', 'webhookUrl must be there: neither the collect nor the application has one.')
    case 'external_id_taken':
      return refuse(400, 'external_id_taken', `externalId must be unique: ${externalId} belongs to a transaction with other content.`)
    case 'start_refused':
      if (failure.problem.kind === 'amount_out_of_limits') return refuse(400, 'amount_out_of_limits', describeLimits(failure))
      return refuseStart({ kind: 'refused', problems: [failure.problem] }, { type: 'DEPOSIT', requests: [failure.request], isArray: false })
    case 'not_permitted':
    case 'application_disabled':
    case 'overloaded':
      return refuseStart(failure, { type: 'DEPOSIT', requests: [], isArray: false })
  }
}

/** Names the deposit: the customer may pay its fees and receive less than the amount of the request. */
function describeLimits({ problem, request }: Extract<RefundFailure, { kind: 'start_refused' }>): string {
  return `${describeProblem(problem, request, 'DEPOSIT')} The customer would receive ${formatMinor(request.amount)}.`
}
