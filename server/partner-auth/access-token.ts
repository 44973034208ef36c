import { createHmac, createSecretKey, hash, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { Clock } from '#lib/time/time.ts'
import { createBoundedCache } from '#server/credentials/password.ts'

/** How long an access token is valid, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3_600
const AUDIENCE = 'countersign:api'
const ISSUER = 'countersign'
const VERIFIED_MAX = 20_000
const TOKEN_LENGTH_MAX = 4_096

/** The epoch of every API user until its tokens are first ended. */
const FIRST_EPOCH = 1

/** `epoch` counts how often the tokens of this user have been ended; see `authenticateCaller`. */
export type AccessClaims = { apiUserId: string; applicationId: string; epoch: number; expiresAtMs: number }

/** Signs and checks access tokens. */
export type Tokens = {
  clock: Clock
  sign(apiUserId: string, applicationId: string, epoch?: number): Promise<string>
  /**
   * The random part of the refresh token that replaces `refreshToken`: always the same 32 bytes, which cannot be computed
   * without the secret. A repeated exchange therefore returns the one successor again although only its digest is stored.
   */
  successorBytes(refreshToken: string): Buffer
  /** The claims of a token that we signed and that has not expired; immediately when this process has seen it before. */
  verify(token: string): AccessClaims | undefined | Promise<AccessClaims | undefined>
  /** The claims of a token that we signed, also after it expired; undefined for every other text. For saying why a call was refused. */
  explain(token: string): Promise<AccessClaims | undefined>
}

type TokensOptions = {
  clock: Clock
  /** Signs the tokens: the same in every process, at least 32 bytes of text. */
  secret: string
}

/**
 * JWTs with HS256: one service both signs and reads them. A verified token is remembered until it expires, so that the
 * second call of a partner costs one look-up. Throws when the secret is too short.
 */
export function createTokens({ clock, secret }: TokensOptions): Tokens {
  if (Buffer.byteLength(secret) < 32) throw new Error('The secret for access tokens must be at least 32 bytes')
  const key = createSecretKey(secret, 'utf8')
  const successorKey = createHmac('sha256', secret).update('successors of refresh tokens').digest()
  const verified = createBoundedCache<string, AccessClaims>(VERIFIED_MAX)

  async function read(token: string, at: Date): Promise<AccessClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'app', 'exp'],
        currentDate: at,
      })
      const { sub, exp, app, epoch } = payload
      if (typeof sub !== 'string' || typeof app !== 'string' || typeof epoch !== 'number' || exp === undefined) return undefined
      return { apiUserId: sub, applicationId: app, epoch, expiresAtMs: exp * 1_000 }
    } catch {
      // jose reports every kind of bad token by throwing; to us they are all the same.
      return undefined
    }
  }

  async function check(token: string, fingerprint: string): Promise<AccessClaims | undefined> {
    const claims = await read(token, clock.now())
    if (claims) verified.set(fingerprint, claims)
    return claims
  }

  return {
    clock,
    // At the beginning of time nothing has expired; the signature is checked all the same.
    explain: async (token) => (token.length > TOKEN_LENGTH_MAX ? undefined : read(token, new Date(0))),
    successorBytes: (refreshToken) => createHmac('sha256', successorKey).update(refreshToken).digest(),
    sign(apiUserId, applicationId, epoch = FIRST_EPOCH) {
      const issuedAt = Math.floor(clock.now().getTime() / 1_000)
      return new SignJWT({ app: applicationId, epoch })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(apiUserId)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
        .sign(key)
    },
    verify(token) {
      if (token.length > TOKEN_LENGTH_MAX) return undefined
      // By digest, so that the time of the look-up says nothing about the bytes of tokens in the cache.
      const fingerprint = hash('sha256', token, 'base64')
      const known = verified.get(fingerprint)
      if (!known) return check(token, fingerprint)
      if (known.expiresAtMs > clock.now().getTime()) return known
      verified.delete(fingerprint)
      return undefined
    },
  }
}
