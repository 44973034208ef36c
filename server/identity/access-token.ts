import { createSecretKey, hash, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { Clock } from '#lib/time.ts'
import { createBoundedCache } from './bounded-cache.ts'

/** How long an access token works (DESIGN 5, Tokens). */
export const ACCESS_TOKEN_SECONDS = 3_600
const AUDIENCE = 'countersign:api'
const ISSUER = 'countersign'
const VERIFIED_MAX = 20_000
const TOKEN_LENGTH_MAX = 4_096

export type AccessClaims = { apiUserId: string; applicationId: string; expiresAtMs: number }

/** Signs and checks access tokens. */
export type Tokens = {
  clock: Clock
  sign(apiUserId: string, applicationId: string): Promise<string>
  /** The claims of a token that we signed and that has not expired; at once when this process has seen it before. */
  verify(token: string): AccessClaims | undefined | Promise<AccessClaims | undefined>
}

export type TokensOptions = {
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
  const verified = createBoundedCache<string, AccessClaims>(VERIFIED_MAX)

  async function check(token: string, fingerprint: string): Promise<AccessClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'app', 'exp'],
        currentDate: clock.now(),
      })
      if (typeof payload.sub !== 'string' || typeof payload['app'] !== 'string' || payload.exp === undefined) return undefined
      const claims = { apiUserId: payload.sub, applicationId: payload['app'], expiresAtMs: payload.exp * 1_000 }
      verified.set(fingerprint, claims)
      return claims
    } catch {
      // jose reports every kind of bad token by throwing; to us they are all the same.
      return undefined
    }
  }

  return {
    clock,
    sign(apiUserId, applicationId) {
      const issuedAt = Math.floor(clock.now().getTime() / 1_000)
      return new SignJWT({ app: applicationId })
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
