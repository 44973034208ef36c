import { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok, type Result } from '#lib/result.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { cookieName } from './session-cookie.ts'

/**
 * The part of next-auth that this product serves: reading the session, signing in with a program, signing out. Its own pages are not
 * served.
 */
const OFFERED: ReadonlySet<string> = new Set(['GET csrf', 'GET session', 'POST callback/credentials', 'POST signout'])

const fieldsSchema = z.object({
  csrfToken: z.string().max(1_024).optional(),
  email: z.string().max(1_024).optional(),
  password: z.string().max(4_096).optional(),
  code: z.string().max(1_024).optional(),
  json: z.enum(['true', 'false']).optional(),
})

/**
 * The request as next-auth may see it: only addresses that are offered (`not_found`), only fields that are known and are
 * text (`invalid`), no query. Where people go after a sign-in is decided by us, never by `callbackUrl`, which next-auth
 * answers with a 500 when it is not an address.
 */
export async function readAuthCall(request: Request, path: readonly string[]): Promise<Result<NextRequest, 'not_found' | 'invalid'>> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (!OFFERED.has(`${method} ${path.join('/')}`)) return err('not_found')
  const url = new URL(request.url)
  url.search = ''
  const headers = new Headers(request.headers)
  if (!hasUsableCallbackCookie(headers.get('cookie') ?? '')) return err('invalid')
  if (method === 'GET') return ok(new NextRequest(url, { method, headers }))
  const fields = fieldsSchema.safeParse(await readFields(request))
  if (!fields.success) return err('invalid')
  headers.delete('content-length')
  headers.set('content-type', 'application/x-www-form-urlencoded')
  const body = new URLSearchParams(Object.entries(fields.data).filter(([, value]) => value !== undefined))
  return ok(new NextRequest(url, { method, headers, body: body.toString() }))
}

async function readFields(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  // biome-ignore lint/plugin/no-silent-error: what is not JSON is refused by the schema, with 400.
  if (type === 'application/json') return request.json().catch(() => undefined)
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(await request.text()))
  return undefined
}

/** next-auth stores our own address in this cookie; any other value is not from us, and would be answered with a 500. */
function hasUsableCallbackCookie(cookies: string): boolean {
  const { publicUrl } = backOfficeRuntime().config
  const start = `${cookieName('callback', publicUrl)}=`
  return cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(start))
    .every((cookie) => cookie.slice(start.length).replaceAll('"', '') === encodeURIComponent(new URL(publicUrl).origin))
}
