import { readSearchIndex } from '#server/http/reference/search-index.ts'

/** GET /docs/search: what the search of the reference finds. Public, and the same for everybody until the next version of the service. */
export function GET(): Response {
  return Response.json(readSearchIndex(), { headers: { 'cache-control': 'public, max-age=300' } })
}
