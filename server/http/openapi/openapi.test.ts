import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { z } from 'zod'
import { errorSchema, initiationSchema, pageSchema, recordSchema, webhookSchema } from '#lib/schemas/api/responses.ts'
import { parseBatch, parseTransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import { tokenResponseSchema } from '#lib/schemas/queries.ts'
import { parseJson } from '#lib/text/json.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { answersOf, headOf, talk } from '#server/http/testing/raw-client.ts'
import { buildOpenApiDocument } from './openapi.ts'

type Example = { summary?: string; description?: string; value: unknown }
type Media = { schema: { $ref?: string }; example?: unknown; examples?: Record<string, Example> }
type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: { name: string; description: string; example?: unknown; schema: object }[]
  requestBody?: { description: string; content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
}
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { description?: string; properties: Record<string, { description?: string }> }> }
}

const document = buildOpenApiDocument() as unknown as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)
const webhook = document.webhooks['transactionResult']?.['post']

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

test('a description for every operation, parameter, body, response, schema and field', () => {
  const missing: string[] = []
  const check = (place: string, text: string | undefined) => {
    if (!text || text.trim().length < 4) missing.push(place)
  }
  for (const operation of [...operations, ...(webhook ? [webhook] : [])]) {
    const { operationId } = operation
    check(`${operationId} summary`, operation.summary)
    check(operationId, operation.description)
    for (const { name, description, example } of operation.parameters ?? []) {
      check(`${operationId} ${name}`, description)
      if (example === undefined) missing.push(`${operationId} ${name} example`)
    }
    if (operation.requestBody) check(`${operationId} body`, operation.requestBody.description)
    for (const [status, response] of Object.entries(operation.responses)) check(`${operationId} ${status}`, response.description)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    check(name, schema.description)
    for (const [field, { description }] of Object.entries(schema.properties)) check(`${name}.${field}`, description)
  }
  assert.deepEqual(missing, [])
  assert.ok(webhook)
})

test('an example for every response of an operation, and for each error a cause, what to do and the five fields', () => {
  for (const { operationId, path, responses } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      const examples = Object.values(content?.['application/json']?.examples ?? {})
      assert.ok(examples.length > 0, `${operationId} ${status}`)
      if (status === '200') continue
      for (const { summary, description, value } of examples) {
        const error = errorSchema.parse(value)
        assert.deepEqual([error.status, error.path], [Number(status), path])
        assert.ok(summary && description && error.message.length > 0, `${operationId} ${status}`)
      }
    }
  }
})

const SCHEMAS: Record<string, z.ZodType> = {
  '#/components/schemas/InitiationResponse': initiationSchema,
  '#/components/schemas/TransactionRecord': recordSchema,
  '#/components/schemas/TransactionPage': pageSchema,
  '#/components/schemas/TokenResponse': tokenResponseSchema,
}

test('examples of responses, requests and webhooks that the service itself accepts', () => {
  let checked = 0
  for (const { operationId, responses, requestBody } of operations) {
    const media = responses['200']?.content?.['application/json']
    const schema = SCHEMAS[media?.schema.$ref ?? '']
    for (const { value } of Object.values(media?.examples ?? {})) {
      if (!schema) continue
      schema.parse(value)
      checked++
    }
    const body = requestBody?.content['application/json']?.example
    if (body === undefined || operationId.endsWith('Token')) continue
    const parsed = parseJson(JSON.stringify(body))
    assert.ok(parsed.ok && (Array.isArray(body) ? parseBatch(parsed.value).ok : parseTransactionRequest(parsed.value).ok), operationId)
  }
  for (const { value } of Object.values(webhook?.requestBody?.content['application/json']?.examples ?? {})) webhookSchema.parse(value)
  assert.ok(checked >= 15)
})

test('the messages that the front door answers with are those of the reference', async () => {
  const messageOf = (path: string, status: number, cause: string): string => {
    const [operation] = Object.values(document.paths[path] ?? {})
    const example = operation?.responses[status]?.content?.['application/json']?.examples?.[cause]
    return errorSchema.parse(example?.value).message
  }
  const collect = '/api/v1/transaction/collect'
  const total = '/api/v1/transaction/getTotalAmountByApplicationProduct'
  const { headers, baseUrl } = harness
  const answer = async (path: string, init: RequestInit) =>
    ((await (await fetch(baseUrl + path, init)).json()) as { message: string }).message
  assert.equal(await answer(collect, { headers }), messageOf(collect, 405, 'method'))
  assert.equal(await answer(total, { headers, method: 'POST' }), messageOf(total, 405, 'method'))
  assert.equal(await answer(collect, { headers, method: 'POST' }), messageOf(collect, 400, 'body_empty'))
  assert.equal(await answer(collect, { headers, method: 'POST', body: '{amount: 5000}' }), messageOf(collect, 400, 'body_not_json'))
  assert.equal(await answer(`${total}?${'a&'.repeat(201)}`, { headers }), messageOf(total, 400, 'too_many_parameters'))
  assert.equal(await answer(collect, { method: 'POST' }), messageOf(collect, 401, 'credentials'))
  const twice = await talk(harness.port, headOf(`POST ${collect} HTTP/1.1`, ['apiKey: a', 'apiKey: b', 'Connection: close']))
  assert.match(answersOf(twice)[0]?.body ?? '', new RegExp(messageOf(collect, 400, 'header_repeated')))
})
