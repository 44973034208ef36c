import { ok } from '#lib/result.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { buildOpenApiDocument } from '#server/http/openapi/openapi.ts'
import { jsonResponse } from '../request/api-request.ts'

let document: Buffer<ArrayBuffer> | undefined

/** GET /api/v1/openapi.json: the description of this API. It is public, because it contains no secret. */
export const openapi: OpenEndpoint = {
  kind: 'open',
  name: 'openapi',
  method: 'GET',
  path: '/api/v1/openapi.json',
  async respond() {
    document ??= Buffer.from(JSON.stringify(buildOpenApiDocument()))
    return ok(jsonResponse(document))
  },
}
