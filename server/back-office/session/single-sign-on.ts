import { NextRequest } from 'next/server'
import type { NextAuthOptions } from 'next-auth'
import { z } from 'zod'
import { paths } from '#lib/pages/paths.ts'
import { type SignOnRefusal, safeNext } from '#lib/people/sign-in.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { throttleAddress } from '#server/credentials/address.ts'
import { noteWaiting } from '#server/http/door/pages/page-notes.ts'
import { findSignOnPerson } from '#server/people/sign-in/single-sign-on.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { backOfficeRuntime } from '../back-office-runtime.ts'
import { isFromAnotherSite } from '../file-response.ts'
import { issueCsrfToken, markDevice, PROVIDER_STEP_S, rememberNext, startPendingSecondFactorSession, takeNext } from './session.ts'
import { cookieName } from './session-token.ts'
import { beginSession, peerAddress } from './sign-in.ts'

/** The identity provider in the addresses of next-auth. */
export const PROVIDER_ID = 'sso'
const PROVIDER_TIMEOUT_MS = 5_000

/** The identity provider of the installation for next-auth, which does the protocol: PKCE, state, nonce, the signature of the ID token. */
export function identityProviders(): NextAuthOptions['providers'] {
  const settings = backOfficeRuntime().config.singleSignOn
  if (!settings) return []
  const { name, issuer, clientId, clientSecret } = settings
  return [
    {
      id: PROVIDER_ID,
      name,
      type: 'oauth',
      issuer,
      wellKnown: `${issuer}/.well-known/openid-configuration`,
      clientId,
      clientSecret,
      idToken: true,
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { scope: 'openid email' } },
      httpOptions: { timeout: PROVIDER_TIMEOUT_MS },
      profile: ({ sub }: { sub: string }) => ({ id: sub }),
    },
  ]
}

/** The cookies of the way to the identity provider and back, which next-auth encrypts. */
export function providerCookies(publicUrl: string, options: { path: string; httpOnly: boolean; sameSite: 'lax'; secure: boolean }) {
  const lasting = { ...options, maxAge: PROVIDER_STEP_S }
  return {
    csrfToken: { name: cookieName('csrf', publicUrl), options },
    state: { name: cookieName('state', publicUrl), options: lasting },
    pkceCodeVerifier: { name: cookieName('verifier', publicUrl), options: lasting },
    nonce: { name: cookieName('nonce', publicUrl), options: lasting },
  } satisfies NextAuthOptions['cookies']
}

const claimsSchema = z.object({
  email: z.string().max(320).optional(),
  email_verified: z.boolean().optional(),
  amr: z.array(z.string()).optional(),
  acr: z.string().optional(),
})

/**
 * Ends a sign-in with the identity provider, whose claims next-auth has verified, and returns the page that follows. The session is ours, as after a
 * password: whole, or pending until the code. For route handlers only.
 */
export async function finishSignOn(profile: unknown): Promise<string> {
  const { config, pool } = backOfficeRuntime()
  const claims = claimsSchema.safeParse(profile)
  if (!config.singleSignOn || !claims.success) return refusedPage('failed')
  const { email, email_verified: isEmailVerified = false, amr = [], acr } = claims.data
  const found = await findSignOnPerson(pool, { email, isEmailVerified, amr, acr }, config.singleSignOn.secondFactor)
  if (!found.ok) return refusedPage(found.error)
  const next = safeNext(await takeNext())
  const who = { personId: found.value.personId, epoch: found.value.sessionEpoch }
  if (found.value.needsCode) {
    await startPendingSecondFactorSession({ ...who, usedProvider: true })
    return paths.secondFactor(next === '/' ? undefined : next)
  }
  await markDevice(found.value.email)
  await beginSession(who, 'single_sign_on')
  return next
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How often each address may still begin or end a sign-in with the identity provider. */
    signOnLimit: RateLimit
  }
}

/** Each is a request to the provider, which anybody can cause. An office may share an address. */
const BURST = 60
const PER_SECOND = 1

function isThrottled(): boolean {
  const limit = processWide('signOnLimit', () => createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }))
  return limit.take(throttleAddress(peerAddress())).retryAfterMs !== undefined
}

/** The answer of a provider. Codes and states of several are over a thousand characters long. */
const answerSchema = z.object({
  code: z.string().max(4_096).optional(),
  state: z.string().max(4_096).optional(),
  iss: z.string().max(2_048).optional(),
  error: z.string().max(200).optional(),
})

/**
 * The request as next-auth may see it: the way to the provider, which is a link and becomes the POST that next-auth wants, or the way back.
 * `start_over`: not started on our own page, or too often. `not_found` where no provider is configured.
 */
export async function readSignOnCall(
  request: Request,
  step: 'signin' | 'callback',
): Promise<Result<NextRequest, 'not_found' | 'start_over'>> {
  if (!backOfficeRuntime().config.singleSignOn) return err('not_found')
  if (isThrottled()) return err('start_over')
  const url = new URL(request.url)
  // A copy: that of the address is emptied with it.
  const query = new URLSearchParams(url.search)
  const headers = new Headers(request.headers)
  url.search = ''
  noteWaiting()
  if (step === 'callback') {
    const answer = answerSchema.safeParse(Object.fromEntries(query))
    if (!answer.success) return err('start_over')
    for (const [name, value] of Object.entries(answer.data)) if (value !== undefined) url.searchParams.set(name, value)
    return ok(new NextRequest(url, { method: 'GET', headers }))
  }
  // Another site could otherwise have a person signed in whom the provider knows.
  if (isFromAnotherSite(headers, 'link')) return err('start_over')
  await rememberNext(safeNext(query.get('next')))
  headers.set('content-type', 'application/x-www-form-urlencoded')
  const body = new URLSearchParams({ csrfToken: await issueCsrfToken() })
  return ok(new NextRequest(url, { method: 'POST', headers, body: body.toString() }))
}

/** The answer with a page of ours in place of next-auth's own error page, which is not served. */
export function answerSignOn(answer: Response): Response {
  const location = answer.headers.get('location') ?? ''
  const { publicUrl } = backOfficeRuntime().config
  const leadsToErrors = location !== '' && new URL(location, publicUrl).href.startsWith(`${new URL(publicUrl).origin}/api/auth/`)
  if (leadsToErrors) answer.headers.set('location', refusedPage('failed'))
  return answer
}

function refusedPage(refusal: SignOnRefusal): string {
  return `${paths.signIn()}?sso=${refusal}`
}
