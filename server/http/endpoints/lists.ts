import { ok, type Result } from '#lib/result.ts'
import { pageQuerySchema, phonePageQuerySchema, statusPageQuerySchema } from '#lib/schemas/queries.ts'
import { type Call, type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import type { Refusal } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { pageJson } from '#server/http/api/serialise-transaction.ts'
import { listByPhone, listByStatus, listTransactions } from '#server/reports/partner-lists/list-for-partner.ts'

// The three paged lists of the calling application, newest first.

/** GET /getByApplicationProduct. */
export const getByApplicationProduct: PartnerEndpoint = {
  kind: 'partner',
  name: 'getByApplicationProduct',
  method: 'GET',
  path: `${TRANSACTION_PATH}/getByApplicationProduct`,
  async answer({ runtime, request, caller }: Call): Promise<Result<string, Refusal>> {
    const query = readQuery(request, pageQuerySchema)
    if (!query.ok) return query
    return ok(pageJson(await listTransactions(runtime.reportPool, caller.application.applicationId, query.value)))
  },
}

/** GET /getByApplicationProductAndPhoneReceiver. */
export const getByApplicationProductAndPhoneReceiver: PartnerEndpoint = {
  kind: 'partner',
  name: 'getByApplicationProductAndPhoneReceiver',
  method: 'GET',
  path: `${TRANSACTION_PATH}/getByApplicationProductAndPhoneReceiver`,
  async answer({ runtime, request, caller }: Call): Promise<Result<string, Refusal>> {
    const query = readQuery(request, phonePageQuerySchema)
    if (!query.ok) return query
    return ok(pageJson(await listByPhone(runtime.reportPool, caller.application.applicationId, query.value.phoneNumber, query.value)))
  },
}

/** GET /getByApplicationProductAndStatus. */
export const getByApplicationProductAndStatus: PartnerEndpoint = {
  kind: 'partner',
  name: 'getByApplicationProductAndStatus',
  method: 'GET',
  path: `${TRANSACTION_PATH}/getByApplicationProductAndStatus`,
  async answer({ runtime, request, caller }: Call): Promise<Result<string, Refusal>> {
    const query = readQuery(request, statusPageQuerySchema)
    if (!query.ok) return query
    return ok(
      pageJson(await listByStatus(runtime.reportPool, caller.application.applicationId, query.value.transactionStatus, query.value)),
    )
  },
}
