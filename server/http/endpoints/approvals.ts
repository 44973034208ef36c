import { err, ok, type Result } from '#lib/result.ts'
import { rejectQuerySchema, validateQuerySchema } from '#lib/schemas/queries.ts'
import { type DecisionFailure, decide } from '#server/approvals/decide.ts'
import { type Call, queryEndpoint } from '../api/endpoint.ts'
import { type Refusal, refuse } from '../api/errors.ts'
import { recordJson } from '../api/serialise-transaction.ts'
import { NO_TRANSACTION } from './status.ts'
import { APPLICATION_DISABLED } from './tokens.ts'

/** POST /validateTransaction: a checker approves a waiting transaction. */
export const validateTransaction = queryEndpoint(
  'POST',
  'validateTransaction',
  'approvals:write',
  validateQuerySchema,
  ({ payeeNote, ...named }, call) => decideTransaction(call, { ...named, decision: 'validated', note: payeeNote }),
)

/** POST /rejectTransaction: a checker rejects a waiting transaction. The reason becomes its message. */
export const rejectTransaction = queryEndpoint(
  'POST',
  'rejectTransaction',
  'approvals:write',
  rejectQuerySchema,
  ({ reason, ...named }, call) => decideTransaction(call, { ...named, decision: 'rejected', note: reason }),
)

type NamedDecision = { checkerId: string; transactionId: string; decision: 'validated' | 'rejected'; note: string }

/**
 * Decides a transaction, for validateTransaction and rejectTransaction. The application vouches for the checker it names. The command
 * still checks that this person may decide, and that the rule allows decisions through the API.
 */
async function decideTransaction({ runtime, caller }: Call, named: NamedDecision): Promise<Result<string, Refusal>> {
  const decided = await decide(runtime, {
    ...named,
    applicationId: caller.application.applicationId,
    through: 'api',
    actor: { kind: 'api', id: caller.apiUserId },
  })
  if (!decided.ok) return err(refuseDecision(decided.error))
  return ok(recordJson(decided.value))
}

/** Returns the response to a decision that the command refused. */
export function refuseDecision(failure: DecisionFailure): Refusal {
  switch (failure.kind) {
    case 'not_found':
      return NO_TRANSACTION
    case 'not_a_checker':
    // A program never decides for a deputy.
    case 'deputy_may_not':
      return refuse(403, 'not_a_checker', 'checkerId must be an active person with the checker role in this application.')
    case 'is_maker':
      return refuse(403, 'is_maker', 'checkerId must not be the maker of the transaction.')
    case 'has_password':
      return refuse(
        403,
        'has_password',
        'checkerId must not be a person who received a password of the API user that started the transaction.',
      )
    case 'decided_already':
      return refuse(403, 'decided_already', 'This checker has already decided on the transaction; another checker must decide.')
    case 'code_required':
      return refuse(403, 'code_required', 'The approval rule requires a one-time code, which can only be entered in the back office.')
    case 'api_may_not_decide':
      return refuse(
        403,
        'api_may_not_decide',
        `The approval rule "${failure.rule}" does not allow decisions through the API: a checker must decide in the back office, or an administrator must allow it in the rule.`,
      )
    case 'started_by_api_user':
      return refuse(
        403,
        'started_by_api_user',
        `The API user that started the transaction cannot approve it: the approval rule "${failure.rule}" requires more than one person. Use another API user, or let the checkers decide in the back office.`,
      )
    case 'application_disabled':
      return APPLICATION_DISABLED
    case 'service_disabled':
      return refuse(
        403,
        'service_disabled',
        `The transfer service ${failure.type} of ${failure.operator} is disabled for this application.`,
      )
    case 'collect_doubted':
      return refuse(
        403,
        'collect_doubted',
        'The collect that this deposit refunds was adjusted, or its operator contradicts it: the refund can only be rejected.',
      )
    case 'not_waiting':
      return refuse(400, 'not_waiting', `The transaction must be in PENDING_APPROVAL; it is in ${failure.status}.`)
    case 'expired':
      return refuse(400, 'approval_expired', 'The transaction can no longer be decided: its approval has expired.')
    case 'in_batch':
      throw new Error('A program was refused as a person')
    case 'content_changed':
      return refuse(400, 'content_changed', 'The transaction has changed since it was displayed.')
  }
}
