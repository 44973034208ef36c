import type { RefusalCause } from '#lib/refusal-cause.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { Pool } from '#server/database/pool.ts'
import type { AccessClaims, Tokens } from './access-token.ts'
import type { FoundRefusal, RefusedRequest } from './aggregate-refusals.ts'
import { selectKeysByHash } from './caller-records-store.ts'

/** A call with wrong credentials, kept until its cause is found: no key, only its digest. */
export type UnexplainedRefusal = {
  apiId: string | undefined
  keyHash: Buffer | undefined
  token: string
  address: string
  at: Date
  request?: RefusedRequest | undefined
}

type Dependencies = { pool: Pool; tokens: Pick<Tokens, 'explain'>; directory: Pick<Directory, 'findByApiId' | 'find'> }
type KnownKey = { applicationId: string; keyPrefix: string; isRevoked: boolean; isExpired: boolean }

/**
 * Finds out why calls were refused with 401, in one statement for all of them. A call belongs to the application of its key, even of one
 * that has ended, because nobody else has it; else to that of a token which we signed; else to that of its apiId, which is not a secret. A
 * call with none of the three belongs to nobody and is left out.
 */
export async function explainRefusals(dependencies: Dependencies, refusals: readonly UnexplainedRefusal[]): Promise<FoundRefusal[]> {
  if (refusals.length === 0) return []
  const { pool, tokens, directory } = dependencies
  const hashes = new Map(refusals.flatMap(({ keyHash }) => (keyHash ? [[keyHash.toString('hex'), keyHash] as const] : [])))
  const keys = await selectKeysByHash(pool, [...hashes.values()])
  const explained: FoundRefusal[] = []
  for (const refusal of refusals) {
    const key = refusal.keyHash && keys.get(refusal.keyHash.toString('hex'))
    const claims = refusal.token === '' ? undefined : await tokens.explain(refusal.token)
    const named = directory.findByApiId(refusal.apiId ?? '')
    const applicationId = key?.applicationId ?? claims?.applicationId ?? named?.applicationId
    const application = applicationId === undefined ? undefined : directory.find(applicationId)
    if (!application) continue
    const cause = causeOf(refusal, key, {
      isApiIdRight: named?.applicationId === application.applicationId,
      claims,
      applicationId: application.applicationId,
      currentEpoch: claims && application.apiUserEpochs.get(claims.apiUserId),
    })
    if (cause === undefined) continue
    const { address, at, request } = refusal
    const subject = key ? `${key.keyPrefix}…` : ''
    explained.push({ applicationId: application.applicationId, cause, address, subject, at, request })
  }
  return explained
}

type Facts = { isApiIdRight: boolean; applicationId: string; claims: AccessClaims | undefined; currentEpoch: number | undefined }

/** The first thing that is wrong; undefined if everything has become right in the meantime. */
function causeOf({ apiId, keyHash, token, at }: UnexplainedRefusal, key: KnownKey | undefined, facts: Facts): RefusalCause | undefined {
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
