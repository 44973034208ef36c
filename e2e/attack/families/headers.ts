import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { PLACES, placeOf } from '#e2e/attack/targets.ts'
import { credentials, type Header, oneRequest, rawRequest, requestBytes } from '#e2e/attack/wire/request.ts'
import { objectText, startCase, TRANSACTION_PATH, transfer } from './transfers.ts'

const SHORT = PLACES.filter((kind) => kind !== 'stream')

const count: CaseMaker = {
  name: 'many headers',
  make(random, arsenal) {
    const number = random.pick([50, 100, 500, 999, 1_500, 2_001, 4_000])
    const place = placeOf(random.pick(SHORT), random, arsenal)
    const headers: Header[] = [...place.headers, ...Array.from({ length: number }, (_, index): Header => [`x${index}`, ''])]
    return oneRequest(`${number} headers to ${place.target}`, { ...place, headers, ...(place.method === 'POST' && { body: '' }) }, [
      '2xx',
      '3xx',
      '4xx',
    ])
  },
}

const size: CaseMaker = {
  name: 'large headers',
  make(random, arsenal) {
    const bytes = random.pick([1_000, 8_000, 15_000, 15_900, 16_384, 17_000, 70_000, 1_000_000])
    const place = placeOf(random.pick(SHORT), random, arsenal)
    const name = random.pick([
      'x-large',
      'Cookie',
      'User-Agent',
      'Accept',
      'Accept-Language',
      'Referer',
      'Origin',
      'If-None-Match',
      'apiKey',
      'Authorization',
    ])
    const piece = random.pick(['a', ' ', ',', ';', 'a=b; ', 'fr,', '"', '\t'])
    const headers: Header[] = [...place.headers, [name, `x${piece.repeat(bytes / piece.length)}x`]]
    const statuses = bytes > 16_384 ? ([431] as const) : (['2xx', '3xx', '4xx'] as const)
    return oneRequest(
      `${bytes} bytes of ${JSON.stringify(piece)} as ${name} to ${place.target}`,
      { ...place, headers, ...(place.method === 'POST' && { body: '' }) },
      statuses,
      { ...(bytes > 60_000 && { silence: 'the service may close before such a head has arrived' }) },
    )
  },
}

/** Where a parser of a header walks over the same characters again and again. */
const contentTypes: CaseMaker = {
  name: 'a Content-Type that takes long to read',
  make(random, arsenal) {
    const piece = random.pick([' ', '\t', ';', ' ;', '; ', ' charset=utf-8;', '"', '; charset="', 'a/'])
    const head = random.pick(['application/json', 'multipart/form-data; boundary=', 'text/plain', 'application/x-www-form-urlencoded', ''])
    const place = placeOf(
      random.pick(['start', 'v2-start', 'token', 'auth', 'action', 'form', 'upload', 'callback', 'pay-form'] as const),
      random,
      arsenal,
    )
    const value = `${head}${piece.repeat(Math.floor(random.pick([500, 5_000, 15_000]) / piece.length))}x`
    const headers: Header[] = [...place.headers, ['Content-Type', value]]
    return oneRequest(
      `${value.length} bytes of ${JSON.stringify(piece)} behind ${head} to ${place.target}`,
      { ...place, headers, body: '{}' },
      ['2xx', '3xx', '4xx'],
    )
  },
}

/** Heads that HTTP forbids or that servers have read in two ways. */
const BROKEN: readonly { text: string; statuses: readonly number[] }[] = [
  { text: 'x: 1\r\n folded: 2\r\n', statuses: [200, 400] },
  { text: 'x: 1\r\n\tfolded\r\n', statuses: [200, 400] },
  { text: ' x: 1\r\n', statuses: [400] },
  { text: 'x : 1\r\n', statuses: [400] },
  { text: 'x\t: 1\r\n', statuses: [400] },
  { text: ': 1\r\n', statuses: [400] },
  { text: 'x\r\n', statuses: [400] },
  { text: 'x y: 1\r\n', statuses: [400] },
  { text: 'x: 1\n', statuses: [200, 400] },
  { text: 'x: 1\r', statuses: [400] },
  { text: 'x: a\rb\r\n', statuses: [400] },
  { text: 'x: \u0000\r\n', statuses: [400] },
  { text: 'x: \u0001\r\n', statuses: [400] },
  { text: 'x: \u007f\r\n', statuses: [400] },
  { text: 'x\u0000: 1\r\n', statuses: [400] },
  { text: 'x(): 1\r\n', statuses: [400] },
  { text: 'é: 1\r\n', statuses: [400] },
  { text: 'x: é\r\n', statuses: [200] },
  { text: '__proto__: 1\r\n', statuses: [200] },
  { text: 'constructor: 1\r\n', statuses: [200] },
  { text: 'Host: 127.0.0.1\r\n', statuses: [400] },
  { text: 'Host: evil.example\r\n', statuses: [400] },
  { text: 'host: x\r\n', statuses: [400] },
]

const broken: CaseMaker = {
  name: 'heads that HTTP forbids',
  make(random) {
    const { text, statuses } = random.pick(BROKEN)
    const bytes = `GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n${text}\r\n`
    return rawRequest(`a head with ${JSON.stringify(text)}`, bytes, statuses)
  },
}

const HOSTS: readonly (string | null)[] = [
  null,
  '',
  ' ',
  'a b',
  'a, b',
  'evil.example',
  '127.0.0.1:0',
  '127.0.0.1:99999',
  '[',
  '[::1',
  '@',
  'a@b',
  '/',
  'x/y',
  '%',
  '..',
  'é',
  'a'.repeat(5_000),
]

const hosts: CaseMaker = {
  name: 'Host',
  make(random, arsenal) {
    const host = random.pick(HOSTS)
    const place = placeOf(
      random.pick(['query', 'v2-query', 'token', 'page', 'no-page', 'data', 'file', 'auth', 'open', 'pay', 'reference', 'action'] as const),
      random,
      arsenal,
    )
    const statuses = host === null ? ([400] as const) : (['2xx', '3xx', '4xx'] as const)
    return oneRequest(
      `Host ${host === null ? 'absent' : JSON.stringify(host.slice(0, 30))} to ${place.target}`,
      { ...place, host, ...(place.method === 'POST' && { body: '' }) },
      statuses,
      {
        inspect: ([answer]) =>
          answer?.headers['location']?.includes('evil.example') ? 'the answer leads to the host that the attacker named' : undefined,
      },
    )
  },
}

const ORIGINS = [
  'null',
  'http://evil.example',
  'https://evil.example',
  'garbage',
  '',
  'http://',
  '://',
  'http://[',
  'file://',
  'http://127.0.0.1:1',
  'http://a b',
] as const

const origins: CaseMaker = {
  name: 'Origin',
  make(random, arsenal) {
    const origin = random.pick(ORIGINS)
    const place = placeOf(
      random.pick(['page', 'no-page', 'auth', 'action', 'form', 'upload', 'start', 'v2-start'] as const),
      random,
      arsenal,
    )
    const headers: Header[] = [...place.headers, ['Origin', origin], ['Content-Type', 'text/plain;charset=UTF-8']]
    const method = random.pick(['POST', place.method])
    return oneRequest(`Origin ${origin} with ${method} ${place.target}`, { ...place, method, headers, body: '[]' }, ['2xx', '3xx', '4xx'])
  },
}

/** Next believes some of these when they come from itself. */
const INTERNAL: readonly Header[] = [
  ['x-middleware-subrequest', 'proxy:proxy:proxy:proxy:proxy'],
  ['x-middleware-rewrite', '/sign-in'],
  ['x-middleware-next', '1'],
  ['x-invoke-path', '/api/auth/session'],
  ['x-invoke-status', '500'],
  ['x-invoke-error', '{"message":"x"}'],
  ['x-invoke-output', '/x'],
  ['x-matched-path', '/x'],
  ['x-now-route-matches', '1=x'],
  ['next-resume', '1'],
  ['next-router-state-tree', '%'],
  ['next-router-state-tree', '%5B%5D'],
  ['next-router-state-tree', '["",{}]'],
  ['next-router-prefetch', '1'],
  ['next-router-segment-prefetch', '/_tree'],
  ['next-router-segment-prefetch', '/../..'],
  ['next-url', '%FF'],
  ['rsc', '1'],
  ['next-action', 'x'],
  ['next-action', '0'.repeat(42)],
  ['next-action', ''],
  ['next-html-request-id', '\u00ff'],
  ['x-nextjs-data', '1'],
  ['x-nextjs-rewritten-path', '/x'],
  ['purpose', 'prefetch'],
  ['x-prerender-revalidate', 'x'],
  ['x-vercel-id', 'x'],
  ['x-forwarded-host', 'evil.example'],
  ['x-forwarded-proto', 'gopher'],
  ['x-forwarded-port', 'x'],
  ['x-real-ip', 'x'],
  ['forwarded', 'for="'],
  ['content-security-policy', 'x'],
  ['x-wanted-address', '//evil.example'],
  ['accept-encoding', 'x'],
  ['accept-encoding', 'gzip;q=x'],
  ['accept-language', '*;q=9'],
  ['accept-language', '%'],
  ['range', 'bytes=0-0,1-1,2-2'],
  ['range', 'bytes=9-1'],
  ['if-modified-since', 'x'],
  ['if-none-match', '*'],
  ['traceparent', '00-x'],
  ['cookie', '='],
  ['cookie', ';;;'],
  ['cookie', 'a'],
  ['cookie', '__proto__=1'],
  ['cookie', 'theme=%FF; language=%'],
]

const internal: CaseMaker = {
  name: 'headers that only Next itself sends',
  make(random, arsenal) {
    const place = placeOf(random.pick(SHORT), random, arsenal)
    const added = [random.pick(INTERNAL), ...(random.chance(0.4) ? [random.pick(INTERNAL)] : [])]
    const what = added.map(([name, value]) => `${name}: ${value.slice(0, 40)}`).join(', ')
    const parts = { ...place, headers: [...place.headers, ...added], ...(place.method === 'POST' && { body: '' }) }
    return oneRequest(`${what} to ${place.target}`, parts, ['2xx', '3xx', '4xx'], {
      inspect: ([answer]) =>
        answer?.headers['location']?.includes('evil.example') ? 'the answer leads to an address of the attacker' : undefined,
    })
  },
}

const doubledCredentials: CaseMaker = {
  name: 'a repeated credential',
  make(random, arsenal) {
    const own = credentials(arsenal)
    const again = random.pick(own)
    const value = random.pick([again[1], 'x', ''])
    const headers = random.chance(0.5) ? [...own, [again[0], value] as const] : [[again[0], value] as const, ...own]
    return oneRequest(`${again[0]} twice`, { target: `${TRANSACTION_PATH}/getByApplicationProductBalances`, headers }, [400, 401])
  },
}

const contentTypeRefused: CaseMaker = {
  name: 'another Content-Type',
  make(random, arsenal) {
    const type = random.pick([
      'text/plain',
      'application/xml',
      'application/jsonx',
      'application/json; charset=latin1',
      'json',
      '*/*',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'application/json,text/plain',
    ])
    const fields = transfer(random, arsenal)
    const attack = startCase(`Content-Type ${type}`, arsenal, 'collect', objectText(fields), [400, 415], { starts: [fields.id] })
    const headers: Header[] = [...credentials(arsenal), ['Content-Type', type]]
    const bytes = requestBytes({ method: 'POST', target: `${TRANSACTION_PATH}/collect`, headers, body: objectText(fields) })
    return { ...attack, steps: [{ do: 'write', bytes }] }
  },
}

export const headers: Family = {
  name: 'headers',
  weight: 11,
  makers: [count, size, contentTypes, contentTypes, broken, hosts, origins, internal, internal, doubledCredentials, contentTypeRefused],
}
