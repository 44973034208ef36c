import { timingSafeEqual } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { ApiKeySnapshot, ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Tokens } from './access-token.ts'

/** The three headers as they arrived; absent ones undefined. */
export type Credentials = { apiKey: string | undefined; apiId: string | undefined; authorization: string | undefined }

/** A program that proved who it is. Whether it may come in is `admitCaller`'s question. */
export type Caller = { application: ApplicationSnapshot; apiUserId: string; apiKeyId: string; scopes: ApiKeySnapshot['scopes'] }

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i
/** The keys that a call of an unknown application is compared with: the work must be the same. */
const NO_KEYS: readonly ApiKeySnapshot[] = [{ apiKeyId: '', keyPrefix: '', hash: Buffer.alloc(32), expiresAt: new Date(0), scopes: null }]

/**
 * Checks apiKey, apiId and bearer token. All three are always checked, digests are compared in constant time, and the
 * refusal is the same whichever is wrong. The token must name an API user of this application, and its epoch must not have
 * been ended since. Everything is looked up in memory.
 */
export async function authenticateCaller(
  directory: Directory,
  tokens: Tokens,
  credentials: Credentials,
): Promise<Result<Caller, 'unauthenticated'>> {
  const application = directory.findByApiId(credentials.apiId ?? '')
  const now = tokens.clock.now()
  const key = findKey(application?.keys ?? NO_KEYS, credentials.apiKey ?? '', now)
  const verified = tokens.verify(bearerOf(credentials))
  const claims = verified instanceof Promise ? await verified : verified
  // A token of another application than the key's proves nothing here.
  if (!application || !key || claims?.applicationId !== application.applicationId) return err('unauthenticated')
  const currentEpoch = application.apiUserEpochs.get(claims.apiUserId)
  // A higher epoch is a token that was issued by another process after a change that this one reads within the next quarter second.
  if (currentEpoch === undefined || claims.epoch < currentEpoch) return err('unauthenticated')
  return ok({ application, apiUserId: claims.apiUserId, apiKeyId: key.apiKeyId, scopes: key.scopes })
}

/** The token of the Authorization header; empty if there is none. */
export function bearerOf({ authorization }: Pick<Credentials, 'authorization'>): string {
  return BEARER.exec(authorization ?? '')?.[1] ?? ''
}

/** Returns the key, if it works now. All keys are compared, whichever is right. */
function findKey(keys: readonly ApiKeySnapshot[], apiKey: string, now: Date): ApiKeySnapshot | undefined {
  const given = digest(apiKey)
  let found: ApiKeySnapshot | undefined
  for (const key of keys.length > 0 ? keys : NO_KEYS) {
    const isEqual = timingSafeEqual(given, key.hash)
    found = isEqual && (key.expiresAt === null || key.expiresAt > now) ? key : found
  }
  return found
}

export type AdmissionFailure = 'address_not_allowed' | 'user_blocked' | 'application_disabled'

/**
 * Whether a caller who proved who it is may come in: address, then user, then application; each a 403.
 * `peerAddress` is the socket's, or what a trusted proxy says.
 */
export function admitCaller({ application, apiUserId }: Caller, peerAddress: string): Result<void, AdmissionFailure> {
  if (!application.allowList.admits(peerAddress)) return err('address_not_allowed')
  if (application.blockedApiUserIds.has(apiUserId)) return err('user_blocked')
  return application.isEnabled ? ok(undefined) : err('application_disabled')
}
