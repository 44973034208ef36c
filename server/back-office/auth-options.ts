import type { NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { paths } from '#lib/paths.ts'
import { noteWaiting } from '#server/http/door/page-notes.ts'
import { findSignedIn } from '#server/people/find-signed-in.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { cookieName } from './session-cookie.ts'
import { newSession, openSession, readClaims, SESSION_S, sealSession, toClaims } from './session-token.ts'
import { checkCode, checkPassword, noteSignIn } from './sign-in.ts'
import { endOnServer } from './sign-out.ts'

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
