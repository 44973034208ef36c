import { type NextRequest, NextResponse } from 'next/server'
import { pagePolicy } from './lib/pages/page-policy.ts'

/**
 * Headers for every page. A fresh nonce lets exactly the scripts of this answer run; there is no inline exception, not for styles
 * either. Nothing is authorised here: that is done where data is read and commands run.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
  const isDevelopment = process.env.NODE_ENV === 'development'
  const policy = pagePolicy({
    scripts: [`'nonce-${nonce}'`, `'strict-dynamic'`, ...(isDevelopment ? [`'unsafe-eval'`] : [])],
    styles: [isDevelopment ? `'unsafe-inline'` : `'nonce-${nonce}'`],
    connections: isDevelopment ? ['ws:'] : [],
  })
  const headers = new Headers(request.headers)
  // Next reads the nonce from here and puts it on its own scripts.
  headers.set('content-security-policy', policy)
  // Where the person wanted to go, for the way back after signing in.
  const wanted = request.nextUrl.clone()
  wanted.searchParams.delete('_rsc')
  headers.set('x-wanted-address', wanted.pathname + wanted.search)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  response.headers.set('cache-control', 'private, no-store')
  const isSecure = request.nextUrl.protocol === 'https:' || request.headers.get('x-forwarded-proto') === 'https'
  if (isSecure) response.headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
  return response
}

/**
 * Every address but the API's own, data addresses and the files that the build makes, named one by one: a page may end in `.png` too.
 * next.config.ts sets a policy for those that needs no nonce.
 */
export const config = {
  matcher: [
    {
      source:
        '/((?!(?:api/(?:v1|auth|back-office)|public|operators/callback|pay|health|metrics|_next/static)(?:/|$)|(?:robots\\.txt|icon\\.svg|push-worker\\.js|docs/search)$).*)',
    },
  ],
}
