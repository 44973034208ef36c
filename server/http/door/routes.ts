import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { clients } from '#server/http/clients/serve-clients.ts'
import { callbackOf } from '#server/http/endpoints/operator-callback.ts'
import { openapi, openapiV2 } from '#server/http/openapi/serve-openapi.ts'
import { payEndpointAt } from '#server/http/pay/pay-page.ts'
import type { Endpoint } from '../api/endpoint.ts'
import { rejectTransaction, validateTransaction } from '../endpoints/approvals.ts'
import {
  getByApplicationProduct,
  getByApplicationProductAndPhoneReceiver,
  getByApplicationProductAndStatus,
  getByApplicationProductBalances,
  getTotalAmountByApplicationProduct,
  getTotalAmountByApplicationProductAndDateRange,
} from '../endpoints/lists.ts'
import { collect, deposit, depositMultiple } from '../endpoints/payments.ts'
import { health, healthLive, healthReady, metrics } from '../endpoints/service.ts'
import { chekTransactionStatus, transactionStatus } from '../endpoints/status.ts'
import { accessToken, refreshToken } from '../endpoints/tokens.ts'
import { transactions } from '../endpoints/transactions.ts'
import { accountChecks } from '../endpoints/v2/account-checks.ts'
import { batchEndpointAt, batches } from '../endpoints/v2/batches.ts'
import { cancelEndpointAt } from '../endpoints/v2/cancel.ts'
import { collects, deposits } from '../endpoints/v2/keyed-payments.ts'
import { operatorStatuses } from '../endpoints/v2/operators.ts'
import { refundEndpointAt } from '../endpoints/v2/refunds.ts'
import { settlementEndpointAt, settlementReports } from '../endpoints/v2/settlements.ts'
import { webhookEvents } from '../endpoints/v2/webhook-events.ts'

/** All endpoints outside Next's pages. */
const ENDPOINTS: readonly Endpoint[] = [
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
  settlementReports,
  operatorStatuses,
  accountChecks,
  transactions,
  collects,
  deposits,
  batches,
  webhookEvents,
  openapi,
  openapiV2,
  ...clients,
  health,
  healthLive,
  healthReady,
  metrics,
  ...OPERATOR_CODES.map(callbackOf),
]

const BY_PATH: ReadonlyMap<string, Endpoint> = new Map(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]))

// Any other path below these gets an API error, never a page.
const API_PREFIXES = ['/api/v1', '/api/v2', '/public', '/health', '/metrics', '/operators/callback']

/**
 * Returns the endpoint at exactly this path. Paths are not decoded or normalised: a similar path is another path. Everything below /pay is
 * one page, and cancellations, refunds, batches and settlement reports are one endpoint each, whatever they are about.
 */
export function findEndpoint(path: string): Endpoint | undefined {
  return (
    BY_PATH.get(path) ??
    payEndpointAt(path) ??
    cancelEndpointAt(path) ??
    refundEndpointAt(path) ??
    batchEndpointAt(path) ??
    settlementEndpointAt(path)
  )
}

/** Returns true if a path belongs to the API and not to a page. */
export function isApiPath(path: string): boolean {
  return API_PREFIXES.some((prefix) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'))
}
