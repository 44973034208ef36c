import { z } from 'zod'
import {
  emptyQuerySchema,
  pageQuerySchema,
  phonePageQuerySchema,
  rangeQuerySchema,
  rejectQuerySchema,
  statusPageQuerySchema,
  statusQuerySchema,
  synchroniseQuerySchema,
  validateQuerySchema,
} from '#lib/schemas/queries.ts'
import { balanceSchema, errorSchema, initiationSchema, listRecordSchema, pageSchema, recordSchema } from '#lib/schemas/responses.ts'
import { accessTokenRequestSchema, refreshTokenRequestSchema, tokenResponseSchema } from '#lib/schemas/tokens.ts'
import { BATCH_LENGTH_MAX, transactionRequestSchema } from '#lib/schemas/transaction-request.ts'
import { TRANSACTION_PATH } from '#server/http/api/endpoint.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Operation = {
  path: string
  method: 'get' | 'post'
  id: string
  summary: string
  description?: string
  query?: z.ZodObject
  body?: Json
  answer: Json
  errors: number[]
  isOpen?: boolean
}

const COMPONENTS = {
  TransactionRequest: transactionRequestSchema,
  InitiationResponse: initiationSchema,
  TransactionRecord: recordSchema,
  TransactionListRecord: listRecordSchema,
  TransactionPage: pageSchema,
  Balance: balanceSchema,
  Error: errorSchema,
  AccessTokenRequest: accessTokenRequestSchema,
  RefreshTokenRequest: refreshTokenRequestSchema,
  TokenResponse: tokenResponseSchema,
} as const

const ERROR_MEANINGS: Record<number, string> = {
  400: 'The input is missing or invalid, the externalId is taken, or the state does not allow this',
  401: 'A credential is missing, invalid or expired',
  403: 'The address, user, application or transfer service is not allowed, or the person may not do this',
  404: 'No transaction with this id, or no such endpoint',
  405: 'The method is not allowed; see Allow',
  408: 'The body did not arrive in time',
  413: 'The body is too large',
  415: 'The body is not uncompressed UTF-8 JSON',
  429: 'Too many attempts; see Retry-After',
  500: 'A temporary operator error, or an internal error',
  503: 'The service is overloaded; see Retry-After',
}

const REQUEST_EXAMPLE: Json = {
  transferMethod: 'OMCM',
  customerName: 'Awa Ndiaye',
  externalId: '7f2c1b1e-58a4-4c35-9c0d-0d1a6f0f5b11',
  phoneNumber: '237699000111',
  amount: 5000,
  webhookUrl: 'https://partner.example/hooks/payments',
  countryName: 'CAMEROON',
}

const ref = (name: keyof typeof COMPONENTS): Json => ({ $ref: `#/components/schemas/${name}` })
const arrayOf = (items: Json, limits: { [name: string]: Json } = {}): Json => ({ type: 'array', items, ...limits })
const NUMBER: Json = { type: 'number', description: 'A single JSON decimal number, exact to the last digit' }

const BATCH_DESCRIPTION =
  'All elements are checked before anything starts: if one of them is invalid, or its externalId belongs to a transaction with other ' +
  'content, the response is 400, its message names the index and the field, and nothing is started. Otherwise the response is 200 with one ' +
  'element for each element of the request, in the same order. If another request uses the externalId with other content ' +
  'after the check and before the start, the element at that index is an Error with status 400 and that deposit is not started; ' +
  'all others are. A 503 response can mean that some deposits were started: retry the same array. Deposits that were started are returned ' +
  'and not started twice.'

const PARTNER_ERRORS = [400, 401, 403, 405, 500]
const BODY_ERRORS = [408, 413, 415, 503]

const OPERATIONS: Operation[] = [
  {
    path: 'collect',
    method: 'post',
    id: 'collect',
    summary: 'Debit a customer and credit the application',
    body: ref('TransactionRequest'),
    answer: ref('InitiationResponse'),
    errors: BODY_ERRORS,
  },
  {
    path: 'deposit',
    method: 'post',
    id: 'deposit',
    summary: 'Send money to a beneficiary',
    body: ref('TransactionRequest'),
    answer: ref('InitiationResponse'),
    errors: BODY_ERRORS,
  },
  {
    path: 'depositMultiple',
    method: 'post',
    id: 'depositMultiple',
    summary: 'Start several deposits',
    description: BATCH_DESCRIPTION,
    errors: BODY_ERRORS,
    body: arrayOf(ref('TransactionRequest'), { minItems: 1, maxItems: BATCH_LENGTH_MAX }),
    answer: arrayOf({ oneOf: [ref('InitiationResponse'), ref('Error')] }),
  },
  {
    path: 'transaction-status',
    method: 'post',
    id: 'transactionStatus',
    summary: 'Read the stored status',
    query: statusQuerySchema,
    answer: ref('TransactionRecord'),
    errors: [404],
  },
  {
    path: 'chekTransactionStatus',
    method: 'post',
    id: 'chekTransactionStatus',
    summary: 'Query the operator and store its result',
    query: synchroniseQuerySchema,
    answer: ref('TransactionRecord'),
    errors: [404, 429, 503],
  },
  {
    path: 'validateTransaction',
    method: 'post',
    id: 'validateTransaction',
    summary: 'Approve a waiting transaction',
    description:
      'Records the approval of the checker that checkerId names; the last approval that the rule requires sends the transaction to the operator. ' +
      'Each approval rule states whether decisions may be sent through the API: the default rule of an application allows it, other rules do not unless an administrator allows it, and 403 names the rule. ' +
      'Where a rule requires two checkers or more, or a one-time code, the API user that started the transaction cannot approve it (403). ' +
      'A transaction of a disabled application or transfer service cannot be approved (403).',
    query: validateQuerySchema,
    answer: ref('TransactionRecord'),
    errors: [404],
  },
  {
    path: 'rejectTransaction',
    method: 'post',
    id: 'rejectTransaction',
    summary: 'Reject a waiting transaction',
    description:
      'Ends the transaction as FAILED with the reason as its message. Allowed through the API where validateTransaction is: 403 names the rule otherwise. Rejecting stays possible in a disabled transfer service.',
    query: rejectQuerySchema,
    answer: ref('TransactionRecord'),
    errors: [404],
  },
  {
    path: 'getByApplicationProduct',
    method: 'get',
    id: 'getByApplicationProduct',
    summary: 'List all transactions, newest first',
    query: pageQuerySchema,
    answer: ref('TransactionPage'),
    errors: [],
  },
  {
    path: 'getByApplicationProductAndPhoneReceiver',
    method: 'get',
    id: 'getByApplicationProductAndPhoneReceiver',
    summary: 'List the transactions of one phone number, newest first',
    query: phonePageQuerySchema,
    answer: ref('TransactionPage'),
    errors: [],
  },
  {
    path: 'getByApplicationProductAndStatus',
    method: 'get',
    id: 'getByApplicationProductAndStatus',
    summary: 'List the transactions in one status, newest first',
    query: statusPageQuerySchema,
    answer: ref('TransactionPage'),
    errors: [],
  },
  {
    path: 'getTotalAmountByApplicationProductAndDateRange',
    method: 'get',
    id: 'getTotalAmountByApplicationProductAndDateRange',
    summary: 'Return the total of a range of UTC days, both ends included',
    query: rangeQuerySchema,
    answer: NUMBER,
    errors: [],
  },
  {
    path: 'getTotalAmountByApplicationProduct',
    method: 'get',
    id: 'getTotalAmountByApplicationProduct',
    summary: 'Return the total of all transactions',
    query: emptyQuerySchema,
    answer: NUMBER,
    errors: [],
  },
  {
    path: 'getByApplicationProductBalances',
    method: 'get',
    id: 'getByApplicationProductBalances',
    summary: 'List the balances, one record per operator',
    query: emptyQuerySchema,
    answer: arrayOf(ref('Balance')),
    errors: [],
  },
].map(
  (operation) =>
    ({ ...operation, path: `${TRANSACTION_PATH}/${operation.path}`, errors: [...PARTNER_ERRORS, ...operation.errors] }) as Operation,
)

const TOKEN_OPERATIONS: Operation[] = [
  {
    path: '/public/access_token',
    method: 'post',
    id: 'accessToken',
    summary: 'Exchange a user name and password for tokens',
    body: ref('AccessTokenRequest'),
    answer: ref('TokenResponse'),
    errors: [400, 401, 403, 405, 408, 413, 415, 429, 500, 503],
    isOpen: true,
  },
  {
    path: '/public/refresh_token',
    method: 'post',
    id: 'refreshToken',
    summary: 'Exchange a refresh token for new tokens',
    body: ref('RefreshTokenRequest'),
    answer: ref('TokenResponse'),
    errors: [400, 401, 403, 405, 408, 413, 415, 500, 503],
    isOpen: true,
  },
]

/** The OpenAPI 3.1 document, made from the schemas that validate. The same text for the life of the process. */
export function buildOpenApiDocument(): Json {
  const paths: { [path: string]: Json } = {}
  for (const operation of [...OPERATIONS, ...TOKEN_OPERATIONS]) paths[operation.path] = { [operation.method]: describeOperation(operation) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mobile Money Transaction Service',
      version: 'v1',
      description: 'Collect from and deposit to mobile money accounts of 13 operators in seven countries.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [], apiId: [], bearer: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'apiKey' },
        apiId: { type: 'apiKey', in: 'header', name: 'apiId' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  }
}

function describeOperation(operation: Operation): Json {
  const { id, summary, description, query, body, answer, errors, isOpen } = operation
  const responses: { [status: string]: Json } = { 200: { description: 'Done', content: { 'application/json': { schema: answer } } } }
  for (const status of errors.toSorted((left, right) => left - right)) {
    responses[status] = { description: ERROR_MEANINGS[status] ?? '', content: { 'application/json': { schema: ref('Error') } } }
  }
  return {
    operationId: id,
    summary,
    ...(description ? { description } : {}),
    ...(isOpen ? { security: [] } : {}),
    ...(query ? { parameters: describeQuery(query) } : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body, ...exampleFor(id) } } } } : {}),
    responses,
  }
}

function exampleFor(id: string): { [name: string]: Json } {
  if (id === 'collect' || id === 'deposit') return { example: REQUEST_EXAMPLE }
  return id === 'depositMultiple' ? { example: [REQUEST_EXAMPLE] } : {}
}

function describeQuery(query: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema: schema as Json }
  })
}

/** In the registry of this one document each schema is known by its name, so that they refer to each other by it. */
function componentSchemas(): { [name: string]: Json } {
  const registry = z.registry<{ id?: string; [meta: string]: unknown }>()
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    // Fields keep their descriptions in zod's own registry, which this one would hide.
    override: ({ zodSchema, jsonSchema }) => {
      const { id: _, ...meta } = z.globalRegistry.get(zodSchema) ?? {}
      Object.assign(jsonSchema, meta)
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _schema, $id: _id, ...rest } = schema as { [key: string]: Json }
      return [name, rest]
    }),
  )
}
