import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { codedErrorSchema, errorSchema } from '#lib/schemas/api/responses.ts'
import { buildOpenApiDocument } from '../openapi/openapi.ts'
import { type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'
import { answersOf, headOf, talk } from '../testing/raw-client.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

async function textOf(path: string, init: RequestInit = { headers: harness.headers }): Promise<string> {
  return (await fetch(harness.baseUrl + path, init)).text()
}

async function codeOf(path: string, init?: RequestInit): Promise<string> {
  const { status, code } = codedErrorSchema.parse(JSON.parse(await textOf(path, init)))
  return `${status} ${code}`
}

test('the code of each refusal below /api/v2, from the front door too', async () => {
  const { headers } = harness
  const checks = '/api/v2/account-checks'
  const cancel = `/api/v2/transactions/${randomUUID()}/cancel`
  const post = (body: string, type = 'application/json') => ({ method: 'POST', headers: { ...headers, 'content-type': type }, body })
  assert.deepEqual(
    [
      await codeOf('/api/v2'),
      await codeOf('/api/v2/none'),
      await codeOf(checks),
      await codeOf(checks, { method: 'POST' }),
      await codeOf(checks, { method: 'POST', headers }),
      await codeOf(checks, post('{')),
      await codeOf(checks, post('{}', 'text/plain')),
      await codeOf(checks, post('{}')),
      await codeOf(cancel, { method: 'POST', headers }),
      await codeOf('/api/v2/transactions?cursor=x'),
      await codeOf('/api/v2/transactions?limit=x'),
      await codeOf(`/api/v2/transactions?${'a&'.repeat(201)}`),
    ],
    [
      '404 endpoint_not_found',
      '404 endpoint_not_found',
      '405 method_not_allowed',
      '401 unauthenticated',
      '400 body_empty',
      '400 body_not_json',
      '415 content_type_unsupported',
      '400 fields_invalid',
      '404 transaction_not_found',
      '400 cursor_invalid',
      '400 parameters_invalid',
      '400 too_many_parameters',
    ],
  )
  const twice = await talk(harness.port, headOf('GET /api/v2/transactions HTTP/1.1', ['apiKey: a', 'apiKey: b', 'Connection: close']))
  assert.equal(codedErrorSchema.parse(JSON.parse(answersOf(twice)[0]?.body ?? '')).code, 'header_repeated')
})

test('errors of version 1 byte for byte: five fields in their order, and no code', async () => {
  const collect = '/api/v1/transaction/collect'
  const { headers } = harness
  const answers = [
    await textOf('/api/v1/none'),
    await textOf(collect),
    await textOf(collect, { method: 'POST' }),
    await textOf(collect, { method: 'POST', headers, body: '{"amount":1,"amount":2}' }),
    await textOf('/public/access_token', { method: 'POST', headers, body: '{"username":"a","password":"b"}' }),
  ]
  const expected = [
    '"status":404,"error":"Not Found","message":"Endpoint not found.","path":"/api/v1/none"}',
    `"status":405,"error":"Method Not Allowed","message":"The method must be POST here.","path":"${collect}"}`,
    `"status":401,"error":"Unauthorized","message":"The credentials are missing, invalid or expired: apiKey, apiId and Authorization with a Bearer token are all required.","path":"${collect}"}`,
    undefined,
    '"status":401,"error":"Unauthorized","message":"Invalid username or password.","path":"/public/access_token"}',
  ]
  for (const [index, text] of answers.entries()) {
    const { timestamp, ...rest } = errorSchema.parse(JSON.parse(text))
    assert.equal(text, `{"timestamp":"${timestamp}",${expected[index] ?? JSON.stringify(rest).slice(1)}`)
    assert.deepEqual(Object.keys(JSON.parse(text)), ['timestamp', 'status', 'error', 'message', 'path'])
  }
})

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        responses: z.record(
          z.string(),
          z.object({
            content: z.object({ 'application/json': z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }) }),
          }),
        ),
      }),
    ),
  ),
})

test('a code in each error of the document of version 2, and in none of version 1', () => {
  for (const version of ['v1', 'v2'] as const) {
    const { paths } = documentSchema.parse(buildOpenApiDocument(version))
    let count = 0
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (status.startsWith('2')) continue
        for (const { value } of Object.values(content['application/json'].examples)) {
          ;(version === 'v1' ? errorSchema : codedErrorSchema).parse(value)
          count++
        }
      }
    }
    assert.ok(count > 50, version)
  }
})
