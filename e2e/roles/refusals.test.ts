import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { MESSAGES } from '#server/messages.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { readBuiltActions } from './find-endpoints.ts'
import { sendRequest } from './send-request.ts'

let database: TestDatabase
let service: Service

before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  service = await startService({ environment: { ...PRODUCTION, ROLE: 'web', DATABASE_URL: database.url }, readiness: 'pages' })
})
after(async () => {
  await service.stop()
  await database.drop()
})

const send = (request: Parameters<typeof sendRequest>[1]) => sendRequest(service.baseUrl, request)

type Case = { method?: string; path: string; headers?: Record<string, string>; body?: string; status: number; title?: MessageKey }

const MULTIPART = 'multipart/form-data; boundary=x'
const UNREADABLE: MessageKey = 'refusal.unreadableTitle'
const aForm = (name: string, value: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`

/** Requests that anybody can send without signing in; Next answers each of them with 500 or with a text of its own. */
function unreadableRequests(): Case[] {
  const paths = [
    '/%',
    '/%FF',
    '/%C0%80',
    '/kora/%E2%82',
    '/%ED%A0%80',
    '/sign-in?next=%',
    '/sign-in?next=%00',
    '/sign-in?%FF=1',
    '/x.png?a=%00',
  ]
  const bodies: [string, string][] = [
    ['multipart/form-data', 'abc'],
    [MULTIPART, 'abc'],
    [MULTIPART, '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nno end'],
    [MULTIPART, '--x\r\nbroken\r\n\r\n--x--\r\n'],
    [MULTIPART, aForm('$ACTION_REF_1', 'v')],
    [MULTIPART, aForm('$ACTION_ID_00ff', 'v')],
  ]
  return [
    ...paths.map((path): Case => ({ path, status: 400, title: UNREADABLE })),
    ...['/sign-in', '/', '/kora/approvals', '/no/such/page'].flatMap((path) =>
      bodies.map(
        ([type, body]): Case => ({ method: 'POST', path, headers: { 'content-type': type }, body, status: 400, title: UNREADABLE }),
      ),
    ),
    ...['PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(
      (method): Case => ({ method, path: '/sign-in', status: 405, title: 'refusal.methodTitle' }),
    ),
  ]
}

function foreignRequests(): Case[] {
  return ['https://evil.example', 'null', 'garbage', 'http://', 'http://127.0.0.1', 'file:///etc'].flatMap((origin) =>
    ['/sign-in', '/kora/approvals', '/api/back-office/kora/transactions/export'].map((path): Case => {
      const headers = { origin, 'content-type': MULTIPART, accept: 'text/html' }
      return { method: 'POST', path, headers, body: aForm('a', 'b'), status: 403, title: 'refusal.foreignTitle' }
    }),
  )
}

test('4xx with our own text in English and French: input that Next cannot read, without a session', async () => {
  const wrong: string[] = []
  for (const { status, title, ...request } of [...unreadableRequests(), ...foreignRequests()]) {
    for (const language of ['en', 'fr'] as const) {
      const answer = await send({ ...request, headers: { 'accept-language': language, ...request.headers } })
      const where = `${JSON.stringify(request)} in ${language}`
      if (answer.status !== status) wrong.push(`${where}: ${answer.status} instead of ${status}`)
      else if (title && !answer.body.includes(`<h1>${MESSAGES[language][title]}</h1>`)) wrong.push(`${where}: ${answer.body.slice(0, 300)}`)
      else if (!answer.headers['content-security-policy']) wrong.push(`${where}: no policy`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('the chosen language in a refusal', async () => {
  const answer = await send({ path: '/%', headers: { cookie: 'a=b; countersign.language=fr', 'accept-language': 'en' } })
  assert.match(answer.body, /<html lang="fr">/)
})

test('4xx: action bodies that are not arguments, unknown action ids and ids of another build, for every action', async () => {
  const wrong: string[] = []
  const bodies = [
    '',
    '[',
    '{',
    'null',
    '5',
    '"$@1"',
    '["$K1"]',
    '["$F1"]',
    '["$1:x:y"]',
    '["$Q7"]',
    '["$T"]',
    '[{"__proto__":"$@0"}]',
    `${'['.repeat(50_000)}`,
    '\0',
    '["$n9e9"]',
    '["$undefined"',
  ]
  const actions = await readBuiltActions()
  assert.ok(actions.length > 10)
  const types = ['text/plain;charset=UTF-8', MULTIPART, 'multipart/form-data', 'application/json']
  const all = bodies.flatMap((body) => types.map((type) => ({ body, type })))
  // Every action reads its body with the same code: the first two and unknown ids try every pair, each of the others four pairs in turn.
  const some = (offset: number) => all.filter((_, place) => place % 16 === offset % 16)
  for (const { id, name, tries } of [
    ...actions.map((action, place) => ({ ...action, tries: place < 2 ? all : some(place) })),
    { id: '00'.repeat(21), name: 'unknown', tries: all },
    { id: 'x', name: 'no id', tries: all },
    { id: '__proto__', name: 'prototype', tries: all },
  ]) {
    for (const { body, type } of tries) {
      const headers = { 'next-action': id, 'content-type': type, origin: service.baseUrl, accept: 'text/x-component' }
      const answer = await send({ method: 'POST', path: '/sign-in', headers, body })
      // Arguments that can be read reach the action, which refuses them itself: 200 with a code, or a redirect to the sign-in page.
      if (answer.status >= 500)
        wrong.push(`${name} with ${type} ${JSON.stringify(body.slice(0, 30))}: ${answer.status} ${answer.body.slice(0, 100)}`)
      else if (answer.status === 200 && answer.headers['content-type']?.startsWith('text/html')) wrong.push(`${name} with ${type}: a page`)
    }
  }
  assert.deepEqual(wrong, [])
})

type AuthCase = Omit<Case, 'status' | 'title'>

/** Requests that next-auth itself answers with 500, and addresses of it that this product does not offer. */
function refusedAuthRequests(): AuthCase[] {
  const path = '/api/auth/callback/credentials'
  const actions = ['callback/credentials', 'callback/google', 'callback', 'foo', '_log', 'verify-request', `callback/credentials/x`]
  const bodies = ['{', 'null', '[]', '5', '{"csrfToken":[]}', '{"email":{}}', '['.repeat(50_000)]
  return [
    ...[...actions, 'constructor', '__proto__', 'toString'].map((action): AuthCase => ({ path: `/api/auth/${action}` })),
    ...bodies.map((body): AuthCase => ({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body })),
    { method: 'POST', path, headers: { 'content-type': MULTIPART }, body: 'abc' },
    { method: 'POST', path: '/api/auth/csrf' },
    { method: 'POST', path: '/api/auth/_log', headers: { 'content-type': 'application/json' }, body: '{}' },
    { method: 'POST', path: '/api/auth/signout', headers: { origin: 'https://evil.example' } },
  ]
}

const FOREIGN = ['https://evil.example', '//evil.example', '/.//evil.example', 'garbage', 'javascript:alert(1)', '%5C%5Cevil.example']

test('400: an invalid router state, from a client that follows the address that Next requests', async () => {
  const states = ['garbage', '%FF', '%7B%7D', 'null', '%5B1%2C2%5D', '%5B%22%00%22%2C%7B%7D%5D', encodeURIComponent('['.repeat(3_000))]
  for (const state of states) {
    for (const path of ['/sign-in', '/', '/kora/totals', '/no/such/page']) {
      const headers = { rsc: '1', 'next-router-state-tree': state }
      // Next first leads to the same address with a digest of these headers.
      const first = await send({ path, headers })
      const { status } = first.headers['location']?.includes('_rsc') ? await send({ path: first.headers['location'], headers }) : first
      assert.equal(status, 400, `${path} with ${state.slice(0, 40)}`)
    }
  }
})

test('4xx: everything that next-auth would answer with a server error, and its features that this product does not offer', async () => {
  const wrong: string[] = []
  for (const request of refusedAuthRequests()) {
    const { status } = await send(request)
    if (status < 400 || status >= 500) wrong.push(`${JSON.stringify(request).slice(0, 200)}: ${status}`)
  }
  assert.deepEqual(wrong, [])
})

test('no redirect to another site from a callbackUrl', async () => {
  const wrong: string[] = []
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const path = '/api/auth/callback/credentials'
  for (const url of FOREIGN)
    for (const request of [
      { path: `/api/auth/csrf?callbackUrl=${url}` },
      { path: '/api/auth/csrf', headers: { cookie: `next-auth.callback-url=${url}; countersign.callback=${url}` } },
      { path: `/api/auth/signin?callbackUrl=${url}` },
      { path: `/api/auth/signout?callbackUrl=${url}` },
      { method: 'POST', path, headers: form, body: `callbackUrl=${url}` },
      { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ callbackUrl: url, json: 'true' }) },
      { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ callbackUrl: [url] }) },
    ]) {
      const { status, headers, body } = await send(request)
      if (status >= 500 || /evil|garbage|javascript:/.test(JSON.stringify([headers, body])))
        wrong.push(`${JSON.stringify(request)}: ${status}`)
    }
  assert.deepEqual(wrong, [])
})

test('no redirect to another site from `next` or from the name of an application', async () => {
  for (const next of [
    '/.//evil.example/x',
    '/x/..//evil.example',
    '/%2e//evil.example',
    '/%5Cevil.example',
    '//evil.example',
    'https://evil.example',
  ]) {
    const page = await send({ path: `/sign-in?next=${encodeURIComponent(next)}` })
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.body.replaceAll(/<script[\s\S]*?<\/script>/g, ''), /name="next" value="[^"]*evil/)
  }
  for (const name of ['a%0ab', '%E2%82%AC', '%09', '..%09']) {
    const { status, headers } = await send({ method: 'POST', path: `/api/back-office/${name}/transactions/export` })
    assert.equal(status, 303, name)
    assert.match(headers['location'] ?? '', /^\/[\w%.-]+\/transactions\/exports\?refused=refused$/)
  }
})

test('a Content-Security-Policy at every address: a nonce for pages, hashes for those that are kept, nothing at all where none is', async () => {
  const { baseUrl } = service
  const found = await send({ path: '/sign-in' })
  const script = /\/_next\/static\/[^"]+\.js/.exec(found.body)?.[0] ?? assert.fail('A page without script')
  for (const path of ['/sign-in?next=%2F', '/sign-in/second-factor', '/sign-in/enrol', '/sign-in/x.png', '/docs?a', '/docs/collect?a']) {
    const policy = (await send({ path })).headers['content-security-policy'] ?? ''
    assert.match(policy, /script-src 'self' 'nonce-[A-Za-z0-9+/=]{20,}' 'strict-dynamic'/, path)
    assert.doesNotMatch(policy, /unsafe/)
  }
  for (const path of ['/sign-in', '/docs', '/docs/collect']) {
    const policy = (await send({ path })).headers['content-security-policy'] ?? ''
    assert.match(policy, /script-src 'self'(?: 'sha256-[A-Za-z0-9+/=]{44}')+; style-src 'self';/, path)
    assert.ok(policy.length < 3_500, `${path}: proxies take 4 KB of headers`)
  }
  const rest = [
    '/',
    '/docs/none',
    '/docs/search/x',
    '/docs/x.png',
    '/kora',
    '/kora.png',
    '/kora.txt',
    '/kora.ico',
    '/kora.svg',
    '/kora.webmanifest',
    '/kora/x.png',
    '/a/b/c/d.txt',
    '/no/such/page',
    '/api',
    '/api/none',
    '/api/x.png',
    '/apiary',
    '/publicity',
    '/healthy',
    '/_next',
    '/_next/x',
    '/robots.txt/x',
    '/icon.svgx',
    script,
    '/_next/static/none.js',
    '/robots.txt',
    '/icon.svg',
    '/docs/search',
    '/api/back-office/kora/totals',
    '/api/back-office/none',
    '/api/auth/csrf',
    '/api/auth/none',
    '/pay/none',
    '/%',
  ]
  for (const path of rest)
    assert.match((await sendRequest(baseUrl, { path })).headers['content-security-policy'] ?? '', /default-src 'none'/, path)
})

test('200 for the API reference without a session, in both languages, and no cookie; 404 for what it does not have', async () => {
  for (const [language, title] of [
    ['en', 'Webhooks'],
    ['fr', 'Bac à sable'],
  ] as const) {
    for (const path of ['/docs', '/docs/collect', '/docs/webhooks', '/docs/sandbox', '/docs/search']) {
      // A session of nobody changes nothing.
      for (const cookie of ['', 'next-auth.session-token=garbage', '__Host-countersign.session=garbage']) {
        const { status, headers, body } = await send({ path, headers: { 'accept-language': language, ...(cookie ? { cookie } : {}) } })
        assert.deepEqual([status, headers['set-cookie']], [200, undefined], `${path} ${cookie}`)
        if (path !== '/docs/search') assert.ok(body.includes(title), `${path} in ${language}`)
      }
    }
  }
  for (const path of ['/docs/none', '/docs/start', '/docs/__proto__', '/docs/constructor', '/docs/collect/x', '/docs/collect/'])
    assert.ok([404, 308].includes((await send({ path })).status), path)
})

test('413 or 400, never a truncated reading: a form and an action of more than 1 MB', async () => {
  const body = aForm('email', 'x'.repeat(1_500_000))
  for (const path of ['/sign-in', '/no/such/page']) {
    const { status } = await send({ method: 'POST', path, headers: { 'content-type': MULTIPART }, body })
    assert.ok(status === 413 || status === 400, `${path}: ${status}`)
  }
})

test('no compiler of Next in a process that serves its pages, which would hold 27 MB more', async () => {
  assert.equal((await send({ method: 'GET', path: '/sign-in', headers: {} })).status, 200)
  const mapped = readFileSync(`/proc/${service.pid}/maps`, 'utf8')
  assert.match(mapped, /argon2/)
  assert.doesNotMatch(mapped, /next-swc/)
})
