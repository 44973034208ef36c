import { formatMinor } from '#lib/money.ts'
import { ok, type Result } from '#lib/result.ts'
import { rangeQuerySchema } from '#lib/schemas/queries.ts'
import { type Call, type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import type { Refusal } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { totalByRange, totalOfApplication } from '#server/reports/partner-lists/total-queries.ts'
import { listBalances } from '#server/reports/statements/list-balances.ts'

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
