import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { type Sent, sendRequest } from '#e2e/roles/send-request.ts'
import { BodyBudget } from '#server/http/request/body-budget.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createPageServer, type PageOptions } from './serve-page.ts'

/** Renders that have started and are not answered yet, in order. */
const held: { url: string; headers: IncomingMessage['headers']; finish(): void }[] = []
let rendered: string[] = []
let isHolding = false
/** In place of an answer that may be kept. */
let unfit: { status: number; cookie: string | undefined } | undefined
const REFUSED_AFTER_MS = 20
let refused = 0
let arrived = 0
let server: Server
let baseUrl: string

/** Answers as Next does: a large page with a nonce in its policy and on its scripts. */
function renderPage(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { url = '', headers } = incoming
  rendered.push(url)
  const finish = () => {
    if (outgoing.headersSent) return
    const nonce = `nonce${rendered.length}`
    if (unfit) outgoing.statusCode = unfit.status
    if (unfit?.cookie) outgoing.setHeader('set-cookie', unfit.cookie)
    outgoing.setHeader('content-type', 'text/html; charset=utf-8')
    outgoing.setHeader('content-security-policy', `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`)
    outgoing.setHeader('link', `</font.woff2>; rel=preload; nonce="${nonce}"; type="font/woff2"`)
    if (headers['x-forwarded-proto'] === 'https') outgoing.setHeader('strict-transport-security', 'max-age=1')
    outgoing.write(`<html lang="${headers['accept-language']}" data-cookie="${headers.cookie}" data-host="${headers.host}">`)
    const close = () =>
      outgoing.end(`<script nonce="${nonce}" src="/a.js"></script><script nonce="${nonce}">begin("${nonce}")</script></html>`)
    // More than the buffer of any connection: Next waits until it has drained.
    if (outgoing.write(`<!-- ${'x'.repeat(500_000)} -->`)) close()
    else outgoing.once('drain', close)
  }
  if (isHolding) held.push({ url, headers, finish })
  else finish()
}

const OPTIONS = {
  readVisitor: async (cookies: string | undefined) => /^session=(\w+)$/.exec(cookies ?? '')?.[1],
  isFile: (path: string) => path === '/_next/static/a.js',
  onRefused: () => void refused++,
  refusedAfterMs: REFUSED_AFTER_MS,
  turns: {
    concurrency: 3,
    anonymousMax: 2,
    personMax: 2,
    waitingMax: [4, 4, 2],
    waitMs: 2_000,
    turnMs: { person: 60_000, anonymous: 60_000 },
    pauseFactor: 0,
  },
}

before(async () => {
  server = await listen(OPTIONS)
  baseUrl = addressOf(server)
})

/** Starts a server of pages that takes the address of a client from its header `x-from`. */
async function listen(options: Parameters<typeof createPageServer>[1]): Promise<Server> {
  const pages = createPageServer(renderPage, options)
  const budget = new BodyBudget()
  const listening = createServer((incoming, outgoing) => {
    arrived++
    outgoing.on('error', () => undefined)
    const peerAddress = [incoming.headers['x-from']].flat()[0] ?? '192.0.2.1'
    pages.serve(incoming, outgoing, { facts: { peerAddress, isForwarded: false, url: incoming.url ?? '', budget } })
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return listening
}

const addressOf = (listening: Server): string => `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
afterEach(() => {
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  rendered = []
  refused = 0
})
after(() => {
  server.closeAllConnections()
  return new Promise<void>((resolve) => server.close(() => resolve()))
})

const send = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Sent> =>
  sendRequest(baseUrl, { path, method, headers })
const beginning = (count: number) => waitUntil(`${count} renders`, () => held.length >= count)

test('one render of a page of the reference for all readers without a session, with the hashes of its scripts in place of a nonce, zipped where it may be', async () => {
  isHolding = true
  const answers = Promise.all(Array.from({ length: 5 }, () => send('/docs')))
  await beginning(1)
  isHolding = false
  held.shift()?.finish()
  const [first, ...others] = await answers
  for (const other of others) assert.equal(other.body, first?.body)
  assert.deepEqual(rendered, ['/docs'])
  assert.match(first?.body ?? '', /<script nonce="">begin\(""\)<\/script>/)
  assert.doesNotMatch(JSON.stringify(first?.headers), /nonce/)
  const hash = createHash('sha256').update('begin("")').digest('base64')
  assert.match(String(first?.headers['content-security-policy']), new RegExp(`script-src 'self' 'sha256-${hash.replaceAll('+', '\\+')}';`))
  const zipped = await fetch(`${baseUrl}/docs`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(zipped.headers.get('content-encoding'), 'gzip')
  assert.equal(await zipped.text(), first?.body)
  const refused = await fetch(`${baseUrl}/docs`, { headers: { 'accept-encoding': 'br, gzip;q=0' } })
  assert.equal(refused.headers.get('content-encoding'), null)
  assert.equal((await send('/docs', {}, 'HEAD')).body, '')
})

test('nothing of a reader but theme, languages and https reaches a page that is kept', async () => {
  const cookie = 'countersign.half=secret; countersign.theme=dark; countersign.samples=php; a=b'
  const hostile = await send('/docs/webhooks', {
    cookie,
    host: 'evil.example',
    'accept-language': 'fr-CM, en;q=0.1',
    'x-forwarded-proto': 'https',
  })
  assert.match(hostile.body, /^<html lang="fr" data-cookie="countersign.theme=dark; countersign.samples=php" data-host="localhost">/)
  assert.equal(hostile.headers['strict-transport-security'], 'max-age=1')
  const other = await send('/docs/webhooks', { 'accept-language': 'de' })
  assert.match(other.body, /^<html lang="en" data-cookie="undefined"/)
  assert.equal(other.headers['strict-transport-security'], undefined)
  assert.match((await send('/docs/webhooks', { cookie: 'countersign.language=fr' })).body, /^<html lang="fr" data-cookie="undefined"/)
  await send('/docs/webhooks', { 'accept-language': 'es', cookie: 'other=1' })
  assert.equal(rendered.length, 3)
})

test('a page of its own for a signed-in reader, for a part of a page and for an address with a query', async () => {
  for (const [path, headers] of [
    ['/docs', { cookie: 'session=amina' }],
    ['/docs', { rsc: '1' }],
    ['/docs?a=b', {}],
  ] as const) {
    const [one, two] = [await send(path, { ...headers }), await send(path, { ...headers })]
    assert.notEqual(one.body, two.body)
    assert.match(String(one.headers['content-security-policy']), /'nonce-/)
  }
  assert.equal(rendered.length, 6)
})

test('404 without a render for an unknown address, 307 to the sign-in page and back for the places of applications', async () => {
  for (const path of [
    '/docs/none',
    '/docs/webhooks/more',
    '/docs/start',
    '/_next/static/none.js',
    '/_next/none',
    '/api/none',
    '/api',
    '/pay',
  ])
    assert.equal((await send(path, { accept: 'text/html' })).status, 404, path)
  const french = await send('/docs/none', { 'accept-language': 'fr' })
  assert.match(french.body, /<html lang="fr">.*Page introuvable/)
  for (const [path, location] of [
    ['/', '/sign-in'],
    ['/kora', '/sign-in?next=%2Fkora'],
    ['/kora/transactions?status=FAILED&_rsc=1', '/sign-in?next=%2Fkora%2Ftransactions%3Fstatus%3DFAILED'],
  ] as const) {
    const { status, headers } = await send(path)
    assert.deepEqual([status, headers['location']], [307, location])
  }
  assert.deepEqual(rendered, [])
})

test('400 for an address that cannot be read, with and without a session', async () => {
  assert.equal((await send('/docs/%')).status, 400)
  assert.equal((await send('/docs/%', { cookie: 'session=amina' })).status, 400)
})

test('503 with Retry-After, in the language of the reader, for more anonymous renders than may wait; files are sent meanwhile', async () => {
  isHolding = true
  const [running, waiting] = [
    [send('/sign-in?a'), send('/sign-in?b')],
    [send('/sign-in?c'), send('/sign-in?d')],
  ]
  await beginning(2)
  await waitUntil('the queue of the address is full', async () => (await send('/sign-in?e')).status === 503)
  const refusal = await send('/sign-in?f', { 'accept-language': 'fr' })
  assert.deepEqual([refusal.status, refusal.headers['retry-after']], [503, '2'])
  assert.match(refusal.body, /<h1>Le service est très sollicité/)
  assert.deepEqual(JSON.parse((await send('/api/back-office/kora/totals')).body), { code: 'busy' })
  const file = send('/_next/static/a.js')
  await beginning(3)
  assert.ok(refused >= 3)
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  for (const { status } of await Promise.all([...running, ...waiting, file])) assert.equal(status, 200)
})

test('200 for a signed-in person while anonymous renders hold all of their places, and for another address before the rest of a flood', async () => {
  isHolding = true
  const flood = [send('/sign-in?a'), send('/sign-in?b'), send('/sign-in?c'), send('/sign-in?d')]
  await beginning(2)
  const person = send('/kora', { cookie: 'session=amina' })
  await beginning(3)
  assert.equal(held[2]?.url, '/kora')
  held[2]?.finish()
  assert.equal((await person).status, 200)
  const arrivedBefore = arrived
  const other = send('/sign-in?other', { 'x-from': '198.51.100.7' })
  await waitUntil('the other address waits', () => arrived > arrivedBefore)
  held[0]?.finish()
  held[1]?.finish()
  await beginning(5)
  const order = held.slice(3).map(({ url }) => url)
  assert.deepEqual([order.length, order.includes('/sign-in?other')], [2, true])
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  await Promise.all([...flood, other])
})

test('two renders of one person at once, and another person’s meanwhile', async () => {
  isHolding = true
  const all = ['amina', 'amina', 'amina', 'paul'].map((name) => send(`/kora/${name}`, { cookie: `session=${name}` }))
  await beginning(3)
  assert.deepEqual(
    held.map(({ url }) => url),
    ['/kora/amina', '/kora/amina', '/kora/paul'],
  )
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  for (const { status } of await Promise.all(all)) assert.equal(status, 200)
})

test('the place of a client that leaves the queue is free, and its page is never rendered', async () => {
  isHolding = true
  const running = [send('/sign-in?a'), send('/sign-in?b')]
  await beginning(2)
  const { port } = server.address() as AddressInfo
  const leaving = connect(port, '127.0.0.1', () => leaving.write('GET /sign-in?left HTTP/1.1\r\nHost: a\r\n\r\n'))
  const waiting = send('/sign-in?c')
  await waitUntil('both wait', async () => (await send('/sign-in?d')).status === 503)
  leaving.resetAndDestroy()
  let joined: Promise<Sent> | undefined
  await waitUntil('a place is free', async () => {
    const [before, attempt] = [refused, send('/sign-in?e')]
    const arriving = arrived
    await waitUntil('it arrived', () => arrived > arriving)
    if (refused === before) joined = attempt
    return joined !== undefined
  })
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  for (const { status } of await Promise.all([...running, waiting])) assert.equal(status, 200)
  assert.equal((await joined)?.status, 200)
  assert.ok(!rendered.includes('/sign-in?left'))
})

test('rendered for each reader and never kept: an answer with a cookie, and one whose status is not 200', async () => {
  for (const answered of [
    { status: 200, cookie: 'a=b' },
    { status: 500, cookie: undefined },
  ]) {
    unfit = answered
    for (const _ of [1, 2]) assert.equal((await send('/docs/deposit')).status, answered.status)
    unfit = undefined
  }
  const before = rendered.length
  assert.equal((await send('/docs/deposit')).status, 200)
  assert.equal(rendered.length, before + 1)
})

test('a place for a page of a person whose other places are held by live streams', async () => {
  isHolding = true
  const streams = [1, 2].map(() => send('/api/back-office/kora/live', { cookie: 'session=amina' }))
  await beginning(2)
  const page = send('/kora', { cookie: 'session=amina' })
  await beginning(3)
  assert.equal(held[2]?.url, '/kora')
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  for (const { status } of await Promise.all([...streams, page])) assert.equal(status, 200)
})

test('503 held back from a client without a session, so that it cannot ask again at once', async () => {
  isHolding = true
  const all = ['a', 'b', 'c', 'd'].map((name) => send(`/sign-in?${name}`))
  await beginning(2)
  await waitUntil('the queue of the address is full', async () => (await send('/sign-in?e')).status === 503)
  const startedMs = performance.now()
  assert.equal((await send('/sign-in?f')).status, 503)
  // A timer may be a millisecond early.
  assert.ok(performance.now() - startedMs >= REFUSED_AFTER_MS - 1)
  isHolding = false
  for (const one of held.splice(0)) one.finish()
  await Promise.all(all)
})

test('held back beyond the pace of a network: a request without a session; answered at once: another network, a file, a person', async () => {
  await flooded({ pace: { networkMax: 2, allMax: 50, heldMs: 60_000 }, from: () => '192.0.2.1' }, async (at, answered) => {
    assert.equal((await at('/docs/none', { 'x-from': '198.51.100.1' })).status, 404)
    assert.equal((await at('/_next/static/a.js')).status, 200)
    assert.equal((await at('/docs/none', { cookie: 'session=anna' })).status, 200)
    await waitUntil('the first two of the flood are answered', () => answered() >= 2)
    // A second may start while the flood arrives, and two more are then within the pace.
    assert.ok(answered() <= 4, `${answered()} of 12 were answered`)
  })
})

test('held back beyond the pace of all: requests without a session from many networks', async () => {
  await flooded({ pace: { networkMax: 50, allMax: 3, heldMs: 60_000 }, from: (index) => `198.51.${index}.1` }, async (_, answered) => {
    await waitUntil('the first three are answered', () => answered() >= 3)
    assert.ok(answered() <= 6, `${answered()} of 12 were answered`)
  })
})

type Ask = (path: string, headers?: Record<string, string>) => Promise<Sent>

/** Sends twelve requests to a server with this pace, then calls `judge`, and ends what is still held back. */
async function flooded(
  { pace, from }: { pace: NonNullable<PageOptions['pace']>; from(index: number): string },
  judge: (at: Ask, answered: () => number) => Promise<void>,
): Promise<void> {
  const paced = await listen({ ...OPTIONS, pace })
  const at: Ask = (path, headers = {}) => sendRequest(addressOf(paced), { path, method: 'GET', headers })
  let answered = 0
  const flood = Array.from({ length: 12 }, (_, index) =>
    at('/docs/none', { 'x-from': from(index) }).then(
      () => answered++,
      () => undefined,
    ),
  )
  try {
    await judge(at, () => answered)
  } finally {
    paced.closeAllConnections()
    await Promise.all([...flood, new Promise<void>((resolve) => paced.close(() => resolve()))])
  }
}
