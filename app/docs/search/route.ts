import { readLocale } from '#server/back-office/preferences.ts'
import { readSearchIndex } from '#server/http/reference/search-index.ts'

/**
 * GET /docs/search: what the search of the reference finds. Public, and the same for everybody with a language until the next version of the
 * service. The language is in a cookie, or in the header of the browser.
 */
export async function GET(): Promise<Response> {
  const headers = { 'cache-control': 'private, max-age=300', vary: 'cookie, accept-language' }
  return Response.json(readSearchIndex(await readLocale()), { headers })
}
