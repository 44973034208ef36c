import type { RefundFeesFrom } from '#lib/money/fees.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'

/** Names one service of an application: an operator and a direction. */
export type ServiceKey = `${OperatorCode}:${TransactionType}`

/** One application with everything that belongs to it; amounts as text and digests as hexadecimal, as JSON brings them. */
export type ApplicationRow = {
  application_id: string
  name: string
  api_id: string
  is_enabled: boolean
  requires_second_factor: boolean
  copies_webhook_status: boolean
  refund_fees_from: RefundFeesFrom
  default_webhook_url: string | null
  webhook_networks: string[]
  keys: { id: string; prefix: string; hash: string; expiresAt: string | null; scopes: ApiScope[] | null }[]
  api_users: { id: string; epoch: number; isBlocked: boolean }[]
  networks: string[]
  services: { key: ServiceKey; isEnabled: boolean; enforcesLimits: boolean; minimumMinor: string | null; maximumMinor: string | null }[]
  fees: { key: ServiceKey; systemRatePpm: number; systemFixedMinor: string; appRatePpm: number; appFixedMinor: string }[]
  policy: { version: number; rules: unknown } | null
  /** As stored: encrypted. */
  webhook_secrets: { id: string; secret: string; createdAt: string; expiresAt: string | null }[]
}
