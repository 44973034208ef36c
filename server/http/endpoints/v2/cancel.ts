import { err, ok } from '#lib/result.ts'
import { synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import type { PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { laterRecordJson } from '#server/http/api/serialise-transaction.ts'
import { type CancelFailure, cancelTransaction } from '#server/operators/work/cancel-transaction.ts'
import { NO_TRANSACTION } from '../status.ts'

export const CANCEL_PATH = '/api/v2/transactions/{transactionId}/cancel'

const PATH = /^\/api\/v2\/transactions\/([\w-]{1,40})\/cancel$/

/** POST /api/v2/transactions/{transactionId}/cancel: ends a transaction of which nothing was sent to the operator. */
const cancel: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'cancel',
  scope: 'payments:write',
  method: 'POST',
  path: CANCEL_PATH,
  async answer({ runtime, request, caller }) {
    const named = synchroniseQuerySchema.safeParse({ transactionId: PATH.exec(request.path)?.[1] })
    if (!named.success) return err(NO_TRANSACTION)
    const { application, apiUserId } = caller
    const cancelled = await cancelTransaction(runtime, { applicationId: application.applicationId, ...named.data, apiUserId })
    return cancelled.ok ? ok(laterRecordJson(cancelled.value)) : err(refuseCancellation(cancelled.error))
  },
}

/** The endpoint of one cancellation, whatever its transaction. */
export function cancelEndpointAt(path: string): PartnerEndpoint | undefined {
  return PATH.test(path) ? cancel : undefined
}

/** Returns the response to a cancellation that changed nothing. */
export function refuseCancellation(failure: CancelFailure): Refusal {
  switch (failure) {
    case 'not_found':
      return NO_TRANSACTION
    case 'not_started_by_program':
      return refuse(403, 'not_started_by_program', 'A person started this transaction: people recall it in the back office.')
    case 'final':
      return refuse(400, 'transaction_final', 'The transaction has its final status. It was not changed.')
    case 'already_sent':
      return refuse(
        400,
        'already_sent',
        'The transaction has been sent to the operator, or is being sent. Its result arrives as a webhook.',
      )
  }
}
