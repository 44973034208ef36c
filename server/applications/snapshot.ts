import { DEFAULT_FEE_SCHEDULE, type FeeSchedule, type RefundFeesFrom } from '#lib/money/fees.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import { RULE_SOURCES, TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { type ApprovalPolicy, approvalRulesSchema, BASE_RULE } from '#lib/rules/approval-policy.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { webhookSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { type AllowList, createAllowList } from './access/allow-list.ts'
import type { ApplicationRow, ServiceKey } from './application-row.ts'

export type ApiKeySnapshot = {
  apiKeyId: string
  keyPrefix: string
  hash: Buffer
  expiresAt: Date | null
  /** Null: it may do everything. */
  scopes: ReadonlySet<ApiScope> | null
}
export type TransferService = { isEnabled: boolean; enforcesLimits: boolean; minimumMinor: bigint | null; maximumMinor: bigint | null }
type WebhookSecret = { secret: string; createdAt: Date; expiresAt: Date | null }

/** Everything about one application that a request needs, as it was at the last refresh of the directory. */
export type ApplicationSnapshot = {
  applicationId: string
  name: string
  apiId: string
  isEnabled: boolean
  requiresSecondFactor: boolean
  copiesWebhookStatus: boolean
  refundFeesFrom: RefundFeesFrom
  /** The target for the results of payments that no program started; null: none. */
  defaultWebhookUrl: string | null
  /** Networks that are not public and that its webhooks may reach all the same, in CIDR notation. */
  webhookNetworks: readonly string[]
  keys: readonly ApiKeySnapshot[]
  blockedApiUserIds: ReadonlySet<string>
  /** Every API user, with the lowest epoch that an access token of theirs may carry. */
  apiUserEpochs: ReadonlyMap<string, number>
  allowList: AllowList
  services: ReadonlyMap<ServiceKey, TransferService>
  fees: ReadonlyMap<ServiceKey, FeeSchedule>
  policy: ApprovalPolicy | null
  /** Newest first. */
  webhookSecrets: readonly WebhookSecret[]
}

export const OPEN_SERVICE: TransferService = { isEnabled: true, enforcesLimits: false, minimumMinor: null, maximumMinor: null }

/** The fee schedule in force: the application's own for this operator and direction, else the default. */
export function feesFor(snapshot: ApplicationSnapshot, operator: OperatorCode, type: TransactionType): FeeSchedule {
  return snapshot.fees.get(`${operator}:${type}`) ?? DEFAULT_FEE_SCHEDULE
}

/** The transfer service of this operator and direction; a service without a row is on, without limits. */
export function serviceFor(snapshot: ApplicationSnapshot, operator: OperatorCode, type: TransactionType): TransferService {
  return snapshot.services.get(`${operator}:${type}`) ?? OPEN_SERVICE
}

/**
 * Turns a stored row into what requests read, with its webhook secrets decrypted. A secret that cannot be decrypted is passed
 * to `onUnreadable` and left out, so that all other applications can be read.
 */
export function toSnapshot(row: ApplicationRow, onUnreadable: (error: unknown) => void): ApplicationSnapshot {
  return {
    applicationId: row.application_id,
    name: row.name,
    apiId: row.api_id,
    isEnabled: row.is_enabled,
    requiresSecondFactor: row.requires_second_factor,
    copiesWebhookStatus: row.copies_webhook_status,
    refundFeesFrom: row.refund_fees_from,
    defaultWebhookUrl: row.default_webhook_url,
    webhookNetworks: row.webhook_networks,
    keys: row.keys.map((key) => ({
      apiKeyId: key.id,
      keyPrefix: key.prefix,
      hash: Buffer.from(key.hash, 'hex'),
      expiresAt: toDate(key.expiresAt),
      scopes: key.scopes === null ? null : new Set(key.scopes),
    })),
    blockedApiUserIds: new Set(row.api_users.filter((user) => user.isBlocked).map((user) => user.id)),
    apiUserEpochs: new Map(row.api_users.map((user) => [user.id, user.epoch])),
    allowList: createAllowList(row.networks),
    services: new Map(
      row.services.map((entry) => [
        entry.key,
        {
          isEnabled: entry.isEnabled,
          enforcesLimits: entry.enforcesLimits,
          minimumMinor: toBigInt(entry.minimumMinor),
          maximumMinor: toBigInt(entry.maximumMinor),
        },
      ]),
    ),
    fees: new Map(
      row.fees.map((entry) => [
        entry.key,
        {
          systemRatePpm: entry.systemRatePpm,
          systemFixedMinor: BigInt(entry.systemFixedMinor),
          appRatePpm: entry.appRatePpm,
          appFixedMinor: BigInt(entry.appFixedMinor),
        },
      ]),
    ),
    policy: toPolicy(row.policy),
    webhookSecrets: row.webhook_secrets.flatMap((entry) => toWebhookSecret(row.application_id, entry, onUnreadable) ?? []),
  }
}

function toWebhookSecret(
  applicationId: string,
  entry: ApplicationRow['webhook_secrets'][number],
  onUnreadable: (error: unknown) => void,
): WebhookSecret | undefined {
  try {
    const secret = keyringOfProcess().open(webhookSecretPlace(applicationId, entry.id), entry.secret)
    return { secret, createdAt: new Date(entry.createdAt), expiresAt: toDate(entry.expiresAt) }
  } catch (error) {
    onUnreadable(error)
    return undefined
  }
}

function toPolicy(stored: ApplicationRow['policy']): ApprovalPolicy | null {
  if (!stored) return null
  const rules = approvalRulesSchema.safeParse(stored.rules)
  if (rules.success) return { version: stored.version, rules: rules.data }
  // Rules that cannot be read could have applied to anything, so everything waits until they are written again.
  return {
    version: stored.version,
    rules: [{ ...BASE_RULE, name: 'Unreadable rules', apiMayDecide: false, sources: [...RULE_SOURCES], types: [...TRANSACTION_TYPES] }],
  }
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

function toBigInt(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}
