import { OPERATOR_CODES } from '#lib/operators.ts'
import type { Endpoint } from './endpoint.ts'
import { accessToken } from './endpoints/access-token.ts'
import { chekTransactionStatus } from './endpoints/chek-transaction-status.ts'
import { collect } from './endpoints/collect.ts'
import { deposit } from './endpoints/deposit.ts'
import { depositMultiple } from './endpoints/deposit-multiple.ts'
import { health, healthLive, healthReady } from './endpoints/health.ts'
import { getByApplicationProduct, getByApplicationProductAndPhoneReceiver, getByApplicationProductAndStatus } from './endpoints/lists.ts'
import { metrics } from './endpoints/metrics.ts'
import { openapi } from './endpoints/openapi.ts'
import { callbackOf } from './endpoints/operator-callback.ts'
import { refreshToken } from './endpoints/refresh-token.ts'
import { rejectTransaction } from './endpoints/reject-transaction.ts'
import {
  getByApplicationProductBalances,
  getTotalAmountByApplicationProduct,
  getTotalAmountByApplicationProductAndDateRange,
} from './endpoints/totals.ts'
import { transactionStatus } from './endpoints/transaction-status.ts'
import { validateTransaction } from './endpoints/validate-transaction.ts'

/** Everything that is answered outside Next's pages. */
export const ENDPOINTS: readonly Endpoint[] = [
  collect,
  deposit,
  depositMultiple,
  transactionStatus,
  chekTransactionStatus,
  validateTransaction,
  rejectTransaction,
  getByApplicationProduct,
  getByApplicationProductAndPhoneReceiver,
  getByApplicationProductAndStatus,
  getTotalAmountByApplicationProductAndDateRange,
  getTotalAmountByApplicationProduct,
  getByApplicationProductBalances,
  accessToken,
  refreshToken,
  openapi,
  health,
  healthLive,
  healthReady,
  metrics,
  ...OPERATOR_CODES.map(callbackOf),
]

const BY_PATH: ReadonlyMap<string, Endpoint> = new Map(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]))

// Whatever else is asked for below these is answered as an API error and never by a page.
const API_PREFIXES = ['/api/v1', '/public', '/health', '/metrics', '/operators/callback']

/** The endpoint at exactly this path. No decoding, no clean-up: a path that is almost right is another path. */
export function findEndpoint(path: string): Endpoint | undefined {
  return BY_PATH.get(path)
}

/** Whether a path is this service's own business rather than a page's. */
export function isApiPath(path: string): boolean {
  return API_PREFIXES.some((prefix) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'))
}
