import { listAccess } from '#server/applications/access/access-store.ts'
import { createApiKey, revokeApiKey, rotateWebhookSecret } from '#server/applications/access/api-keys.ts'
import { allowAddress, denyAddress } from '#server/applications/access/change-networks.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { blockApiUser, createApiUser, resetApiUserPassword } from '#server/partner-auth/api-users.ts'
import { AdminError, type Command, type Options, type Output, optional, required, unwrap } from './command.ts'
import { apiUserOf, applicationOf, hoursFromNow, textOf } from './read-options.ts'

const actor = SYSTEM_ACTOR
const OVERLAP_HOURS = 24

/** Keys, API users, addresses and webhook secrets: what partners' programs use. */
export const ACCESS_COMMANDS: readonly Command[] = [
  {
    name: 'create-key',
    summary: 'Make an API key; with --others-expire-in-hours the present ones end then',
    options: {
      application: required('ID|NAME'),
      name: optional('NAME'),
      'expires-in-days': optional('DAYS'),
      'others-expire-in-hours': optional('HOURS'),
    },
    async run(pool, options) {
      const { applicationId, apiId } = await applicationOf(pool, options)
      const created = unwrap(
        await createApiKey(pool, {
          applicationId,
          name: options['name'] ?? 'Made at the command line',
          actor,
          expiresAt: hoursFromNow(options, 'expires-in-days', 24),
          othersExpireAt: hoursFromNow(options, 'others-expire-in-hours'),
        }),
      )
      return { facts: { applicationId, apiId, keyId: created.apiKeyId, apiKey: created.apiKey }, showsSecret: true }
    },
  },
  {
    name: 'revoke-key',
    summary: 'End an API key now',
    options: { application: required('ID|NAME'), key: required('ID|BEGINNING') },
    run: revokeKey,
  },
  {
    name: 'create-api-user',
    summary: "Make a partner program's sign-in",
    options: { application: required('ID|NAME'), username: required('NAME') },
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const username = textOf(options, 'username').trim()
      const created = unwrap(await createApiUser(pool, { applicationId, username, actor }))
      return { facts: { applicationId, apiUserId: created.apiUserId, username, password: created.password }, showsSecret: true }
    },
  },
  {
    name: 'reset-api-password',
    summary: 'Set a new password for a partner program',
    options: { username: required('NAME') },
    async run(pool, options) {
      const { password } = unwrap(await resetApiUserPassword(pool, { ...(await apiUserOf(pool, options)), actor }))
      return { facts: { username: textOf(options, 'username'), password }, showsSecret: true }
    },
  },
  {
    name: 'block api-user',
    summary: 'Answer its calls with 403',
    options: { username: required('NAME') },
    run: (pool, options) => setBlocked(pool, options, true),
  },
  {
    name: 'unblock api-user',
    summary: 'Let it call again',
    options: { username: required('NAME') },
    run: (pool, options) => setBlocked(pool, options, false),
  },
  {
    name: 'allow-address',
    summary: 'Put an address or network on the allow list',
    options: { application: required('ID|NAME'), address: required('ADDRESS|NETWORK'), note: optional('TEXT') },
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const { network } = unwrap(
        await allowAddress(pool, { applicationId, network: textOf(options, 'address'), note: options['note'] ?? '', actor }),
      )
      return { facts: { applicationId, allowed: network } }
    },
  },
  {
    name: 'deny-address',
    summary: 'Take it off the allow list',
    options: { application: required('ID|NAME'), address: required('ADDRESS|NETWORK') },
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      unwrap(await denyAddress(pool, { applicationId, network: textOf(options, 'address'), actor }))
      return { facts: { applicationId, denied: textOf(options, 'address') } }
    },
  },
  {
    name: 'webhook-secret rotate',
    summary: `Make a new webhook secret; the present one signs too for --overlap-hours (${OVERLAP_HOURS})`,
    options: { application: required('ID|NAME'), 'overlap-hours': optional('HOURS') },
    usesSecrets: true,
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const othersExpireAt = hoursFromNow({ 'overlap-hours': String(OVERLAP_HOURS), ...options }, 'overlap-hours') ?? new Date()
      const { webhookSecret } = unwrap(await rotateWebhookSecret(pool, { applicationId, othersExpireAt, actor }))
      return { facts: { applicationId, webhookSecret, presentOneEnds: othersExpireAt.toISOString() }, showsSecret: true }
    },
  },
]

async function revokeKey(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const wanted = textOf(options, 'key')
  const { keys } = await listAccess(pool, applicationId)
  const matches = keys.filter(
    (key) =>
      key.revokedAt === null &&
      (key.apiKeyId === wanted || (wanted.length >= 8 && wanted.startsWith(key.keyPrefix)) || key.keyPrefix === wanted),
  )
  if (matches.length > 1) throw new AdminError('More than one key has this prefix: use the id (npm run admin -- list --application …).')
  const apiKeyId = matches[0]?.apiKeyId
  if (!apiKeyId) throw new AdminError('There is no such key that still works.')
  unwrap(await revokeApiKey(pool, { applicationId, apiKeyId, actor }))
  return { facts: { applicationId, revoked: apiKeyId } }
}

async function setBlocked(pool: Pool, options: Options, isBlocked: boolean): Promise<Output> {
  unwrap(await blockApiUser(pool, { ...(await apiUserOf(pool, options)), isBlocked, actor }))
  return { facts: { username: textOf(options, 'username'), blocked: isBlocked ? 'yes' : 'no' } }
}
