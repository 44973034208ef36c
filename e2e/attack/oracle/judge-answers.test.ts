import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { AttackCase } from '#e2e/attack/case.ts'
import { perform } from '#e2e/attack/wire/perform.ts'
import { oneRequest, requestBytes } from '#e2e/attack/wire/request.ts'
import { judgeAnswers } from './judge-answers.ts'

/** A server that misbehaves in the way that a test wants to see caught. */
let behave: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()
let server: Server
let place: { host: string; port: number }

before(async () => {
  server = createServer((request, response) => behave(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  place = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const PATH = '/api/v1/transaction/collect'
const GOOD_ERROR = { timestamp: '2026-11-21T22:00:00.000Z', status: 400, error: 'Bad Request', message: 'amount is required.', path: PATH }

function aCase(changes: Partial<AttackCase['expect']> = {}): AttackCase {
  return oneRequest('a request', { target: PATH }, [200, 400], { limitMs: 300, ...changes })
}

async function problemsOf(attack: AttackCase, answer: typeof behave): Promise<string[]> {
  behave = answer
  return judgeAnswers(attack, await perform(place, attack))
}

function says(status: number, body: unknown, type = 'application/json'): typeof behave {
  return (_, response) => response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body))
}

test('nothing is found where the service does what the case allows', async () => {
  assert.deepEqual(await problemsOf(aCase(), says(200, { a: 1 })), [])
  assert.deepEqual(await problemsOf(aCase(), says(400, GOOD_ERROR)), [])
})

test('an error of version 2 without a code is caught, and one of version 1 with a code', async () => {
  const path = '/api/v2/batches'
  const coded = { ...GOOD_ERROR, path, code: 'fields_invalid' }
  assert.deepEqual(await problemsOf(aCase({ path }), says(400, coded)), [])
  assert.match((await problemsOf(aCase({ path }), says(400, { ...GOOD_ERROR, path }))).join(), /the code of an error is undefined/)
  assert.match((await problemsOf(aCase({ path }), says(400, { ...coded, code: 'Not a code' }))).join(), /the code of an error/)
  assert.match(
    (await problemsOf(aCase(), says(400, { ...GOOD_ERROR, code: 'fields_invalid' }))).join(),
    /the code of an error is "fields_invalid"/,
  )
})

const CAUGHT: [string, typeof behave, RegExp][] = [
  ['a 500', says(500, { ...GOOD_ERROR, status: 500 }), /answered 500/],
  ['a 502', says(502, { ...GOOD_ERROR, status: 502 }), /answered 502/],
  ['a 503 where no overload is allowed', says(503, { ...GOOD_ERROR, status: 503 }), /answered 503/],
  ['a status that the case does not allow', says(403, { ...GOOD_ERROR, status: 403 }), /answered 403 instead of 200 or 400/],
  ['an error without its path', says(400, { ...GOOD_ERROR, path: undefined }), /an error without path/],
  ['an error without its timestamp', says(400, { ...GOOD_ERROR, timestamp: undefined }), /an error without timestamp/],
  ['an error whose timestamp is not an instant', says(400, { ...GOOD_ERROR, timestamp: 'today' }), /timestamp/],
  ['an error whose status is another one', says(400, { ...GOOD_ERROR, status: 404 }), /the status of an error is 404/],
  ['an error whose status is a text', says(400, { ...GOOD_ERROR, status: '400' }), /the status of an error/],
  ['an error with another path', says(400, { ...GOOD_ERROR, path: '/' }), /the path of an error/],
  ['an error with an empty message', says(400, { ...GOOD_ERROR, message: '' }), /message of an error/],
  ['an error as HTML', says(400, '<html>', 'text/html'), /an error as text\/html/],
  ['an error that is not JSON', says(400, 'no'), /not JSON/],
  ['an error that tells of its inside', says(400, { ...GOOD_ERROR, message: 'at Object.run (/srv/x.ts:1:1)' }), /its inside/],
  ['an error that quotes SQL', says(400, { ...GOOD_ERROR, message: 'select name from people' }), /its inside/],
  ['silence', () => undefined, /no answer within 300 ms/],
  ['a connection that is closed', (request) => request.socket.end(), /the connection was closed/],
  ['a connection that is reset', (request) => request.socket.resetAndDestroy(), /the connection was (?:reset|closed)/],
  [
    'an answer that ends in the middle',
    (request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half')
      request.socket.end()
    },
    /half an answer/,
  ],
  ['an answer that is not HTTP', (request) => request.socket.end('hello, this is not HTTP'), /not HTTP/],
  [
    'two answers to one request',
    (request) => request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    /answered 2 times instead of 1/,
  ],
]
for (const [what, answer, problem] of CAUGHT) {
  test(`${what} is caught`, async () => {
    assert.match((await problemsOf(aCase(), answer)).join('; '), problem)
  })
}

test('503 is allowed where the case names the overload, with the five fields', async () => {
  const attack = aCase({ overload: 'the queue is full' })
  assert.deepEqual(await problemsOf(attack, says(503, { ...GOOD_ERROR, status: 503 })), [])
  assert.match((await problemsOf(attack, says(503, {}))).join(), /an error without/)
})

test('no finding for silence if the case states its reason', async () => {
  assert.deepEqual(await problemsOf(aCase({ silence: 'the client sends nothing' }), () => undefined), [])
})

test('an answer that says the wrong thing is caught by what the case looks for', async () => {
  const attack = aCase({ inspect: ([answer]) => (answer?.body === '{}' ? undefined : 'the answer is not empty') })
  assert.deepEqual(await problemsOf(attack, says(200, '{}')), [])
  assert.deepEqual(await problemsOf(attack, says(200, '{"a":1}')), ['the answer is not empty'])
})

test('pipelined answers are told apart, with chunked bodies and answers to HEAD between them', async () => {
  const requests = [requestBytes({ target: PATH }), requestBytes({ method: 'HEAD', target: PATH }), requestBytes({ target: '/last' })]
  const attack: AttackCase = {
    what: 'three at once',
    steps: [{ do: 'write', bytes: Buffer.concat(requests) }],
    methods: ['GET', 'HEAD', 'GET'],
    expect: { statuses: [[200]], answers: 3, limitMs: 1_000 },
  }
  behave = (request, response) => {
    response.writeHead(200, request.method === 'HEAD' ? { 'content-length': 5 } : {})
    response.write('chunk')
    response.end(request.url)
  }
  const outcome = await perform(place, attack)
  assert.deepEqual(
    outcome.answers.map((answer) => answer.body),
    [`chunk${PATH}`, '', 'chunk/last'],
  )
  assert.deepEqual(judgeAnswers(attack, outcome), [])
})
