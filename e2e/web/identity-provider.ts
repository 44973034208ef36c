import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

type Claims = Readonly<Record<string, unknown>>
type Granted = { nonce: string | null; challenge: string | null; redirectUri: string; claims: Claims }

export const CLIENT = { id: 'countersign', secret: 'a secret for the identity provider' }

export type IdentityProvider = {
  issuer: string
  /** Who is signed in at the provider, and what its tokens say. A changed nonce or signature is a forgery that must be noticed. */
  claims: Claims
  forgery: 'nonce' | 'signature' | null
  /** Whether the browser is kept at the provider, as while a person types a password there. */
  isHolding: boolean
  /** The parameters of the last request of a browser. */
  asked: URLSearchParams
  /** How many codes were exchanged for tokens. */
  exchanged: number
  stop(): void
}

/** A small OpenID provider over real HTTP: it asks nobody anything, and insists on PKCE and on its client's secret. */
export async function startIdentityProvider(port: number): Promise<IdentityProvider> {
  const keys = await generateKeyPair('RS256')
  const others = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Granted>()
  const server: Server = createServer((request, response) => void answer(request, response))
  const issuer = `http://localhost:${port}`
  const provider: IdentityProvider = {
    issuer,
    claims: {},
    forgery: null,
    isHolding: false,
    asked: new URLSearchParams(),
    exchanged: 0,
    stop: () => server.close(),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
    if (url.pathname === '/.well-known/openid-configuration') return send(response, 200, { issuer, ...endpoints })
    if (url.pathname === '/keys') return send(response, 200, { keys: [jwk] })
    if (url.pathname === '/authorize') return authorise(url.searchParams, response)
    if (url.pathname === '/token') return exchange(request, response)
    send(response, 404, {})
  }

  function authorise(asked: URLSearchParams, response: ServerResponse): void {
    provider.asked = asked
    const code = randomUUID()
    const redirectUri = asked.get('redirect_uri') ?? ''
    grants.set(code, { nonce: asked.get('nonce'), challenge: asked.get('code_challenge'), redirectUri, claims: provider.claims })
    if (provider.isHolding) return send(response, 200, {})
    const back = new URL(redirectUri)
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request))
    const granted = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const basic = `${encodeURIComponent(CLIENT.id)}:${encodeURIComponent(CLIENT.secret).replaceAll('%20', '+')}`
    const isClient = request.headers.authorization === `Basic ${Buffer.from(basic).toString('base64')}`
    if (!granted || !isClient || granted.challenge !== challenge || granted.redirectUri !== form.get('redirect_uri'))
      return send(response, 400, { error: 'invalid_grant' })
    provider.exchanged += 1
    const nonce = provider.forgery === 'nonce' ? randomUUID() : granted.nonce
    const idToken = await new SignJWT({ ...granted.claims, nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(CLIENT.id)
      .setSubject('somebody')
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(provider.forgery === 'signature' ? others.privateKey : keys.privateKey)
    send(response, 200, { access_token: randomUUID(), token_type: 'Bearer', id_token: idToken, expires_in: 300 })
  }

  await new Promise<void>((resolve) => server.listen(port, resolve))
  return provider
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
