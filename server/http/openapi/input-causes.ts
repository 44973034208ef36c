import { parseFields } from '#lib/schemas/fields.ts'
import { accessTokenRequestSchema, rangeQuerySchema, refreshTokenRequestSchema, statusQuerySchema } from '#lib/schemas/queries.ts'
import { type JsonValue, parseJson } from '#lib/text/json.ts'
import type { DecisionFailure } from '#server/approvals/decide.ts'
import { type Refusal, refuse } from '../api/errors.ts'
import { readQuery } from '../api/read-query.ts'
import { refuseDecision } from '../endpoints/approvals.ts'
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
  refuse(400, 'too_many_parameters', 'The query string has more than 200 parameters.'),
  'The query string has more than 200 parameters',
  'Send none: unknown parameters are ignored.',
)

const RULE = 'Large deposits'
const IN_BACK_OFFICE = 'Decide in the back office.'

function refused(
  kind: 'not_a_checker' | 'is_maker' | 'has_password' | 'decided_already' | 'expired' | 'not_waiting',
  status: 'PENDING_APPROVAL' | 'SUCCESS' = 'PENDING_APPROVAL',
) {
  const failure: DecisionFailure = { kind, status, decisions: [] }
  return refuseDecision(failure)
}

/** Why both decisions are refused. */
export const DECISION_CAUSES: readonly ErrorCause[] = [
  cause(
    'not_waiting',
    refused('not_waiting', 'SUCCESS'),
    'The transaction does not wait for approval',
    'Read its status: somebody decided it, or it never needed approval.',
  ),
  cause('approval_expired', refused('expired'), 'Nobody decided within seven days', 'Start the transaction again, with a new externalId.'),
  cause(
    'not_a_checker',
    refused('not_a_checker'),
    'checkerId is not an active person with the checker role in the application',
    'Use the id of a checker of this application.',
  ),
  cause('is_maker', refused('is_maker'), 'checkerId is the person who made the transaction', 'Another checker must decide.'),
  cause(
    'has_password',
    refused('has_password'),
    'checkerId is a person who received a password of the API user that started the transaction',
    'Another checker must decide.',
  ),
  cause(
    'decided_already',
    refused('decided_already'),
    'This checker has already decided on the transaction',
    'Another checker must decide.',
  ),
  cause('code_required', refuseDecision({ kind: 'code_required' }), 'The rule requires a one-time code', IN_BACK_OFFICE),
  cause(
    'rule_excludes_api',
    refuseDecision({ kind: 'api_may_not_decide', rule: RULE }),
    'The rule does not allow decisions through the API',
    'Decide in the back office, or have an administrator allow it in the rule.',
  ),
]

/** Why only an approval is refused. */
export const APPROVAL_CAUSES: readonly ErrorCause[] = [
  cause(
    'started_by_api_user',
    refuseDecision({ kind: 'started_by_api_user', rule: RULE }),
    'The API user that started the transaction sends the approval, and the rule requires more than one person',
    'Sign in as another API user, or decide in the back office.',
  ),
  cause(
    'service_disabled',
    refuseDecision({ kind: 'service_disabled', operator: 'SNWAVE', type: 'DEPOSIT' }),
    'The transfer service was disabled after the transaction was started',
    'Reject it, or have the service enabled first.',
  ),
]
