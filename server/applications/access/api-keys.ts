import { randomUUID } from 'node:crypto'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import { err, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { generateApiKey, generateWebhookSecret } from '#server/credentials/secrets.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, Pool } from '#server/database/pool.ts'
import {
  countLiveKeys,
  expireKey,
  expireKeys,
  expireWebhookSecrets,
  insertKey,
  insertWebhookSecret,
  revokeKeyRow,
} from '../application-store.ts'

/** Every key is compared on every request: a few for rotation, not a collection. */
const LIVE_KEYS_MAX = 10

type CreateApiKey = {
  applicationId: string
  name: string
  actor: CommandActor
  expiresAt?: Date
  /** The calls that the key is limited to; absent or null: all. */
  scopes?: readonly ApiScope[] | null
  /** Rotation: the keys that work now end at this instant, so that partners can change over in between. */
  othersExpireAt?: Date
  /** Rotation of one key: it ends at this instant. */
  replaces?: { apiKeyId: string; expiresAt: Date }
  /** The person who requested it, if the actor confirmed it. */
  requestedBy?: string
}

type CreateFailure = 'not_permitted' | 'unknown_application' | 'invalid_name' | 'too_many_keys' | 'unknown_key'

/** Makes an API key, returned only once. Only its digest and its first characters are stored. */
export async function createApiKey(
  database: Database,
  command: CreateApiKey,
): Promise<Result<{ apiKeyId: string; apiKey: string }, CreateFailure>> {
  const { applicationId, actor, replaces } = command
  const name = command.name.trim()
  const { apiKey, keyPrefix, keyHash } = generateApiKey()
  const apiKeyId = randomUUID()
  return runCommand<{ apiKeyId: string; apiKey: string }, CreateFailure>(database, command, 'access:change', async (trx) => {
    if (name.length < 1 || name.length > 200 || name.includes('\0')) return err('invalid_name')
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    if (command.othersExpireAt) await expireKeys(trx, applicationId, command.othersExpireAt)
    if (replaces && !(await expireKey(trx, applicationId, replaces.apiKeyId, replaces.expiresAt))) return err('unknown_key')
    if ((await countLiveKeys(trx, applicationId)) >= LIVE_KEYS_MAX) return err('too_many_keys')
    await insertKey(trx, {
      applicationId,
      apiKeyId,
      name,
      keyPrefix,
      keyHash,
      createdBy: command.requestedBy ?? actor.id,
      expiresAt: command.expiresAt ?? null,
      scopes: command.scopes ?? null,
    })
    const details = {
      name,
      keyPrefix,
      expiresAt: command.expiresAt?.toISOString() ?? null,
      othersExpireAt: command.othersExpireAt?.toISOString() ?? null,
      ...(command.scopes && { scopes: [...command.scopes] }),
      ...(replaces && { replaces: replaces.apiKeyId, replacedEndsAt: replaces.expiresAt.toISOString() }),
      ...(command.requestedBy !== undefined && { requestedBy: command.requestedBy }),
    }
    return done({ action: 'api_key.created', subject: apiKeyId, details }, { apiKeyId, apiKey })
  })
}

/** Ends an API key: within a second every process answers it with 401. */
export async function revokeApiKey(
  pool: Pool,
  command: { applicationId: string; apiKeyId: string; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_key'>> {
  const { applicationId, apiKeyId } = command
  return runCommand(pool, command, 'access:revoke', async (trx) => {
    const revoked = await revokeKeyRow(trx, applicationId, apiKeyId)
    if (!revoked) return err('unknown_key')
    return done({ action: 'api_key.revoked', subject: apiKeyId, details: { keyPrefix: revoked.keyPrefix } })
  })
}

/** Makes a new webhook secret, returned only once. Earlier secrets also sign until `othersExpireAt`. */
export async function rotateWebhookSecret(
  database: Database,
  command: { applicationId: string; othersExpireAt: Date; actor: CommandActor },
): Promise<Result<{ webhookSecret: string }, 'not_permitted' | 'unknown_application'>> {
  const { applicationId, othersExpireAt } = command
  const webhookSecret = generateWebhookSecret()
  return runCommand(database, command, 'access:change', async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    await expireWebhookSecrets(trx, applicationId, othersExpireAt)
    await insertWebhookSecret(trx, applicationId, randomUUID(), webhookSecret)
    const details = { othersExpireAt: othersExpireAt.toISOString() }
    return done({ action: 'webhook_secret.rotated', subject: applicationId, details }, { webhookSecret })
  })
}
