import { type JsonValue, parseJson } from '#lib/json.ts'
import { parseFields } from '#lib/schemas/problems.ts'
import { rangeQuerySchema, statusQuerySchema } from '#lib/schemas/queries.ts'
import { accessTokenRequestSchema, refreshTokenRequestSchema } from '#lib/schemas/tokens.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { badInput, cause, type ErrorCause } from './error-causes.ts'

// Why the body of a token request or a query is refused. The messages come from the schemas that refuse.

/** Reads an example as endpoints read a body. */
export function readExample(text: string): JsonValue {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error('An example is not JSON')
  return parsed.value
}

function wrongQuery(schema: typeof statusQuerySchema | typeof rangeQuerySchema, search: string): Refusal {
  const query = readQuery({ search }, schema)
  if (query.ok) throw new Error('An example of a wrong query is right')
  return query.error
}

export const REPEATED_FIELD = cause(
  'field_repeated',
  badInput(problemsOfText('{"username":"api@partner.example","password":"a","password":"b"}')),
  'The body has a field twice',
  'Send each field once.',
)

function problemsOfText(text: string): string[] {
  const parsed = parseFields(accessTokenRequestSchema, readExample(text))
  return parsed.ok ? [] : parsed.error
}

/** Why the token endpoints refuse their content. */
export const TOKEN_FIELD_CAUSES: Record<'access' | 'refresh', readonly ErrorCause[]> = {
  access: [
    cause(
      'field_missing',
      badInput(problemsOfText('{"username":"api@partner.example"}')),
      'A field is missing',
      'Send username and password.',
    ),
    REPEATED_FIELD,
  ],
  refresh: [cause('field_missing', badInput(problemsOfRefresh()), 'refreshToken is missing', 'Send refreshToken, written like this.')],
}

function problemsOfRefresh(): string[] {
  const parsed = parseFields(refreshTokenRequestSchema, readExample('{"refresh_token":"a"}'))
  return parsed.ok ? [] : parsed.error
}

/** Operations with query parameters. */
export const QUERY_CAUSES: readonly ErrorCause[] = [
  cause(
    'parameter_invalid',
    wrongQuery(statusQuerySchema, 'id=1001'),
    'A query parameter is missing or invalid',
    'Correct the parameters that the message names.',
  ),
  cause('parameter_repeated', wrongQuery(statusQuerySchema, 'id=1&id=2'), 'A query parameter is there twice', 'Send each of them once.'),
]

export const RANGE_CAUSE = cause(
  'range_reversed',
  wrongQuery(rangeQuerySchema, 'startDate=2026-03-31&endDate=2026-03-01&status=SUCCESS'),
  'endDate is before startDate',
  'Exchange them. For one day, send it as both.',
)

export const TOO_MANY_PARAMETERS = cause(
  'too_many_parameters',
  refuse(400, 'The query string has more than 200 parameters.'),
  'The query string has more than 200 parameters',
  'Send none: unknown parameters are ignored.',
)
