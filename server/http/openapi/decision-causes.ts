import type { DecisionFailure } from '#server/approvals/decide.ts'
import { refuseDecision } from '#server/http/endpoints/decide-transaction.ts'
import { cause, type ErrorCause } from './error-causes.ts'

const RULE = 'Large deposits'
const IN_BACK_OFFICE = 'Decide in the back office.'

function refused(
  kind: 'not_a_checker' | 'is_maker' | 'decided_already' | 'expired' | 'not_waiting',
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
