import { z } from 'zod'
import { API_SCOPES } from '#lib/partner/api-scopes.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { findApiUserById, findLiveKey } from '#server/applications/access/access-store.ts'
import { createApiKey, rotateWebhookSecret } from '#server/applications/access/api-keys.ts'
import { type ChangeKind, defineKind } from '#server/changes/change-kind.ts'
import { blockApiUser, createApiUser, resetApiUserPassword } from '#server/partner-auth/api-users.ts'

const HOUR_MS = 3_600_000
/** For how long the old secret works beside the new one, from when the new one is collected: at most thirty days. */
const overlapHours = z.int().min(0).max(720)
const oneApiUser = z.strictObject({ apiUserId: z.uuid() })

const scopesField = z
  .array(z.enum(API_SCOPES))
  .min(1)
  .refine((scopes) => new Set(scopes).size === scopes.length)

const keyCreation: ChangeKind = defineKind({
  schema: z.strictObject({ name: text(200).min(1), scopes: scopesField.optional() }),
  subjectOf: ({ name }) => name,
  async read(_queryable, _applicationId, { name, scopes }) {
    return ok({ before: { newKey: null }, after: { newKey: name, ...(scopes && { scopes }) } })
  },
  async collect(trx, { applicationId, payload, actor, collectorId }) {
    const { name, scopes = null } = payload
    return secretOf('apiKey', await createApiKey(trx, { applicationId, name, scopes, actor, requestedBy: collectorId }))
  },
})

/** A new key with the name and the scopes of an old one, which ends when the overlap is over. The overlap begins when the new key is collected. */
const keyRotation: ChangeKind = defineKind({
  schema: z.strictObject({ apiKeyId: z.uuid(), overlapHours }),
  subjectOf: ({ apiKeyId }) => apiKeyId,
  async read(queryable, applicationId, { apiKeyId, overlapHours }) {
    const key = await findLiveKey(queryable, applicationId, apiKeyId)
    if (!key) return err('unknown_key')
    const about = `${key.name} (${key.keyPrefix}…)`
    const { name, scopes } = key
    return ok({
      before: { about, newKey: null, overlapHours: null },
      after: { about, newKey: name, overlapHours, ...(scopes && { scopes }) },
    })
  },
  async collect(trx, { applicationId, payload: { apiKeyId, overlapHours }, actor, collectorId, now }) {
    const key = await findLiveKey(trx, applicationId, apiKeyId)
    if (!key) return err('unknown_key')
    const replaces = { apiKeyId, expiresAt: new Date(now.getTime() + overlapHours * HOUR_MS) }
    const { name, scopes } = key
    return secretOf('apiKey', await createApiKey(trx, { applicationId, name, scopes, actor, requestedBy: collectorId, replaces }))
  },
})

const apiUserCreation: ChangeKind = defineKind({
  schema: z.strictObject({
    username: text(320)
      .min(3)
      .refine((value) => !/\s/.test(value)),
  }),
  subjectOf: ({ username }) => username,
  async read(_queryable, _applicationId, { username }) {
    return ok({ before: { newUser: null }, after: { newUser: username } })
  },
  async collect(trx, { applicationId, payload, actor, collectorId }) {
    return secretOf('password', await createApiUser(trx, { applicationId, username: payload.username, actor, requestedBy: collectorId }))
  },
})

const passwordReset: ChangeKind = defineKind({
  schema: oneApiUser,
  subjectOf: ({ apiUserId }) => apiUserId,
  async read(queryable, applicationId, { apiUserId }) {
    const user = await findApiUserById(queryable, applicationId, apiUserId)
    if (!user) return err('unknown_user')
    return ok({ before: { about: user.username, hasNewPassword: false }, after: { about: user.username, hasNewPassword: true } })
  },
  async collect(trx, { applicationId, payload: { apiUserId }, actor, collectorId }) {
    return secretOf('password', await resetApiUserPassword(trx, { applicationId, apiUserId, actor, requestedBy: collectorId }))
  },
})

const unblocking: ChangeKind = defineKind({
  schema: oneApiUser,
  subjectOf: ({ apiUserId }) => apiUserId,
  async read(queryable, applicationId, { apiUserId }) {
    const user = await findApiUserById(queryable, applicationId, apiUserId)
    if (!user) return err('unknown_user')
    return ok({ before: { about: user.username, isBlocked: user.isBlocked }, after: { about: user.username, isBlocked: false } })
  },
  apply: (trx, { applicationId, payload, actor }) => blockApiUser(trx, { applicationId, ...payload, isBlocked: false, actor }),
})

const webhookSecretRotation: ChangeKind = defineKind({
  schema: z.strictObject({ overlapHours }),
  subjectOf: () => 'webhook secret',
  async read(_queryable, _applicationId, { overlapHours }) {
    return ok({ before: { hasNewSecret: false, overlapHours: null }, after: { hasNewSecret: true, overlapHours } })
  },
  async collect(trx, { applicationId, payload, actor, now }) {
    const othersExpireAt = new Date(now.getTime() + payload.overlapHours * HOUR_MS)
    return secretOf('webhookSecret', await rotateWebhookSecret(trx, { applicationId, othersExpireAt, actor }))
  },
})

function secretOf<Name extends string>(
  name: Name,
  made: Result<Readonly<Record<Name, string>>, string>,
): Result<{ name: Name; value: string }, string> {
  return made.ok ? ok({ name, value: made.value[name] }) : made
}

export const CREDENTIAL_KINDS = {
  'key.create': keyCreation,
  'key.rotate': keyRotation,
  'api_user.create': apiUserCreation,
  'api_user.reset': passwordReset,
  'api_user.unblock': unblocking,
  'webhook_secret.rotate': webhookSecretRotation,
}
