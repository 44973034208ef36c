import { ACCESS_TOKEN_CAUSES, ANY_BODY, anyRequest, REFRESH_TOKEN_CAUSES, SMALL_BODY } from '../error-causes.ts'
import { TOKEN_FIELD_CAUSES } from '../input-causes.ts'
import type { Operation } from '../operation.ts'
import { ref } from '../operation.ts'

const TOKENS = {
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhcGkifQ.example-of-a-signature',
  refresh_token: 'rt_Vb1tq0x7nKcQ2mZs8LwYh4Jd',
  token_type: 'Bearer',
  expires_in: 3600,
}

export const TOKEN_OPERATIONS: Operation[] = [
  {
    path: '/public/access_token',
    method: 'post',
    id: 'accessToken',
    tag: 'Tokens',
    summary: 'Exchange a user name and password for tokens',
    description:
      'Returns an access token, valid for an hour, and a refresh token, valid for 30 days. Needs neither apiKey nor apiId.\n\n' +
      'Keep the access token until it expires and share it between your processes: attempts are throttled for each user name and address.',
    body: {
      schema: ref('AccessTokenRequest'),
      description: 'The user name and password of an API user.',
      example: { username: 'api@partner.example', password: 'correct-horse-battery-staple' },
    },
    answer: { schema: ref('TokenResponse'), description: 'The tokens.', examples: { tokens: { summary: 'Tokens', value: TOKENS } } },
    causes: [...TOKEN_FIELD_CAUSES.access, ...ANY_BODY, SMALL_BODY, ...ACCESS_TOKEN_CAUSES, ...anyRequest('POST')],
    isOpen: true,
  },
  {
    path: '/public/refresh_token',
    method: 'post',
    id: 'refreshToken',
    tag: 'Tokens',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'Returns a new pair of tokens and ends the refresh token that was sent. Call it when expires_in has almost passed, or after a 401.\n\n' +
      'If the response is lost, the same refresh token works for another 30 s. Used later, it ends all tokens that came from it, because ' +
      'somebody else may have it: sign in with access_token then.',
    body: {
      schema: ref('RefreshTokenRequest'),
      description: 'The newest refresh token.',
      example: { refreshToken: TOKENS.refresh_token },
    },
    answer: {
      schema: ref('TokenResponse'),
      description: 'The new tokens.',
      examples: { tokens: { summary: 'New tokens', value: TOKENS } },
    },
    causes: [...TOKEN_FIELD_CAUSES.refresh, ...ANY_BODY, SMALL_BODY, ...REFRESH_TOKEN_CAUSES, ...anyRequest('POST')],
    isOpen: true,
  },
]
