import { joinProblems } from '#lib/schemas/fields.ts'
import { refuseAdmission, refuseScope } from '#server/http/api/authenticate.ts'
import { DATABASE_AWAY, INTERNAL_ERROR, OVERLOADED, type Refusal, refuse, UNAUTHENTICATED } from '#server/http/api/errors.ts'
import { BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX, refuseBody, refuseType } from '#server/http/api/read-json-body.ts'
import { refuseRequest } from '#server/http/api/request-limit.ts'
import { NO_TRANSACTION, refuseSynchronisation } from '../endpoints/status.ts'
import { refuseIssue, refuseRefresh } from '../endpoints/tokens.ts'

/** One reason for which a request is refused. `message` is what the code that refuses says, for the values of the examples. */
export type ErrorCause = Refusal & { id: string; summary: string; remedy: string }

/** Describes a refusal. The message comes from the function that refuses, so that the reference cannot drift from it. */
export function cause(id: string, refusal: Refusal, summary: string, remedy: string): ErrorCause {
  return { id, ...refusal, summary, remedy }
}

/** A 400 for these sentences, as endpoints join them. */
export function badInput(sentences: readonly string[]): Refusal {
  if (sentences.length === 0) throw new Error('An example of wrong input is right')
  return refuse(400, 'fields_invalid', joinProblems(sentences))
}

const RETRY = 'Retry the same request after the seconds in Retry-After. A retry with the same externalId starts nothing twice.'

/** Any request to a path with this method. */
export function anyRequest(method: 'GET' | 'POST' | 'GET or POST'): ErrorCause[] {
  return [
    cause(
      'header_repeated',
      refuse(400, 'header_repeated', 'The header apiKey must not be repeated.'),
      'A header is there twice: apiKey, apiId, Authorization, Content-Type, Content-Encoding or Host',
      'Send each of them once. A proxy or an HTTP library that adds its own copy is the usual reason.',
    ),
    cause(
      'method',
      refuse(405, 'method_not_allowed', `The method must be ${method} here.`),
      'The path exists and the method is another one',
      'Use the method that the header Allow names.',
    ),
    cause(
      'internal',
      INTERNAL_ERROR,
      'Something failed inside the service',
      'Retry after a few seconds. A payment is safe to repeat with the same externalId: it is started once.',
    ),
    cause('database_away', DATABASE_AWAY, 'The database of the service did not answer, or its connection was lost', RETRY),
  ]
}

/** Operations that require the three credentials. */
export const ANY_CALLER: readonly ErrorCause[] = [
  cause(
    'credentials',
    UNAUTHENTICATED,
    'apiKey, apiId or the access token is missing, wrong, revoked or expired, or apiId belongs to another apiKey',
    'Renew the token with refresh_token, once, and repeat the call. If it is refused again, check apiKey and apiId: the message is the same for all of them.',
  ),
  cause(
    'address_not_allowed',
    refuseAdmission('address_not_allowed', '203.0.113.24'),
    'Your address is not on the allow list of the application',
    'An administrator of the application adds the address that the message names.',
  ),
  cause(
    'user_blocked',
    refuseAdmission('user_blocked', undefined),
    'The API user is blocked',
    'Sign in as another API user, or have an administrator unblock this one.',
  ),
  cause(
    'application_disabled',
    refuseAdmission('application_disabled', undefined),
    'The application is disabled',
    'Ask your contact at the service.',
  ),
]

/** Operations of version 2. */
export const ANY_LIMITED_CALLER: readonly ErrorCause[] = [
  ...ANY_CALLER,
  cause(
    'scope_missing',
    exampleOfScope(),
    'The apiKey is limited to other scopes',
    'Use a key that may do this, or have two administrators make one.',
  ),
  cause(
    'too_many_requests',
    refuseRequest(1_000),
    'The application has used up its allowance of requests',
    'Wait for the seconds in Retry-After. The header RateLimit of every answer says how many requests are left.',
  ),
]

/** Operations that read a JSON body. */
export const ANY_BODY: readonly ErrorCause[] = [
  cause(
    'body_empty',
    refuse(400, 'body_empty', 'The body is empty: JSON is required.'),
    'There is no body',
    'Send the JSON document of the operation.',
  ),
  cause(
    'body_not_json',
    refuse(400, 'body_not_json', 'The body is not valid JSON: a name in double quotes was expected at position 1.'),
    'The body is not JSON, or not UTF-8',
    'Let a JSON library write the body. The message names the position.',
  ),
  cause(
    'body_slow',
    refuseBody('too_slow', BODY_BYTES_MAX),
    'The body did not arrive within ten seconds',
    'Retry; check the connection and the Content-Length.',
  ),
  cause(
    'content_type',
    refuse415({ 'content-type': 'text/plain' }),
    'The content type is not application/json in UTF-8',
    'Send Content-Type: application/json.',
  ),
  cause(
    'content_encoding',
    refuse415({ 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    'The body is compressed',
    'Send it uncompressed.',
  ),
  cause('bodies_waiting', refuseBody('no_room', BODY_BYTES_MAX), 'The service is receiving too many large bodies', RETRY),
]

/** Operations with a body of at most 64 KB. */
export const SMALL_BODY = cause(
  'body_too_large',
  refuseBody('too_large', BODY_BYTES_MAX),
  'The body has more than 64 KB',
  'Leave out what the operation does not need. Use depositMultiple for several deposits.',
)

export const BATCH_BODY = cause(
  'body_too_large',
  refuseBody('too_large', BATCH_BODY_BYTES_MAX),
  'The body has more than 5 MB',
  'Send fewer elements in several requests.',
)

/** Operations that start transactions. */
export const QUEUE_FULL = cause('overloaded', OVERLOADED, 'The service has more requests than it can take', RETRY)

export const UNKNOWN_TRANSACTION = cause(
  'unknown_transaction',
  NO_TRANSACTION,
  'No transaction of your application has this id',
  'Use the transactionId of the response that started it. To find a lost one, repeat the request with the same externalId.',
)

export const SYNCHRONISE_CAUSES: readonly ErrorCause[] = [
  cause(
    'too_many_queries',
    refuseSynchronisation({ code: 'throttled', retryAfterMs: 1_000 }),
    'The application forces more queries than its allowance: 200 at once, then 10 a second',
    'Wait for the seconds in Retry-After, or read transaction-status, which has no such limit.',
  ),
  cause(
    'operator_unavailable',
    refuseSynchronisation('operator_unavailable'),
    'The operator is down or did not answer within ten seconds',
    'Retry after a few seconds. The stored status is unchanged, and the service goes on asking the operator.',
  ),
  cause(
    'query_overloaded',
    refuseSynchronisation('busy'),
    'Too many queries are waiting for this operator',
    'Retry after the seconds in Retry-After.',
  ),
]

const BLOCKED_USER = cause(
  'user_blocked',
  refuseIssue({ kind: 'user_blocked' }),
  'The API user is blocked',
  'Have an administrator unblock it.',
)
const DISABLED_APPLICATION = cause(
  'application_disabled',
  refuseIssue({ kind: 'application_disabled' }),
  'The application is disabled',
  'Ask your contact at the service.',
)

export const ACCESS_TOKEN_CAUSES: readonly ErrorCause[] = [
  cause(
    'wrong_password',
    refuseIssue({ kind: 'wrong_credentials' }),
    'Invalid username or password',
    'Check both. Do not retry in a loop: attempts are throttled.',
  ),
  BLOCKED_USER,
  DISABLED_APPLICATION,
  cause(
    'too_many_attempts',
    refuseIssue({ kind: 'throttled', retryAfterMs: 4_000 }),
    'Too many attempts for this user name or from this address',
    'Wait for the seconds in Retry-After. Keep a token until it expires rather than fetching one for each call.',
  ),
]

export const REFRESH_TOKEN_CAUSES: readonly ErrorCause[] = [
  cause(
    'wrong_refresh_token',
    refuseRefresh('invalid_token'),
    'The refresh token is wrong, older than 30 days, or was used before',
    'Sign in with access_token. A token that is used twice ends all tokens that came from it.',
  ),
  BLOCKED_USER,
  DISABLED_APPLICATION,
  cause('too_many_exchanges', refuseRefresh('throttled'), 'Too many exchanges are in progress', 'Retry after the second in Retry-After.'),
]

function exampleOfScope(): Refusal {
  const refusal = refuseScope({ scopes: new Set() }, 'payments:write')
  if (!refusal) throw new Error('An example of a missing scope is right')
  return refusal
}

function refuse415(headers: Record<string, string>): Refusal {
  const refusal = refuseType({ header: (name) => headers[name] })
  if (!refusal) throw new Error('An example of a wrong content type is right')
  return refusal
}
