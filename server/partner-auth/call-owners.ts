import type { RefusalCause } from '#lib/partner/partner-requests.ts'
import type { Directory } from '#server/applications/directory.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import type { AccessClaims, Tokens } from './access-token.ts'
import { bearerOf, type Credentials } from './authenticate-caller.ts'
import { selectKeysByHash } from './caller-records-store.ts'

/** The credentials of a call, kept until its application is found: no key, only its digest. */
export type UnownedCall = { apiId: string | undefined; keyHash: Buffer | undefined; token: string; address: string; at: Date }

export type OwnerDeps = { pool: Pool; tokens: Pick<Tokens, 'explain'>; directory: Pick<Directory, 'findByApiId' | 'find'> }

/** The application that a call belongs to. `keyPrefix` is the visible beginning of its key; `cause`: the first credential that is wrong. */
type CallOwner = { applicationId: string; keyPrefix: string | undefined; cause: RefusalCause | undefined }

const TOKEN_LENGTH_MAX = 4_096

/** Keeps what is needed to find the application of a call later. */
export function withoutOwner(credentials: Credentials, address: string, at: Date): UnownedCall {
  const token = bearerOf(credentials)
  return {
    apiId: credentials.apiId,
    keyHash: credentials.apiKey ? digest(credentials.apiKey) : undefined,
    token: token.length > TOKEN_LENGTH_MAX ? 'too long' : token,
    address,
    at,
  }
}

/**
 * Finds the application of each call and what is wrong with its credentials, in one statement for all of them. A call belongs to the
 * application of its key, even of one that has ended, because nobody else has it; else to that of a token which we signed; else to that of
 * its apiId, which is not a secret. A call with none of the three belongs to nobody: undefined in its place.
 */
export async function findOwners(deps: OwnerDeps, calls: readonly UnownedCall[]): Promise<(CallOwner | undefined)[]> {
  if (calls.length === 0) return []
  const { pool, tokens, directory } = deps
  const hashes = new Map(calls.flatMap(({ keyHash }) => (keyHash ? [[keyHash.toString('hex'), keyHash] as const] : [])))
  const keys = hashes.size === 0 ? new Map() : await selectKeysByHash(pool, [...hashes.values()])
  const owners: (CallOwner | undefined)[] = []
  for (const call of calls) {
    const key: KnownKey | undefined = call.keyHash && keys.get(call.keyHash.toString('hex'))
    const claims = call.token === '' ? undefined : await tokens.explain(call.token)
    const named = directory.findByApiId(call.apiId ?? '')
    const applicationId = key?.applicationId ?? claims?.applicationId ?? named?.applicationId
    const application = applicationId === undefined ? undefined : directory.find(applicationId)
    if (!application) {
      owners.push(undefined)
      continue
    }
    const facts = {
      isApiIdRight: named?.applicationId === application.applicationId,
      claims,
      applicationId: application.applicationId,
      currentEpoch: claims && application.apiUserEpochs.get(claims.apiUserId),
    }
    owners.push({ applicationId: application.applicationId, keyPrefix: key?.keyPrefix, cause: causeOf(call, key, facts) })
  }
  return owners
}

type KnownKey = { applicationId: string; keyPrefix: string; isRevoked: boolean; isExpired: boolean }
type Facts = { isApiIdRight: boolean; applicationId: string; claims: AccessClaims | undefined; currentEpoch: number | undefined }

/** The first thing that is wrong; undefined if everything is right, or has become right in the meantime. */
function causeOf({ apiId, keyHash, token, at }: UnownedCall, key: KnownKey | undefined, facts: Facts): RefusalCause | undefined {
  const { isApiIdRight, applicationId, claims, currentEpoch } = facts
  if (!keyHash) return 'key_missing'
  if (!key) return 'key_unknown'
  if (key.isRevoked) return 'key_revoked'
  if (key.isExpired) return 'key_expired'
  if (apiId === undefined) return 'api_id_missing'
  if (!isApiIdRight) return 'api_id_wrong'
  if (token === '') return 'token_missing'
  if (!claims) return 'token_unreadable'
  if (claims.applicationId !== applicationId) return 'token_foreign'
  if (claims.expiresAtMs <= at.getTime()) return 'token_expired'
  if (currentEpoch === undefined || claims.epoch < currentEpoch) return 'token_ended'
  return undefined
}
