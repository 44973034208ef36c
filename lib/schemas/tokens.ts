import { z } from 'zod'
import { hasNul, mustBe } from './problems.ts'

// Longer credentials are not issued, and hashing a megabyte of password wastes time.
const CREDENTIAL_LENGTH_MAX = 1_000

function credentialField(name: string) {
  const error = mustBe(name, `a text of 1 to ${CREDENTIAL_LENGTH_MAX} characters`)
  return z
    .string({ error })
    .min(1, { error })
    .max(CREDENTIAL_LENGTH_MAX, { error })
    .refine((text) => !hasNul(text), { error })
}

const error = 'The body must be a JSON object.'

/** Body of POST /public/access_token. */
export const accessTokenRequestSchema = z
  .object({ username: credentialField('username'), password: credentialField('password') }, { error })
  .meta({ id: 'AccessTokenRequest' })

/** Body of POST /public/refresh_token. */
export const refreshTokenRequestSchema = z
  .object({ refreshToken: credentialField('refreshToken') }, { error })
  .meta({ id: 'RefreshTokenRequest' })

/** Answer of both. */
export const tokenResponseSchema = z
  .object({ access_token: z.string(), refresh_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() })
  .meta({ id: 'TokenResponse' })
