import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { credentials, type Header, JSON_CONTENT, rawRequest, requestBytes } from '#e2e/attack/wire/request.ts'
import { TRANSACTION_PATH } from './transfers.ts'

/** Spellings of a path that one program reads as the real one and another does not. None of them may reach it. */
const NEAR_PATHS: readonly string[] = [
  '/api/v1//transaction/{}',
  '//api/v1/transaction/{}',
  '/api/v1/./transaction/{}',
  '/api/v1/x/../transaction/{}',
  '/api/v1/transaction/%2e%2e/transaction/{}',
  '/api/v1/transaction%2f{}',
  '/api/v1%2ftransaction/{}',
  '/api%2fv1/transaction/{}',
  '/api/v1/transaction/{}/',
  '/api/v1/transaction/{};a=b',
  '/api/v1;x/transaction/{}',
  '/api/v1/transaction/{}%00',
  '/api/v1/transaction/{}%20',
  '/api/v1/transaction/{}.json',
  '/API/v1/transaction/{}',
  '/api/V1/transaction/{}',
  '/api/v1/transaction\\{}',
  '/api/v1/transaction/%5c{}',
  '/api/v1/transaction/{}%3fx',
  '/api/v1/transaction/{}%23x',
  '/api/v1/transaction/../../v1/transaction/{}',
  '/public/../api/v1/transaction/{}',
  '/health/live/../../api/v1/transaction/{}',
  '/api/v1/transaction/{}#x',
  '/api/v2/transaction/{}',
  '/api/v1/transaction/{}é',
  '/api/v1/transaction/%u0041',
]

/** Without a credential the right address answers 401, so that 404 shows that the near one is another. */
const near: CaseMaker = {
  name: 'a path that is almost right',
  make(random) {
    const target = random.pick(NEAR_PATHS).replace('{}', random.pick(['collect', 'getByApplicationProduct', 'nothing']))
    const method = random.pick(['GET', 'POST'])
    return rawRequest(`${method} ${target}`, requestBytes({ method, target, ...(method === 'POST' && { body: '' }) }), ['4xx', '3xx'], {
      methods: [method],
      inspect: ([answer]) => (answer?.status === 401 ? 'the address was taken for the right one' : undefined),
    })
  },
}

const absolute: CaseMaker = {
  name: 'the absolute form',
  make(random, arsenal) {
    const origin = random.pick([
      'http://127.0.0.1',
      'http://evil.example',
      'https://evil.example:99',
      'HTTP://x',
      'http://a@b',
      'http://[::1]',
    ])
    const path = random.pick([`${TRANSACTION_PATH}/getByApplicationProductBalances`, '/health/live', '/sign-in', '', '/', '/no-page'])
    const headers: Header[] = credentials(arsenal)
    return rawRequest(`GET ${origin}${path}`, requestBytes({ target: `${origin}${path}`, headers }), ['2xx', '3xx', '4xx'], {
      inspect: ([answer]) =>
        answer?.headers['location']?.includes('evil.example') ? 'the answer leads to an address of the attacker' : undefined,
    })
  },
}

const NO_PATHS: readonly string[] = [
  '*',
  '',
  '?',
  '#',
  '?a=b',
  'x',
  'x/y',
  '.',
  '..',
  'http:',
  'http://',
  'http:///',
  'ftp://a/b',
  'urn:x:y',
  'a:80',
  '/ x',
  '/\tx',
  '/\u0000',
  '/\u0001',
  '/\u007f',
  '/é',
  '/\u00ff',
  '/<>',
  '/"',
  '/{}|^`',
]

const noPath: CaseMaker = {
  name: 'a target that is not a path',
  make(random) {
    const target = random.pick(NO_PATHS)
    const method = random.pick(['GET', 'POST', 'OPTIONS'])
    const text = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`
    return rawRequest(`${method} ${JSON.stringify(target)}`, text, ['2xx', '3xx', '4xx'], { methods: [method] })
  },
}

/** Page paths with percent signs and unusual bytes. */
const PAGE_PATHS: readonly string[] = [
  '/%',
  '/%F',
  '/%FF',
  '/%C0%80',
  '/%ED%A0%80',
  '/%E0%A4%A',
  '/%00',
  '/a%00b',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%25%32%65',
  '/{slug}/%FF',
  '/{slug}/transactions/%FF',
  '/{slug}/transactions/%00',
  '/{slug}/transactions/not-a-uuid',
  '/{slug}/balances/NOTHING',
  '/{slug}/balances/%FF',
  '/{slug}/totals?from=%FF',
  '/_next/%FF',
  '/_next/static/%FF',
  '/_next/static/../../server/x',
  '/_next/data/x/y.json',
  '/_next/image?url=http%3A%2F%2F127.0.0.1%2F&w=64&q=75',
  '/api/auth/%FF',
  '/api/auth/session/../csrf',
  '/api/back-office/%FF/totals',
  '/api/back-office/{slug}/transactions/%FF',
  '/api/back-office/{slug}/nothing',
  '/api/back-office/__proto__/totals',
  '/sign-in;jsessionid=1',
  '/sign-in/..;/api/v1/x',
  '/sign-in?next=%FF',
  '/sign-in?next=%00',
  '/sign-in?next=/.//evil.example',
  '/sign-in?next=//evil.example',
  '/sign-in?next=%5C%5Cevil.example',
  '/constructor',
  '/__proto__',
  '/toString/transactions',
  '/icon.svg%00',
  '/sign-in.png',
  '/{slug}/totals.txt',
]

const pagePaths: CaseMaker = {
  name: 'odd paths of pages',
  make(random, arsenal) {
    const target = random.pick(PAGE_PATHS).replace('{slug}', arsenal.program.slug)
    const isSignedIn = random.chance(0.5)
    const headers: Header[] = isSignedIn ? [['Cookie', random.pick(arsenal.visitors).cookie]] : []
    const who = isSignedIn ? 'signed in' : 'not signed in'
    return rawRequest(`GET ${target}, ${who}`, requestBytes({ target, headers }), ['2xx', '3xx', '4xx'], {
      inspect: ([answer]) =>
        /^(?:https?:)?\/\/evil|^\/[./\\]*evil/.test(answer?.headers['location'] ?? '')
          ? 'the answer leads to an address of the attacker'
          : undefined,
    })
  },
}

const longTargets: CaseMaker = {
  name: 'long targets',
  make(random, arsenal) {
    const bytes = random.pick([2_000, 8_000, 15_000, 16_500, 60_000])
    const prefix = random.pick([
      '/',
      '/api/v1/',
      `/${arsenal.program.slug}/transactions?q=`,
      '/api/v1/transaction/collect?',
      '/sign-in?next=/',
    ])
    const piece = random.pick(['a', '%41', 'a/', '%2F', '../', 'a=b&', '[', '%'])
    const target = prefix + piece.repeat(Math.ceil(bytes / piece.length))
    return rawRequest(`${prefix} with ${bytes} bytes of ${piece}`, requestBytes({ target }), ['2xx', '3xx', '4xx'])
  },
}

/** Request lines of other protocols and versions. */
const LINES: readonly { line: string; statuses: readonly number[] }[] = [
  { line: 'GET /health/live', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/0.9', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/2.0', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/3.0', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/1.2', statuses: [200, 400, 505] },
  { line: 'GET /health/live HTTP/9.9', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/1.1.1', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/1', statuses: [400, 505] },
  { line: 'GET /health/live http/1.1', statuses: [400, 505] },
  { line: 'GET /health/live RTSP/1.0', statuses: [400, 505] },
  { line: 'GET /health/live ICE/1.0', statuses: [400, 405, 505] },
  { line: 'GET /health/live SIP/2.0', statuses: [400, 505] },
  { line: 'GET /health/live HTTP/1.1 HTTP/1.1', statuses: [400] },
  { line: 'GET  /health/live HTTP/1.1', statuses: [200, 400] },
  { line: 'GET /health/live  HTTP/1.1', statuses: [200, 400] },
  { line: ' GET /health/live HTTP/1.1', statuses: [400] },
  { line: 'PRI * HTTP/2.0', statuses: [400, 405, 505] },
  { line: 'HTTP/1.1 200 OK', statuses: [400] },
  { line: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', statuses: [400] },
  { line: '\u0000\u0000\u0000', statuses: [400] },
  { line: 'SSH-2.0-OpenSSH_9.6', statuses: [400] },
  { line: 'EHLO x', statuses: [400] },
]

const lines: CaseMaker = {
  name: 'request lines of other protocols',
  make(random) {
    const { line, statuses } = random.pick(LINES)
    return rawRequest(`the line ${JSON.stringify(line)}`, `${line}\r\nHost: 127.0.0.1\r\n\r\n`, statuses)
  },
}

const bodyOnUnknown: CaseMaker = {
  name: 'a body to an address that does not exist',
  make(random) {
    const target = random.pick(['/api/v1/nothing', '/public/nothing', '/health/nothing', '/operators/callback/NOTHING', '/metrics/x'])
    const bytes = requestBytes({ method: 'POST', target, headers: [JSON_CONTENT], body: '{"a":1}' })
    return rawRequest(`POST ${target}`, bytes, [404, 405], { methods: ['POST'], path: target })
  },
}

export const requestTargets: Family = {
  name: 'targets',
  weight: 9,
  makers: [near, near, absolute, noPath, pagePaths, pagePaths, longTargets, lines, bodyOnUnknown],
}
