import { formatMinor } from '#lib/money/money.ts'
import { ok } from '#lib/result.ts'
import { pageQuerySchema, phonePageQuerySchema, rangeQuerySchema, statusPageQuerySchema } from '#lib/schemas/queries.ts'
import {
  listByPhone,
  listByStatus,
  listTransactions,
  totalByRange,
  totalOfApplication,
} from '#server/reports/partner-lists/list-for-partner-store.ts'
import { listBalances } from '#server/reports/statements/day-ledger.ts'
import { partnerEndpoint, queryEndpoint } from '../api/endpoint.ts'
import { pageJson } from '../api/serialise-transaction.ts'

/** The three paged lists of the calling application, newest first. */
export const getByApplicationProduct = queryEndpoint(
  'GET',
  'getByApplicationProduct',
  'payments:read',
  pageQuerySchema,
  async (query, { runtime, caller }) => ok(pageJson(await listTransactions(runtime.reportPool, caller.application.applicationId, query))),
)

export const getByApplicationProductAndPhoneReceiver = queryEndpoint(
  'GET',
  'getByApplicationProductAndPhoneReceiver',
  'payments:read',
  phonePageQuerySchema,
  async ({ phoneNumber, ...page }, { runtime, caller }) =>
    ok(pageJson(await listByPhone(runtime.reportPool, caller.application.applicationId, phoneNumber, page))),
)

export const getByApplicationProductAndStatus = queryEndpoint(
  'GET',
  'getByApplicationProductAndStatus',
  'payments:read',
  statusPageQuerySchema,
  async ({ transactionStatus, ...page }, { runtime, caller }) =>
    ok(pageJson(await listByStatus(runtime.reportPool, caller.application.applicationId, transactionStatus, page))),
)

/** Returns one JSON decimal number, exact to the last digit. */
export const getTotalAmountByApplicationProductAndDateRange = queryEndpoint(
  'GET',
  'getTotalAmountByApplicationProductAndDateRange',
  'reports:read',
  rangeQuerySchema,
  async ({ startDate, endDate, status }, { runtime, caller }) => {
    const range = { startDay: startDate, endDay: endDate, status }
    return ok(formatMinor(await totalByRange(runtime.reportPool, caller.application.applicationId, range)))
  },
)

/** Returns one JSON decimal number for all transactions. */
export const getTotalAmountByApplicationProduct = partnerEndpoint(
  'GET',
  'getTotalAmountByApplicationProduct',
  'reports:read',
  async ({ runtime, caller }) => ok(formatMinor(await totalOfApplication(runtime.reportPool, caller.application.applicationId))),
)

/** Returns one record for each of the thirteen operators. */
export const getByApplicationProductBalances = partnerEndpoint(
  'GET',
  'getByApplicationProductBalances',
  'reports:read',
  async ({ runtime, caller }) => {
    const balances = await listBalances(runtime.pool, caller.application.applicationId)
    const records = balances.map(
      (balance) =>
        `{"serviceType":"${balance.operator}","balanceCollect":${formatMinor(balance.collectMinor)},"balanceDeposit":${formatMinor(balance.depositMinor)}}`,
    )
    return ok(`[${records.join(',')}]`)
  },
)
