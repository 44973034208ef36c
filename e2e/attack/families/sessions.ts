import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family } from '#e2e/attack/case.ts'
import { placeOf } from '#e2e/attack/targets.ts'
import { type Header, oneRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'

/** Altered sessions: none of these is valid. */
function spoil(random: Random, arsenal: Arsenal): { what: string; cookie: string } {
  const { cookie } = random.pick(arsenal.visitors)
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  const parts = value.split('.')
  const reverse = [...value].toReversed().join('')
  return random.pick([
    { what: 'cut', cookie: cookie.slice(0, -10) },
    { what: 'empty', cookie: `${name}=` },
    { what: 'one letter changed', cookie: `${name}=${value.slice(0, -8)}${value.at(-8) === 'A' ? 'B' : 'A'}${value.slice(-7)}` },
    { what: 'reversed', cookie: `${name}=${reverse}` },
    { what: 'without its last part', cookie: `${name}=${parts.slice(0, -1).join('.')}` },
    { what: 'with another head', cookie: `${name}=${Buffer.from('{"alg":"none"}').toString('base64url')}.${parts.slice(1).join('.')}` },
    { what: 'dir and none', cookie: `${name}=eyJhbGciOiJkaXIiLCJlbmMiOiJub25lIn0....` },
    { what: 'as the cookie of the second step', cookie: `${name.replace('session', 'half')}=${value}` },
    { what: 'under the name of next-auth', cookie: `next-auth.session-token=${value}` },
    { what: 'in pieces', cookie: `${name}.0=${value.slice(0, 20)}; ${name}.1=${value.slice(20)}` },
    { what: 'a JWT of the API', cookie: `${name}=${arsenal.program.accessToken}` },
    { what: '15,000 letters', cookie: `${name}=${'a'.repeat(15_000)}` },
    { what: 'percent signs', cookie: `${name}=%%%` },
    { what: 'dots', cookie: `${name}=....` },
  ])
}

const spoilt: CaseMaker = {
  name: 'sessions that are none',
  make(random, arsenal) {
    const { what, cookie } = random.chance(0.5) ? spoil(random, arsenal) : random.pick(arsenal.deadCookies)
    const isData = random.chance(0.5)
    const place = placeOf(isData ? random.pick(['data', 'stream'] as const) : 'page', random, arsenal, true)
    const isOpen = place.target === '/' || place.target.startsWith('/sign-in')
    const target = isOpen ? `/${arsenal.program.slug}` : place.target
    return oneRequest(`a session ${what} to ${target}`, { target, headers: [['Cookie', cookie]] }, isData ? [401] : [303, 307, 308], {
      ...(!isData && {
        inspect: ([answer]: readonly { headers: Readonly<Record<string, string>> }[]) =>
          answer?.headers['location']?.includes('/sign-in') ? undefined : 'the answer does not lead to the sign-in',
      }),
    })
  },
}

const elsewhere: CaseMaker = {
  name: "a session in another application's pages",
  make(random, arsenal) {
    const makers = arsenal.visitors.filter((visitor) => !visitor.roles.includes('finance'))
    const { cookie } = random.pick(makers)
    const { slug } = arsenal.other
    const id = random.pick(arsenal.other.transactionIds)
    const target = random.pick([
      `/${slug}`,
      `/${slug}/transactions`,
      `/${slug}/transactions/${id}`,
      `/${slug}/totals`,
      `/api/back-office/${slug}/overview`,
      `/api/back-office/${slug}/live`,
      `/api/back-office/${slug}/transactions/${id}`,
      `/api/back-office/${arsenal.program.slug}/transactions/${id}`,
      `/${arsenal.program.slug}/transactions/${id}`,
    ])
    // A page that is not found is a page all the same; what counts is its status.
    return oneRequest(`${target} of another application`, { target, headers: [['Cookie', cookie]] }, [403, 404])
  },
}

const GARBAGE: readonly string[] = [
  '',
  '[]',
  '{}',
  'null',
  '[',
  'x',
  '[null]',
  '["{slug}",null]',
  '["{slug}",{}]',
  '["{slug}","words"]',
  '["{slug}",[[[]]]]',
  '["{slug}",{"items":"none"}]',
  '["{slug}",{"__proto__":{"x":1}}]',
  '["{slug}","$F1"]',
  '["{slug}","$@1"]',
  '["{slug}","$K1"]',
  '["{slug}","$B1"]',
  '["{slug}","$Q1"]',
  '["{slug}","$W1"]',
  '["{slug}","$n99999999999999999999"]',
  '["{slug}","$D0000"]',
  '["{slug}","$Z"]',
  '["{slug}","$1:__proto__:x"]',
  '["{slug}","$0:constructor:constructor"]',
  '["{slug}","\\u0000"]',
  '["{slug}","\\ud800"]',
  '["{slug}",{"note":"\\u0000","transactionId":"\\u0000","name":"\\u0000"}]',
  '["\\u0000",{}]',
  '["__proto__",{}]',
  `[${'['.repeat(5_000)}`,
]

/** Actions that are called with input that makes no sense: without a session, with a session, from a page that does not have them. */
const actions: CaseMaker = {
  name: 'server actions with input that makes no sense',
  make(random, arsenal) {
    const place = placeOf('action', random, arsenal)
    const body = random.pick(GARBAGE).replaceAll('{slug}', arsenal.program.slug)
    const target = random.chance(0.8) ? place.target : random.pick(['/sign-in', `/${arsenal.program.slug}/settings`, '/no-page', '/'])
    const headers: Header[] = [
      ...place.headers,
      ['Content-Type', random.pick(['text/plain;charset=UTF-8', 'text/plain', 'application/json'])],
      ['Accept', 'text/x-component'],
      ['Origin', `http://${arsenal.host}:${arsenal.port}`],
    ]
    return oneRequest(
      `an action at ${target} with ${body.slice(0, 80)}`,
      { ...place, target, headers, body, host: `${arsenal.host}:${arsenal.port}` },
      ['2xx', '3xx', '4xx'],
      {
        inspect: ([answer]) => (answer?.body.includes('"code":"unexpected"') ? 'the action ran into a bug' : undefined),
      },
    )
  },
}

const ACTION_IDS = ['x', '0'.repeat(40), '0'.repeat(42), 'f'.repeat(42), '../../x', '__proto__', '%00', ' ', 'a'.repeat(10_000)] as const

const actionIds: CaseMaker = {
  name: 'ids of actions that are none',
  make(random, arsenal) {
    const real = random.pick(arsenal.actions).id
    const id = random.pick([...ACTION_IDS, `${real}x`, real.slice(0, -1), real.toUpperCase(), [...real].toReversed().join('')])
    const target = random.pick(['/sign-in', `/${arsenal.program.slug}`, '/', '/no-page'])
    const headers: Header[] = [
      ['Next-Action', id],
      ['Content-Type', 'text/plain;charset=UTF-8'],
      ['Origin', `http://${arsenal.host}:${arsenal.port}`],
      ...(random.chance(0.5) ? [['Cookie', random.pick(arsenal.visitors).cookie] as const] : []),
    ]
    return oneRequest(
      `the action ${id.slice(0, 50)} at ${target}`,
      { method: 'POST', target, headers, body: '[]', host: `${arsenal.host}:${arsenal.port}` },
      ['3xx', '4xx', '2xx'],
    )
  },
}

const AUTH_TARGETS = [
  'GET /api/auth/callback/credentials',
  'GET /api/auth/callback/credentials?code=x&state=y',
  'GET /api/auth/signin?callbackUrl=http://evil.example',
  'GET /api/auth/signin?callbackUrl=%',
  'GET /api/auth/signin/nothing',
  'GET /api/auth/signout?callbackUrl=//evil.example',
  'GET /api/auth/session?update=1',
  'GET /api/auth/error?error=<script>',
  'GET /api/auth/error?error=Configuration',
  'GET /api/auth/providers',
  'GET /api/auth/verify-request',
  'GET /api/auth/csrf?x[]=1',
  'GET /api/auth',
  'GET /api/auth/',
  'GET /api/auth/a/b/c/d',
  'GET /api/auth/callback/credentials?callbackUrl=http://evil.example',
  'POST /api/auth/session',
  'POST /api/auth/callback/credentials',
  'POST /api/auth/callback/nothing',
  'POST /api/auth/signin/credentials',
  'POST /api/auth/_log',
  'POST /api/auth/signout',
  'POST /api/auth/csrf',
  'POST /api/auth',
] as const
const AUTH_BODIES = [
  '',
  '{}',
  '[]',
  'null',
  '{"csrfToken":{"a":1}}',
  '{"csrfToken":"x","email":{"$ne":1},"password":[]}',
  '{"email":null}',
  '{',
  '{"callbackUrl":"http://evil.example"}',
  '{"callbackUrl":{}}',
  '{"json":"true"}',
  '{"message":"x","level":"error","code":"\\u0000"}',
  '{"__proto__":{"a":1}}',
  `{"a":${'['.repeat(10_000)}`,
] as const
const AUTH_COOKIES = [
  '',
  'next-auth.csrf-token=x',
  'next-auth.csrf-token=a|b',
  'next-auth.csrf-token=%7C',
  'next-auth.callback-url=http%3A%2F%2Fevil.example',
  'next-auth.callback-url=%',
  'next-auth.csrf-token=|; next-auth.callback-url=',
] as const

const nextAuth: CaseMaker = {
  name: "next-auth's own addresses",
  make(random) {
    const [method = 'GET', target = ''] = random.pick(AUTH_TARGETS).split(' ')
    const body = method === 'POST' ? random.pick(AUTH_BODIES) : undefined
    const headers: Header[] = [
      ['Cookie', random.pick(AUTH_COOKIES)],
      ...(body === undefined
        ? []
        : [['Content-Type', random.pick(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])] as const]),
    ]
    return oneRequest(
      `${method} ${target} with ${body?.slice(0, 50) ?? 'no body'}`,
      { method, target, headers, ...(body !== undefined && { body }) },
      ['2xx', '3xx', '4xx'],
      {
        inspect: ([answer]) =>
          /^(?:https?:)?\/\/evil/.test(answer?.headers['location'] ?? '') ? 'the answer leads to an address of the attacker' : undefined,
      },
    )
  },
}

/** Opens the live events of a page and leaves in some manner. */
function streamCase(what: string, random: Random, arsenal: Arsenal, leave: (bytes: Buffer) => AttackCase['steps']): AttackCase {
  const target = `/api/back-office/${arsenal.program.slug}/live`
  const parts = { target, headers: [['Cookie', random.pick(arsenal.visitors).cookie] as const, ['Accept', 'text/event-stream'] as const] }
  const attack = oneRequest(what, parts, [200, 401, 403], { silence: 'a stream has no end of its own', answers: 1 })
  return withSteps(attack, leave(requestBytes(parts)))
}

const streams: CaseMaker = {
  name: 'event streams that are left',
  make(random, arsenal) {
    const manner = random.pick(['a reset', 'a reset immediately', 'a half close', 'a second request'] as const)
    const wait = { do: 'wait' as const, ms: random.between(0, 300) }
    return streamCase(`the events of a page, then ${manner}`, random, arsenal, (bytes) => {
      const open = { do: 'write' as const, bytes }
      if (manner === 'a reset immediately') return [open, { do: 'reset' }]
      if (manner === 'a half close') return [open, { do: 'awaitByte' }, { do: 'halfClose' }, wait, { do: 'reset' }]
      if (manner === 'a second request') return [open, { do: 'awaitByte' }, open, wait, { do: 'reset' }]
      return [open, { do: 'awaitByte' }, wait, { do: 'reset' }]
    })
  },
}

export const sessions: Family = {
  name: 'sessions',
  weight: 9,
  makers: [spoilt, elsewhere, actions, actions, actions, actionIds, nextAuth, nextAuth, streams],
}
