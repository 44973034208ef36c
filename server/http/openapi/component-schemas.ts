import { z } from 'zod'
import {
  balanceSchema,
  errorSchema,
  initiationSchema,
  listRecordSchema,
  pageSchema,
  recordSchema,
  webhookSchema,
} from '#lib/schemas/responses.ts'
import { accessTokenRequestSchema, refreshTokenRequestSchema, tokenResponseSchema } from '#lib/schemas/tokens.ts'
import { transactionRequestSchema } from '#lib/schemas/transaction-request.ts'
import type { Json } from './operation.ts'

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

/** In the registry of this one document each schema is known by its name, so that they refer to each other by it. */
export function componentSchemas(): { [name: string]: Json } {
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

/** The query parameters of a schema, each with its example. */
export function describeQuery(query: z.ZodObject, examples: Record<string, string | number>): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '', ...rest } = schema as { description?: string; [key: string]: Json | undefined }
    const example = examples[name]
    if (example === undefined) throw new Error(`The parameter ${name} has no example`)
    return { name, in: 'query', description, required: required.includes(name), schema: rest as Json, example }
  })
}
