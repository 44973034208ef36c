import { z } from 'zod'
import { hasNul, mustBe } from './problems.ts'

// Longer credentials are not issued, and hashing a megabyte of password wastes time.
const CREDENTIAL_LENGTH_MAX = 1_000

function credentialField(name: string, description: string) {
  const error = mustBe(name, `a text of 1 to ${CREDENTIAL_LENGTH_MAX} characters`)
  return z
    .string({ error })
    .min(1, { error })
    .max(CREDENTIAL_LENGTH_MAX, { error })
    .refine((text) => !hasNul(text), { error })
    .meta({ description })
}

const error = 'The body must be a JSON object.'

/** Body of POST /public/access_token. */
export const accessTokenRequestSchema = z
  .object(
    {
      username: credentialField('username', 'The user name of an API user, which looks like an e-mail address'),
      password: credentialField('password', 'The password of the API user'),
    },
    { error },
  )
  .meta({ id: 'AccessTokenRequest', description: 'The user name and password of an API user' })

/** Body of POST /public/refresh_token. */
export const refreshTokenRequestSchema = z
  .object({ refreshToken: credentialField('refreshToken', 'The refresh_token of the newest token response') }, { error })
  .meta({ id: 'RefreshTokenRequest', description: 'A refresh token' })

/** Answer of both. */
export const tokenResponseSchema = z
  .object({
    access_token: z.string().meta({ description: 'A JWT for the Authorization header' }),
    refresh_token: z.string().meta({
      description:
        'Valid for 30 days and for one exchange. The token that it replaced works for another 30 s, in case the response was lost',
    }),
    token_type: z.literal('Bearer').meta({ description: 'Always Bearer' }),
    expires_in: z.int().min(1).meta({ description: 'How many seconds access_token is valid' }),
  })
  .meta({ id: 'TokenResponse', description: 'An access token and the refresh token that renews it' })
