import { formatMinor } from '#lib/money/money.ts'
import { ok, type Result } from '#lib/result.ts'
import { pageQuerySchema, phonePageQuerySchema, rangeQuerySchema, statusPageQuerySchema } from '#lib/schemas/queries.ts'
import { listByPhone, listByStatus, listTransactions } from '#server/reports/partner-lists/list-for-partner.ts'
import { totalByRange, totalOfApplication } from '#server/reports/partner-lists/list-for-partner-store.ts'
import { listBalances } from '#server/reports/statements/day-ledger.ts'
import { type Call, type PartnerEndpoint, TRANSACTION_PATH } from '../api/endpoint.ts'
import type { Refusal } from '../api/errors.ts'
import { readQuery } from '../api/read-query.ts'
import { pageJson } from '../api/serialise-transaction.ts'

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

/** GET /getTotalAmountByApplicationProductAndDateRange: returns one JSON decimal number, exact to the last digit. */
export const getTotalAmountByApplicationProductAndDateRange: PartnerEndpoint = {
  kind: 'partner',
  name: 'getTotalAmountByApplicationProductAndDateRange',
  method: 'GET',
  path: `${TRANSACTION_PATH}/getTotalAmountByApplicationProductAndDateRange`,
  async answer({ runtime, request, caller }: Call): Promise<Result<string, Refusal>> {
    const query = readQuery(request, rangeQuerySchema)
    if (!query.ok) return query
    const { startDate, endDate, status } = query.value
    const range = { startDay: startDate, endDay: endDate, status }
    return ok(formatMinor(await totalByRange(runtime.reportPool, caller.application.applicationId, range)))
  },
}

/** GET /getTotalAmountByApplicationProduct: returns one JSON decimal number for all transactions. */
export const getTotalAmountByApplicationProduct: PartnerEndpoint = {
  kind: 'partner',
  name: 'getTotalAmountByApplicationProduct',
  method: 'GET',
  path: `${TRANSACTION_PATH}/getTotalAmountByApplicationProduct`,
  async answer({ runtime, caller }: Call): Promise<Result<string, Refusal>> {
    return ok(formatMinor(await totalOfApplication(runtime.reportPool, caller.application.applicationId)))
  },
}

/** GET /getByApplicationProductBalances: returns one record for each of the thirteen operators. */
export const getByApplicationProductBalances: PartnerEndpoint = {
  kind: 'partner',
  name: 'getByApplicationProductBalances',
  method: 'GET',
  path: `${TRANSACTION_PATH}/getByApplicationProductBalances`,
  async answer({ runtime, caller }: Call): Promise<Result<string, Refusal>> {
    const balances = await listBalances(runtime.pool, caller.application.applicationId)
    const records = balances.map(
      (balance) =>
        `{"serviceType":"${balance.operator}","balanceCollect":${formatMinor(balance.collectMinor)},"balanceDeposit":${formatMinor(balance.depositMinor)}}`,
    )
    return ok(`[${records.join(',')}]`)
  },
}
