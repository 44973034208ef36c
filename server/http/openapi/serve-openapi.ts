import { ok } from '#lib/result.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { buildOpenApiDocument } from '#server/http/openapi/openapi.ts'
import { jsonResponse } from '../request/api-request.ts'

/** GET /api/v1/openapi.json and /api/v2/openapi.json: the description of a version. It is public, because it contains no secret. */
function describeVersion(name: string, version: 'v1' | 'v2'): OpenEndpoint {
  let document: Buffer<ArrayBuffer> | undefined
  return {
    kind: 'open',
    name,
    method: 'GET',
    path: `/api/${version}/openapi.json`,
    isUnrecorded: true,
    async respond() {
      document ??= Buffer.from(JSON.stringify(buildOpenApiDocument(version)))
      return ok(jsonResponse(document))
    },
  }
}

export const openapi = describeVersion('openapi', 'v1')
export const openapiV2 = describeVersion('openapi/v2', 'v2')
