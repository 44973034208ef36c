import { z } from 'zod'
import {
  batchDepositSchema,
  batchListSchema,
  batchPageSchema,
  batchRequestSchema,
  batchRowSchema,
  batchSchema,
  listedBatchSchema,
} from '#lib/schemas/api/batch-request.ts'
import { accountCheckSchema, operatorStatusSchema } from '#lib/schemas/api/operator-responses.ts'
import {
  balanceSchema,
  codedErrorSchema,
  errorSchema,
  initiationSchema,
  keyedInitiationSchema,
  laterRecordSchema,
  listRecordSchema,
  pageSchema,
  recordSchema,
  webhookSchema,
} from '#lib/schemas/api/responses.ts'
import { settledDaySchema, settlementReportSchema } from '#lib/schemas/api/settlement-responses.ts'
import {
  accountCheckRequestSchema,
  keyedRequestSchema,
  refundRequestSchema,
  transactionRequestSchema,
} from '#lib/schemas/api/transaction-request.ts'
import { listedTransactionSchema, refundListSchema, transactionListSchema } from '#lib/schemas/api/transaction-responses.ts'
import { accessTokenRequestSchema, refreshTokenRequestSchema, tokenResponseSchema } from '#lib/schemas/queries.ts'
import type { ErrorCause } from './error-causes.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** The subjects of the operations, in the order of the reference. */
export const TAGS = [
  { name: 'Tokens', description: 'Access tokens, which every other operation requires.' },
  { name: 'Payments', description: 'Start collects and deposits.' },
  { name: 'Status', description: 'Read the status of one transaction, or have the operator asked for it.' },
  { name: 'Approvals', description: 'Decide transactions that wait for a checker.' },
  { name: 'Lists', description: 'All transactions of the application, in pages, newest first.' },
  { name: 'Totals and balances', description: 'Sums of transactions, and what the application has at each operator.' },
  { name: 'Webhooks', description: 'Requests that the service sends to you.' },
] as const

/** The subjects of version 2. */
export const TAGS_V2 = [
  { name: 'Payments with a key', description: 'Start collects and deposits, each once for its Idempotency-Key.' },
  { name: 'Batches', description: 'Send thousands of deposits in one request, see how far they are, and cancel what was not sent.' },
  { name: 'Transactions', description: 'List transactions, find one, cancel what was not sent to an operator, and refund collects.' },
  { name: 'Operators', description: 'What can be sent to each operator now, and checks of accounts.' },
  {
    name: 'Settlements',
    description: 'The changes that a signed day of an account at an operator made to the balance of the application.',
  },
] as const
type Tag = (typeof TAGS)[number]['name'] | (typeof TAGS_V2)[number]['name']

/** One operation of the API, from which its part of the document is made. */
export type Operation = {
  path: string
  method: 'get' | 'post'
  id: string
  tag: Tag
  summary: string
  description: string
  /** The variable parts of the path. */
  segments?: { schema: z.ZodObject; examples: Record<string, string | number> }
  /** Set where the header Idempotency-Key is required: an example of it. */
  idempotencyKey?: string
  query?: { schema: z.ZodObject; examples: Record<string, string | number> }
  body?: { schema: Json; description: string; example: Json }
  answer: {
    schema: Json
    description: string
    examples: { [name: string]: { summary: string; value: Json } }
    /** The same in other formats. */
    others?: { [type: string]: Json }
  }
  /** Every reason for which it refuses; each status has those of its own. */
  causes: readonly ErrorCause[]
  /** Tokens: it requires none of the three credentials. */
  isOpen?: boolean
}

/** Refers to a schema of components. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

const COMPONENTS = {
  TransactionRequest: transactionRequestSchema,
  InitiationResponse: initiationSchema,
  TransactionRecord: recordSchema,
  TransactionListRecord: listRecordSchema,
  TransactionPage: pageSchema,
  Balance: balanceSchema,
  TransactionResult: webhookSchema,
  Error: errorSchema,
  AccessTokenRequest: accessTokenRequestSchema,
  RefreshTokenRequest: refreshTokenRequestSchema,
  TokenResponse: tokenResponseSchema,
} as const

const COMPONENTS_V2 = {
  PaymentRequest: keyedRequestSchema,
  InitiationResponse: keyedInitiationSchema,
  BatchRequest: batchRequestSchema,
  BatchDeposit: batchDepositSchema,
  Batch: batchSchema,
  BatchPage: batchPageSchema,
  BatchRow: batchRowSchema,
  ListedBatch: listedBatchSchema,
  BatchList: batchListSchema,
  TransactionList: transactionListSchema,
  Transaction: listedTransactionSchema,
  RefundRequest: refundRequestSchema,
  RefundList: refundListSchema,
  TransactionRecord: laterRecordSchema,
  OperatorStatus: operatorStatusSchema,
  AccountCheckRequest: accountCheckRequestSchema,
  AccountCheck: accountCheckSchema,
  SettledDay: settledDaySchema,
  SettlementReport: settlementReportSchema,
  Error: codedErrorSchema,
} as const

/** In the registry of this one document each schema is known by its name, so that they refer to each other by it. */
export function componentSchemas(version: 'v1' | 'v2'): { [name: string]: Json } {
  const registry = z.registry<{ id?: string; [meta: string]: unknown }>()
  for (const [id, schema] of Object.entries(version === 'v1' ? COMPONENTS : COMPONENTS_V2)) registry.add(schema, { id })
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

/** The parameters of a schema, in the query of the address or in its path. One that may be left out without an example is not in the samples. */
export function describeParameters(
  query: z.ZodObject,
  examples: Record<string, string | number>,
  place: 'query' | 'path' = 'query',
): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '', ...rest } = schema as { description?: string; [key: string]: Json | undefined }
    const example = examples[name]
    if (example === undefined && required.includes(name)) throw new Error(`The parameter ${name} has no example`)
    const described = { name, in: place, description, required: required.includes(name), schema: rest as Json }
    return example === undefined ? described : { ...described, example }
  })
}
