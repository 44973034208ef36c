import { rejectQuerySchema, statusQuerySchema, synchroniseQuerySchema, validateQuerySchema } from '#lib/schemas/queries.ts'
import { TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import {
  ACCESS_TOKEN_CAUSES,
  ANY_BODY,
  ANY_CALLER,
  anyRequest,
  REFRESH_TOKEN_CAUSES,
  SMALL_BODY,
  SYNCHRONISE_CAUSES,
  UNKNOWN_TRANSACTION,
} from '../error-causes.ts'
import { CHECKER_ID, COLLECT_ID, DEPOSIT_ID, exampleRecord } from '../examples.ts'
import { APPROVAL_CAUSES, DECISION_CAUSES, QUERY_CAUSES, TOKEN_FIELD_CAUSES } from '../input-causes.ts'
import { type Operation, ref } from '../operation.ts'

const EVERY = [...QUERY_CAUSES, UNKNOWN_TRANSACTION, ...ANY_CALLER, ...anyRequest('POST')]

export const STATUS_OPERATIONS: Operation[] = [
  {
    path: `${TRANSACTION_PATH}/transaction-status`,
    method: 'post',
    id: 'transactionStatus',
    tag: 'Status',
    summary: 'Read the stored status',
    description:
      'Returns the transaction as it is stored, without asking the operator. It is a POST with a query parameter and no body.\n\n' +
      'Call it before you act on a webhook whose signature you do not verify, and to poll: every few seconds at first, then less often.',
    query: { schema: statusQuerySchema, examples: { id: COLLECT_ID } },
    answer: {
      schema: ref('TransactionRecord'),
      description: 'The transaction.',
      examples: {
        pending: { summary: 'In progress', value: exampleRecord('COLLECT', 'PENDING') },
        success: { summary: 'Succeeded', value: exampleRecord('COLLECT', 'SUCCESS') },
        failed: { summary: 'Failed', value: exampleRecord('COLLECT', 'FAILED') },
      },
    },
    causes: EVERY,
  },
  {
    path: `${TRANSACTION_PATH}/chekTransactionStatus`,
    method: 'post',
    id: 'chekTransactionStatus',
    tag: 'Status',
    summary: 'Query the operator and store its result',
    description:
      'Asks the operator now, stores its result if it is final, and returns the transaction. For the case that no webhook arrived and ' +
      'transaction-status still returns PENDING. A final transaction, or one that waits for approval, is returned as it is. The name is spelled like this.\n\n' +
      'If the operator is down or silent the response is 500 and the stored status is unchanged.',
    query: { schema: synchroniseQuerySchema, examples: { transactionId: COLLECT_ID } },
    answer: {
      schema: ref('TransactionRecord'),
      description: 'The transaction after the query.',
      examples: {
        success: { summary: 'The operator has executed it', value: exampleRecord('COLLECT', 'SUCCESS') },
        pending: { summary: 'The operator does not know the result yet', value: exampleRecord('COLLECT', 'PENDING') },
      },
    },
    causes: [...EVERY, ...SYNCHRONISE_CAUSES],
  },
]

export const APPROVAL_OPERATIONS: Operation[] = [
  {
    path: `${TRANSACTION_PATH}/validateTransaction`,
    method: 'post',
    id: 'validateTransaction',
    tag: 'Approvals',
    summary: 'Approve a waiting transaction',
    description:
      'Records the approval of the checker that checkerId names; the last approval that the rule requires sends the transaction to the operator. ' +
      'Each approval rule states whether decisions may be sent through the API: the default rule of an application allows it, other rules do not unless an administrator allows it, and 403 names the rule.\n\n' +
      'Where a rule requires two checkers or more, or a one-time code, the API user that started the transaction cannot approve it (403). ' +
      'A transaction of a disabled application or transfer service cannot be approved (403).',
    query: {
      schema: validateQuerySchema,
      examples: { checkerId: CHECKER_ID, transactionId: DEPOSIT_ID, payeeNote: 'Checked by phone' },
    },
    answer: {
      schema: ref('TransactionRecord'),
      description: 'The approval is recorded.',
      examples: {
        approved: { summary: 'It was the last approval', value: exampleRecord('DEPOSIT', 'PENDING') },
        waiting: { summary: 'Another checker must approve too', value: exampleRecord('DEPOSIT', 'PENDING_APPROVAL') },
      },
    },
    causes: [...EVERY, ...DECISION_CAUSES, ...APPROVAL_CAUSES],
  },
  {
    path: `${TRANSACTION_PATH}/rejectTransaction`,
    method: 'post',
    id: 'rejectTransaction',
    tag: 'Approvals',
    summary: 'Reject a waiting transaction',
    description:
      'Ends the transaction as FAILED with the reason as its message. Allowed through the API where validateTransaction is: 403 names the rule otherwise. Rejecting stays possible in a disabled transfer service.',
    query: {
      schema: rejectQuerySchema,
      examples: { checkerId: CHECKER_ID, transactionId: DEPOSIT_ID, reason: 'The invoice was already paid' },
    },
    answer: {
      schema: ref('TransactionRecord'),
      description: 'The transaction has ended.',
      examples: { rejected: { summary: 'Rejected', value: exampleRecord('DEPOSIT', 'FAILED') } },
    },
    causes: [...EVERY, ...DECISION_CAUSES],
  },
]

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
