import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BASE, call, expectError } from '#e2e/contract/partner-program.ts'
import type { ContractService } from '#e2e/contract/service.ts'
import { ENDPOINTS } from './identity.ts'

type Document = {
  openapi: string
  paths: Record<
    string,
    Record<
      string,
      {
        responses: Record<string, unknown>
        parameters?: { name: string; required: boolean }[]
        requestBody?: unknown
        security?: unknown[]
      }
    >
  >
  components: { schemas: Record<string, { properties?: Record<string, unknown> }>; securitySchemes: Record<string, unknown> }
}

export function describeDocumentation(service: () => ContractService): void {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(service().baseUrl + path, { headers })

  describe('documentation and health', () => {
    test('200 for /api/v1/openapi.json: OpenAPI 3.1 with all endpoints, their parameters, statuses and the three headers', async () => {
      const response = await get('/api/v1/openapi.json')
      assert.equal(response.status, 200)
      const document = (await response.json()) as Document
      assert.match(document.openapi, /^3\.1\./)
      assert.deepEqual(Object.keys(document.components.securitySchemes), ['apiKey', 'apiId', 'bearer'])
      for (const { name, method, query } of ENDPOINTS) {
        const operation = document.paths[`${BASE}/${name}`]?.[method.toLowerCase()]
        assert.ok(operation, name)
        assert.deepEqual((operation.parameters ?? []).map((parameter) => parameter.name).sort(), Object.keys(query ?? {}).sort())
        assert.ok((operation.parameters ?? []).every((parameter) => parameter.required))
        for (const status of ['200', '400', '401', '403', '500']) assert.ok(operation.responses[status], `${name} ${status}`)
      }
      assert.deepEqual(Object.keys(document.paths).length, ENDPOINTS.length + 2)
      assert.deepEqual(Object.keys(document.components.schemas['Error']?.properties ?? {}), [
        'timestamp',
        'status',
        'error',
        'message',
        'path',
      ])
    })

    test('a schema for every reference in the document', async () => {
      const text = await (await get('/api/v1/openapi.json')).text()
      const { components } = JSON.parse(text) as Document
      const names = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]))
      for (const name of names) assert.ok(components.schemas[String(name).replace('#/components/schemas/', '')], String(name))
    })

    test('200 for /health, /health/live and /health/ready without credentials, 405 for other methods', async () => {
      for (const path of ['/health', '/health/live', '/health/ready']) {
        assert.equal((await get(path)).status, 200)
        expectError(await call(service(), service().partner, path, { method: 'POST' }), 405, path)
      }
      expectError(await call(service(), service().partner, '/health/other', { method: 'GET' }), 404)
    })

    test('200 for /metrics with requests by endpoint and status, for callers on this machine only', async () => {
      const response = await get('/metrics')
      assert.equal(response.status, 200)
      const text = await response.text()
      assert.match(text, /countersign_http_requests_total\{endpoint="collect",status="200"\} \d+/)
      assert.match(text, /countersign_http_request_seconds_bucket/)
      assert.match(text, /nodejs_eventloop_lag_seconds/)
      expectError(
        await call(service(), service().partner, '/metrics', { method: 'GET', headers: { 'X-Forwarded-For': '198.51.100.7' } }),
        403,
        '/metrics',
      )
    })

    test('400 or 401 for callbacks without a signature, regardless of their content, 404 for an unknown operator', async () => {
      for (const body of ['', '{', JSON.stringify({ reference: crypto.randomUUID(), status: 'SUCCESS' })]) {
        const answer = await call(service(), service().partner, '/operators/callback/OMCM', { body })
        assert.ok(answer.status === 400 || answer.status === 401, answer.text)
        expectError(answer, answer.status, '/operators/callback/OMCM')
      }
      expectError(await call(service(), service().partner, '/operators/callback/XXXX', { body: '{}' }), 404)
    })
  })
}
