import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { errorBody } from '../api/errors.ts'
import { EXAMPLE_LIMIT_HEADERS } from '../api/request-limit.ts'
import type { ErrorCause } from './error-causes.ts'
import { EXAMPLE_CLOCK } from './examples.ts'
import { componentSchemas, describeParameters, type Json, type Operation, ref, TAGS, TAGS_V2 } from './operation.ts'
import { ACCOUNT_CHECK_OPERATIONS } from './operations/account-checks.ts'
import { BATCH_OPERATIONS } from './operations/batches.ts'
import { CANCEL_OPERATIONS } from './operations/cancel.ts'
import { KEYED_PAYMENT_OPERATIONS } from './operations/keyed-payments.ts'
import { OPERATOR_OPERATIONS } from './operations/operators.ts'
import { PAYMENT_OPERATIONS } from './operations/payments.ts'
import { REFUND_OPERATIONS } from './operations/refunds.ts'
import { LIST_OPERATIONS, TOTAL_OPERATIONS } from './operations/reports.ts'
import { SETTLEMENT_OPERATIONS } from './operations/settlements.ts'
import { APPROVAL_OPERATIONS, STATUS_OPERATIONS, TOKEN_OPERATIONS } from './operations/status.ts'
import { TRANSACTION_OPERATIONS } from './operations/transactions.ts'
import { describeWebhook } from './webhook.ts'

type Version = 'v1' | 'v2'

const OPERATIONS: readonly Operation[] = [
  ...PAYMENT_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...APPROVAL_OPERATIONS,
  ...LIST_OPERATIONS,
  ...TOTAL_OPERATIONS,
  ...TOKEN_OPERATIONS,
]

const OPERATIONS_V2: readonly Operation[] = [
  ...KEYED_PAYMENT_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...CANCEL_OPERATIONS,
  ...REFUND_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...ACCOUNT_CHECK_OPERATIONS,
  ...SETTLEMENT_OPERATIONS,
]

const INFO = {
  v1: {
    title: 'Mobile Money Transaction Service',
    version: 'v1',
    summary: 'Collects, deposits and their results.',
    description: () => DESCRIPTION,
  },
  v2: {
    title: 'Mobile Money Transaction Service, additions',
    version: 'v2',
    summary: 'Transactions, refunds, availability of operators, and settlement reports of signed days.',
    description: () => DESCRIPTION_V2,
  },
} as const

const DESCRIPTION_V2 =
  'What the service adds to v1: payments and batches of deposits that are named by the header Idempotency-Key, a list of transactions with a cursor, the cancellation of what was not sent yet, refunds of collects, what can be sent to each operator now, checks of accounts, and reports of the days that two people have compared with the statement of ' +
  'the operator and signed. Credentials and ' +
  'errors are those of v1, which stays as it is: decisions, totals and tokens are there. Each error has a code in addition, which a program can decide by.'

const DESCRIPTION =
  `Collect from and deposit to mobile money accounts of ${OPERATOR_CODES.length} operators in seven countries.\n\n` +
  'Transactions start asynchronously: the first response says PENDING, and the result, SUCCESS or FAILED, arrives as a webhook. ' +
  'Guides and examples are at /docs.\n\n' +
  'The version is part of the path. Within v1, fields, endpoints and error causes may be added, and nothing that exists changes its meaning.'

const STATUS_MEANINGS: Record<number, string> = {
  400: 'The input is missing or invalid, the externalId is taken, or the state does not allow this.',
  401: 'A credential is missing, invalid or expired.',
  403: 'The address, user, application or transfer service is not allowed, or the person may not do this.',
  404: 'No transaction of the application has this id.',
  405: 'The method is not allowed; see Allow.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  415: 'The body is not uncompressed UTF-8 JSON.',
  422: 'The Idempotency-Key belongs to another payment.',
  429: 'Too many attempts; see Retry-After.',
  500: 'A temporary operator error, or an internal error.',
  503: 'The service is overloaded, or its database did not answer; see Retry-After.',
}

const RETRY_AFTER: Json = {
  'Retry-After': { description: 'How many seconds to wait before the next attempt.', schema: { type: 'integer', minimum: 1 }, example: 1 },
}
const HEADERS: Partial<Record<number, Json>> = {
  405: { Allow: { description: 'The methods of this path.', schema: { type: 'string' }, example: 'GET, HEAD' } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

const LIMIT_HEADERS: Json = {
  'RateLimit-Policy': {
    description:
      'The allowance of the application: q requests at once, which are there again within w seconds. Each process of the service counts its own.',
    schema: { type: 'string' },
    example: EXAMPLE_LIMIT_HEADERS['ratelimit-policy'] ?? '',
  },
  RateLimit: {
    description: 'What is left of it: r requests now, and t seconds until all of them are there again.',
    schema: { type: 'string' },
    example: EXAMPLE_LIMIT_HEADERS['ratelimit'] ?? '',
  },
}

/** The OpenAPI 3.1 document of a version, made from the schemas that validate. The same text for the life of the process. */
export function buildOpenApiDocument(version: Version = 'v1'): Json {
  const isFirst = version === 'v1'
  const { description, ...info } = INFO[version]
  const paths: { [path: string]: Json } = {}
  for (const operation of isFirst ? OPERATIONS : OPERATIONS_V2) {
    const others = paths[operation.path]
    paths[operation.path] = {
      ...(typeof others === 'object' && !Array.isArray(others) && others),
      [operation.method]: describeOperation(operation, version),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      description: description(),
      contact: { name: 'The administrators of your application' },
      license: { name: 'For partners of the service', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The address that serves this document.' }],
    tags: (isFirst ? TAGS : TAGS_V2).map((tag) => ({ ...tag })),
    security: [{ apiKey: [], apiId: [], bearer: [] }],
    paths,
    ...(isFirst ? { webhooks: { transactionResult: describeWebhook() } } : {}),
    components: {
      schemas: componentSchemas(version),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'apiKey',
          description: 'A key of the application. Shown once when it is created; never share it.',
        },
        apiId: {
          type: 'apiKey',
          in: 'header',
          name: 'apiId',
          description: 'The id of the application that the key belongs to. It may be shared with support.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access_token of an API user, from POST /public/access_token.',
        },
      },
    },
  }
}

function describeOperation(operation: Operation, version: Version): Json {
  const limits: { [name: string]: Json } = version === 'v2' ? { headers: LIMIT_HEADERS } : {}
  const { id, tag, summary, description, segments, idempotencyKey, query, body, answer, isOpen } = operation
  const parameters = [
    ...(segments ? describeParameters(segments.schema, segments.examples, 'path') : []),
    ...(idempotencyKey === undefined ? [] : [describeIdempotencyKey(idempotencyKey)]),
    ...(query ? describeParameters(query.schema, query.examples) : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            description: body.description,
            required: true,
            content: { 'application/json': { schema: body.schema, example: body.example } },
          },
        }
      : {}),
    responses: {
      200: {
        description: answer.description,
        ...limits,
        content: { 'application/json': { schema: answer.schema, examples: answer.examples }, ...answer.others },
      },
      ...describeRefusals(operation),
    },
  }
}

function describeIdempotencyKey(example: string): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A UUID version 4 of your own, new for each payment and the same when a request is repeated. It is the externalId of the transaction, and belongs to it for good',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example,
  }
}

/** One response for each status, with an example for each cause: its summary is the cause, its description what to do. */
function describeRefusals({ path, causes }: Operation): { [status: string]: Json } {
  const responses: { [status: string]: Json } = {}
  const statuses = [...new Set(causes.map(({ status }) => status))].sort((left, right) => left - right)
  for (const status of statuses) {
    const ofStatus = causes.filter((cause) => cause.status === status)
    const examples = Object.fromEntries(ofStatus.map((cause) => [cause.id, describeCause(cause, path)]))
    const headers = HEADERS[status]
    responses[status] = {
      description: STATUS_MEANINGS[status] ?? '',
      ...(headers ? { headers } : {}),
      content: { 'application/json': { schema: ref('Error'), examples } },
    }
  }
  return responses
}

function describeCause(cause: ErrorCause, path: string): Json {
  const { summary, remedy } = cause
  return { summary, description: remedy, value: JSON.parse(errorBody(cause, path, EXAMPLE_CLOCK)) }
}
