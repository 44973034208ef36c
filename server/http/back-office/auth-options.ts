import type { NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { paths } from '#lib/paths.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { cookieName, SESSION_S } from './session.ts'
import { checkCode, checkPassword } from './sign-in.ts'

/**
 * next-auth for this product: our people by password (and code), a session that holds a person's id and epoch and nothing else.
 * The sign-in page uses the same checks and the same cookie, and works without script. Its own address reaches next-auth
 * through NEXTAUTH_URL, which `publishForNext` sets.
 */
export function authOptions(): NextAuthOptions {
  const { publicUrl, sessionSecret } = backOfficeRuntime().config
  const isSecure = publicUrl.startsWith('https:')
  return {
    secret: sessionSecret,
    useSecureCookies: isSecure,
    session: { strategy: 'jwt', maxAge: SESSION_S },
    pages: { signIn: paths.signIn(), signOut: paths.signIn(), error: paths.signIn() },
    cookies: {
      sessionToken: { name: cookieName('session', publicUrl), options: { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } },
    },
    providers: [
      CredentialsProvider({
        credentials: { email: { type: 'email' }, password: { type: 'password' }, code: { type: 'text' } },
        async authorize(credentials) {
          const outcome = await checkPassword(credentials)
          if (outcome.kind === 'signed_in') return { id: outcome.personId, epoch: outcome.epoch }
          if (outcome.kind !== 'code_needed') return null
          const checked = await checkCode(outcome.personId, credentials?.code)
          return checked.ok ? { id: outcome.personId, epoch: outcome.epoch } : null
        },
      }),
    ],
    callbacks: {
      // Only at sign-in is there a user; later the token stays as it is.
      jwt: ({ token, user }) => (user && 'epoch' in user ? { sub: user.id, epoch: user.epoch } : { sub: token.sub, epoch: token['epoch'] }),
      session: ({ session }) => ({ expires: session.expires }),
    },
  }
}
