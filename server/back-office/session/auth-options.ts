import { NextRequest } from 'next/server'
import type { NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { z } from 'zod'
import { paths } from '#lib/pages/paths.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { noteWaiting } from '#server/http/door/pages/page-notes.ts'
import { findSignedIn } from '#server/people/sign-in/sessions.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { backOfficeRuntime } from '../back-office-runtime.ts'
import { cookieName, newSession, openSession, readClaims, SESSION_S, sealSession, toClaims } from './session-token.ts'
import { checkCode, checkPassword, endOnServer, noteSignIn } from './sign-in.ts'
import { finishSignOn, identityProviders, PROVIDER_ID, providerCookies, readSignOnCall } from './single-sign-on.ts'

/**
 * next-auth for this product: our people by password (and code), in the session cookie of session-token.ts. The sign-in page
 * uses the same checks and the same cookie, and works without script. Sessions are read here as everywhere: a blocked or
 * signed-out person has none, and reading a session renews nothing. Its own address reaches next-auth through
 * NEXTAUTH_URL, which `publishForNext` sets.
 */
export function authOptions(): NextAuthOptions {
  const { config, pool, clock } = backOfficeRuntime()
  const { publicUrl, sessionSecret } = config
  const isSecure = publicUrl.startsWith('https:')
  const options = { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: isSecure }
  return {
    secret: sessionSecret,
    useSecureCookies: isSecure,
    session: { strategy: 'jwt', maxAge: SESSION_S },
    pages: { signIn: paths.signIn(), signOut: paths.signIn(), error: paths.signIn() },
    cookies: {
      sessionToken: { name: cookieName('session', publicUrl), options },
      callbackUrl: { name: cookieName('callback', publicUrl), options },
      ...providerCookies(publicUrl, options),
    },
    jwt: {
      encode: ({ token }) =>
        reported('encode', async () => {
          const session = readClaims(token)
          if (!session) throw new Error('next-auth requires a token for claims that are not a session')
          return sealSession(session, 'session', sessionSecret, clock.now())
        }),
      decode: ({ token }) =>
        reported('decode', async () => {
          const session = await openSession(token ?? '', 'session', sessionSecret, clock.now())
          return session && (await findSignedIn(pool, session, clock.now())) ? { ...toClaims(session) } : null
        }),
    },
    // A cookie without a valid session is not our error: next-auth would log each with its whole stack.
    logger: { error: (code) => backOfficeRuntime().logger.debug({ code }, 'next-auth refused a request') },
    providers: [
      ...identityProviders(),
      CredentialsProvider({
        credentials: { email: { type: 'email' }, password: { type: 'password' }, code: { type: 'text' } },
        authorize: (credentials) =>
          reported('authorize', async () => {
            noteWaiting()
            const outcome = await checkPassword(credentials)
            if (outcome.kind !== 'signed_in' && outcome.kind !== 'code_needed') return null
            const checked = outcome.kind === 'code_needed' ? await checkCode(outcome, credentials?.code) : undefined
            if (checked && !checked.ok) return null
            await noteSignIn(outcome.personId, checked?.value.factor ?? 'password')
            return { id: outcome.personId, ...toClaims(newSession(outcome, 'session', clock.now())) }
          }),
      }),
    ],
    callbacks: {
      // An address ends next-auth's part: the session was started by us.
      signIn: ({ account, profile }) => (account?.provider === PROVIDER_ID ? reported('sign on', () => finishSignOn(profile)) : true),
      // Only at sign-in is there a user; later the token stays as it is.
      jwt: ({ token, user }) => readClaimsOf(user ?? token),
      session: ({ session, token }) => ({ expires: readClaims(token)?.endsAt.toISOString() ?? session.expires }),
    },
    events: {
      signOut: ({ token }) =>
        reported('sign out', async () => {
          const session = readClaims(token)
          if (session) await endOnServer(session)
        }),
    },
  }
}

/**
 * Reports what `work` throws: next-auth answers it as if there were no session, or puts its message into an address. Callers
 * therefore get an error without details.
 */
async function reported<Value>(step: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    reportUnexpected(`next-auth: ${step}`, error)
    throw new Error('Unexpected')
  }
}

function readClaimsOf(claims: unknown): Record<string, unknown> {
  const session = readClaims(claims)
  return session ? { ...toClaims(session) } : {}
}

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
 * text (`invalid`), no query. A sign-in with the identity provider is read by single-sign-on.ts. Where people go after a sign-in is decided by us, never by `callbackUrl`, which next-auth
 * answers with a 500 when it is not an address.
 */
export async function readAuthCall(
  request: Request,
  path: readonly string[],
): Promise<Result<NextRequest, 'not_found' | 'invalid' | 'start_over'>> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const [step, provider] = path
  if (request.method === 'GET' && path.length === 2 && provider === PROVIDER_ID && (step === 'signin' || step === 'callback'))
    return readSignOnCall(request, step)
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
