import { NextRequest } from 'next/server'
import { isCleanText } from '#lib/clean-text.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { safeNext } from '#lib/safe-next.ts'

/** What programs and the sign-in page use of next-auth. The rest of it (other providers, its own pages, its log) is not offered. */
const OFFERED: ReadonlyMap<string, readonly string[]> = new Map([
  ['csrf', ['GET']],
  ['session', ['GET']],
  ['providers', ['GET']],
  ['signin', ['GET']],
  ['signout', ['GET', 'POST']],
  ['error', ['GET']],
  ['callback/credentials', ['POST']],
])
const BODY_BYTES_MAX = 64 * 1024
const CALLBACK_COOKIES = ['next-auth.callback-url', '__Secure-next-auth.callback-url']

/**
 * Checks a request to next-auth before next-auth sees it, which answers 500 to much that is merely wrong: a provider's callback with GET, a
 * body that is no JSON or no list of texts, a `callbackUrl` that is no address. Returns the request to hand on, with the body read, or
 * the status of the refusal. `action` is the path below /api/auth.
 */
export async function readAuthRequest(
  request: NextRequest,
  action: readonly string[],
  siteUrl: string,
): Promise<Result<NextRequest, number>> {
  const methods = OFFERED.get(action.join('/'))
  if (!methods) return err(404)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (!methods.includes(method)) return err(405)
  const fields = [...request.nextUrl.searchParams]
  if (method === 'GET') return areAllowed(fields, request, siteUrl) ? ok(request) : err(400)
  const body = await request.text()
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) return err(413)
  const sent = fieldsOf(body, request.headers.get('content-type') ?? '')
  if (!sent || !areAllowed([...fields, ...sent], request, siteUrl)) return err(400)
  // Handed on as a form whatever it came as, so that next-auth reads exactly what was checked.
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/x-www-form-urlencoded')
  headers.delete('content-length')
  return ok(new NextRequest(request.url, { method, headers, body: new URLSearchParams(sent).toString() }))
}

type Fields = [name: string, value: string][]

/** The texts of a form or of a flat JSON object; undefined for anything else. */
function fieldsOf(body: string, contentType: string): Fields | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
  if (body === '' || type === 'application/x-www-form-urlencoded') return [...new URLSearchParams(body)]
  if (type !== 'application/json') return undefined
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function areAllowed(fields: Fields, request: NextRequest, siteUrl: string): boolean {
  if (!fields.flat().every(isCleanText)) return false
  const callbacks = [
    ...fields.flatMap(([name, value]) => (name === 'callbackUrl' ? [value] : [])),
    ...CALLBACK_COOKIES.flatMap((name) => request.cookies.get(name)?.value ?? []),
  ]
  return callbacks.every((url) => isOurs(url, siteUrl))
}

/** A page of this site, by its path or with the site's own origin. */
function isOurs(url: string, siteUrl: string): boolean {
  if (url.startsWith('/')) return safeNext(url) === url
  if (!URL.canParse(url)) return false
  const { origin, pathname, search } = new URL(url)
  return origin === new URL(siteUrl).origin && safeNext(pathname + search) === pathname + search
}
