import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type Sent, sendRequest } from '#e2e/roles/send-request.ts'
import { noteDatabaseAway, notePageStatus, noteReached } from './page-notes.ts'
import { callNext } from './refuse-before-next.ts'

/** The handler that replaces Next; each test sets its own. */
let handler: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown
let server: Server
let baseUrl: string

before(async () => {
  server = createServer(
    (incoming, outgoing) => void callNext(incoming, outgoing, { next: (request, response) => handler(request, response) }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => new Promise<void>((resolve) => server.close(() => resolve())))

function send(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Sent> {
  return sendRequest(baseUrl, { path, method, headers, ...(method === 'POST' && { body: 'x' }) })
}

/** Answers as Next does when a body cannot be decoded. */
function failAsNext(status: number) {
  return (_: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.statusCode = status
    outgoing.setHeader('content-encoding', 'gzip')
    outgoing.setHeader('content-type', 'text/plain')
    outgoing.end('Internal Server Error')
  }
}

test('400 with our own page: a POST that failed before any code of ours was reached', async () => {
  handler = failAsNext(500)
  const answer = await send('/sign-in', 'POST')
  assert.equal(answer.status, 400)
  assert.match(answer.body, /^<!DOCTYPE html>.*This request could not be read/)
  assert.equal(answer.headers['content-encoding'], undefined)
  assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)))
})

test('400 with our own page: a router state that Next could not read', async () => {
  handler = failAsNext(500)
  assert.equal((await send('/sign-in', 'GET', { 'next-router-state-tree': 'garbage' })).status, 400)
})

test('no range reaches Next, which sends the whole instead', async () => {
  handler = (incoming, outgoing) => void outgoing.end(`range: ${incoming.headers.range}`)
  for (const range of ['bytes=9-1', 'bytes=0-0'])
    assert.deepEqual(await send('/robots.txt', 'GET', { range }).then(({ status, body }) => [status, body]), [200, 'range: undefined'])
})

test('500 for a failure of our own code, and for a GET that Next could not answer', async () => {
  handler = failAsNext(500)
  assert.equal((await send('/sign-in')).status, 500)
  handler = (incoming, outgoing) => {
    noteReached()
    return failAsNext(500)(incoming, outgoing)
  }
  assert.deepEqual(await send('/sign-in', 'POST').then(({ status, body }) => [status, body]), [500, 'Internal Server Error'])
})

test('409 as Next’s client understands it for an outdated action, and as a page without script', async () => {
  handler = failAsNext(409)
  assert.equal((await send('/sign-in', 'POST', { 'next-action': '00' })).body, 'Internal Server Error')
  assert.match((await send('/sign-in', 'POST', { 'accept-language': 'fr' })).body, /Cette page n’est plus à jour/)
})

test('true for everything that is still written to an answer that was replaced, and none of it is sent', async () => {
  const ways: ((outgoing: ServerResponse, taken: () => void) => void)[] = [
    (outgoing, taken) => outgoing.writeHead(500, { 'x-a': 'b' }).end('text', taken),
    (outgoing, taken) => {
      outgoing.statusCode = 500
      outgoing.flushHeaders()
      outgoing.write('one', 'utf8', () => outgoing.end(taken))
    },
    (outgoing, taken) => {
      outgoing.statusCode = 500
      outgoing.write(Buffer.from('one'))
      outgoing.write('two', taken)
      outgoing.end('three')
      outgoing.end()
    },
  ]
  for (const way of ways) {
    let isTaken = false
    handler = (_, outgoing) =>
      way(outgoing, () => {
        isTaken = true
      })
    const answer = await send('/kora', 'POST')
    assert.equal(answer.status, 400)
    assert.ok(answer.body.endsWith('</html>'))
    assert.ok(isTaken)
  }
})

test('the status that a page chose replaces 200 and nothing else', async () => {
  handler = (_, outgoing) => {
    noteReached()
    notePageStatus(400)
    outgoing.write('a page ')
    outgoing.end('that says so')
  }
  assert.deepEqual(await send('/kora/totals').then(({ status, body }) => [status, body]), [400, 'a page that says so'])
  handler = (_, outgoing) => {
    notePageStatus(400)
    noteReached()
    outgoing.writeHead(307, { location: '/sign-in' }).end()
  }
  assert.equal((await send('/kora/totals')).status, 307)
})

test('503 with a page that says that the database is away, in the language of its reader, and loads itself again; a code for programs', async () => {
  handler = (incoming, outgoing) => {
    noteReached()
    noteDatabaseAway()
    return failAsNext(500)(incoming, outgoing)
  }
  const page = await send('/kora/totals', 'GET', { 'accept-language': 'fr' })
  assert.deepEqual([page.status, page.headers['retry-after'], page.headers['cache-control']], [503, '5', 'private, no-store'])
  assert.match(page.body, /La base de données est injoignable.*Rien n’a été perdu/)
  const [, script = assert.fail()] = /<script>(.*)<\/script>/s.exec(page.body) ?? []
  assert.match(script, /location\.reload\(\)/)
  const digest = createHash('sha256').update(script).digest('base64')
  assert.ok(String(page.headers['content-security-policy']).includes(`script-src 'sha256-${digest}'; connect-src 'self'`))
  const form = await send('/kora/totals', 'POST')
  assert.equal(form.status, 503)
  assert.match(form.body, /it is not certain whether this was saved/)
  assert.doesNotMatch(form.body, /<script>/)
  const program = await send('/api/back-office/kora/totals')
  assert.deepEqual([program.status, program.body], [503, '{"code":"unavailable"}'])
  // Next's own client reads the digest of the error in Next's answer.
  assert.equal((await send('/kora/totals', 'POST', { 'next-action': '00' })).status, 500)
})

test('200 for a page that was started before the database was away', async () => {
  handler = (_, outgoing) => {
    noteReached()
    outgoing.write('a page ')
    noteDatabaseAway()
    outgoing.end('and its end')
  }
  assert.deepEqual(await send('/kora/totals').then(({ status, body }) => [status, body]), [200, 'a page and its end'])
})

test('400, 403, 405: a request that cannot be decoded, comes from elsewhere or has no method of a page never reaches Next', async () => {
  handler = () => assert.fail('Next was called')
  assert.equal((await send('/%')).status, 400)
  assert.equal((await send('/kora?name=%00')).status, 400)
  assert.equal((await send('/kora', 'PUT')).status, 405)
  for (const origin of ['null', 'garbage', 'http://', 'https://evil.example', `${baseUrl}.evil.example`, 'http://127.0.0.1'])
    assert.equal((await send('/kora', 'POST', { origin })).status, 403, origin)
  const head = await send('/%', 'HEAD')
  assert.deepEqual([head.status, head.body], [400, ''])
})

test('200 for the site’s own forms, also behind a proxy that names the host', async () => {
  handler = (_, outgoing) => void outgoing.end('reached')
  assert.equal((await send('/kora', 'POST', { origin: baseUrl })).body, 'reached')
  assert.equal((await send('/kora', 'POST', { origin: 'https://pay.example.com', 'x-forwarded-host': 'pay.example.com' })).body, 'reached')
  assert.equal((await send('/kora', 'POST')).body, 'reached')
})

test('a code for programs and a page for people below /api', async () => {
  const program = await send('/api/back-office/kora/totals?name=%00')
  assert.deepEqual([program.status, program.body], [400, '{"code":"invalid"}'])
  assert.match((await send('/api/back-office/kora/totals?name=%00', 'GET', { accept: 'text/html' })).body, /<h1>/)
})

test('405 with the methods of a page, which no other refusal names; addresses of data name their own', async () => {
  handler = (_, outgoing) => void outgoing.end('reached')
  const allowOf = ({ status, headers }: Sent) => [status, headers['allow']]
  for (const path of ['/kora', '/apiary', '/']) assert.deepEqual(allowOf(await send(path, 'PUT')), [405, 'GET, HEAD, POST'], path)
  assert.deepEqual(allowOf(await send('/%')), [400, undefined])
  assert.deepEqual(allowOf(await send('/kora', 'POST', { origin: 'https://evil.example' })), [403, undefined])
  for (const path of ['/api', '/api/back-office/kora/totals']) assert.equal((await send(path, 'PUT')).body, 'reached', path)
})

test('403 for a form of another site by every method but GET and HEAD', async () => {
  handler = (_, outgoing) => void outgoing.end('reached')
  const statusOf = async (method: string) =>
    (await send('/api/back-office/kora/batches', method, { origin: 'https://evil.example' })).status
  assert.deepEqual(await Promise.all(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'].map(statusOf)), [200, 200, 403, 403, 403, 403])
})

test('the first host that the proxies name is compared, and not the one of the request', async () => {
  handler = (_, outgoing) => void outgoing.end('reached')
  const from = async (forwarded: string) =>
    (await send('/kora', 'POST', { origin: 'https://pay.example.com', 'x-forwarded-host': forwarded })).status
  assert.deepEqual(
    await Promise.all([' pay.example.com , proxy.internal', 'proxy.internal, pay.example.com', 'pay.example.com.evil.example'].map(from)),
    [200, 403, 403],
  )
})

test('400 for an action of a page with more values than any of ours; an address of data reads its own body', async () => {
  const many = Buffer.from(','.repeat(5_001))
  const counting = createServer(
    (incoming, outgoing) => void callNext(incoming, outgoing, { body: many, next: (_, response) => response.end('reached') }),
  )
  await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(counting.address() as AddressInfo).port}`
    const post = async (path: string) => (await sendRequest(url, { path, method: 'POST', body: 'x' })).status
    assert.deepEqual([await post('/kora'), await post('/api/back-office/kora/batches')], [400, 200])
  } finally {
    await new Promise<void>((resolve) => counting.close(() => resolve()))
  }
})

test('403 for an origin without a host, also where a proxy names none', async () => {
  handler = (_, outgoing) => void outgoing.end('reached')
  for (const origin of ['file:///x', 'data:text/html,x', 'about:blank'])
    assert.equal((await send('/kora', 'POST', { origin, 'x-forwarded-host': '' })).status, 403, origin)
})
