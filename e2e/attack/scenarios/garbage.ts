import type { IncomingMessage, ServerResponse } from 'node:http'

type Call = { method: string; reference: string; body: unknown }
type Answer = (call: Call, response: ServerResponse, request: IncomingMessage) => void

/** An operator's answers to a submission and to status enquiries, and the status that the transaction must reach. */
export type Garbage = { name: string; submit: Answer; query: Answer; ends: 'SUCCESS' | 'FAILED' | 'PENDING' }

const contexts = new Map<string, string>()

function transferOf({ reference, body }: Call, changes: Record<string, unknown>): Record<string, unknown> {
  const context = (body as { context?: string } | undefined)?.context
  if (context !== undefined) contexts.set(reference, context)
  return {
    reference,
    status: 'SUCCESS',
    operatorReference: `OP${reference.slice(0, 8)}`,
    context: contexts.get(reference) ?? '',
    ...changes,
  }
}

/** A transfer of the protocol with these fields. */
function says(changes: Record<string, unknown>): Answer {
  return (call, response) => sendText(response, JSON.stringify(transferOf(call, changes)))
}

/** The same with a JSON text put in by hand, for what JSON.stringify does not write. */
function saysText(field: string, json: string, changes: Record<string, unknown> = {}): Answer {
  return (call, response) => {
    const text = JSON.stringify({ ...transferOf(call, changes), [field]: '§' })
    sendText(response, text.replace('"§"', json))
  }
}

function sendText(response: ServerResponse, text: string | Buffer, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

function body(text: string | Buffer, status = 200): Answer {
  return (call, response) => {
    transferOf(call, {})
    sendText(response, text, status)
  }
}

function head(status: number): Answer {
  return (call, response) => {
    transferOf(call, {})
    response.writeHead(status, { location: '/' }).end()
  }
}

/** Bytes as they are on the connection, then its end. */
function raw(text: string | ((reference: string) => string)): Answer {
  return (call, _, request) => {
    transferOf(call, {})
    request.socket.end(typeof text === 'string' ? text : text(call.reference))
  }
}

const good = says({})
const pending = says({ status: 'PENDING' })
const reset: Answer = (call, _, request) => {
  transferOf(call, {})
  request.socket.resetAndDestroy()
}

/** The submission is garbage; a query tells the truth. */
function atSubmission(name: string, submit: Answer): Garbage {
  return { name: `${name} to a submission`, submit, query: good, ends: 'SUCCESS' }
}

/** The submission is accepted; the first queries are garbage, so that the result is still open. */
function atQuery(name: string, query: Answer): Garbage {
  return { name: `${name} to a query`, submit: pending, query, ends: 'PENDING' }
}

/** No outcome can be read from these. */
const UNREADABLE: readonly (readonly [string, Answer])[] = [
  ['nothing at all', body('')],
  ['HTML', body('<html>Welcome</html>')],
  ['half a JSON', body('{"reference":')],
  ['null', body('null')],
  ['a list', body('[]')],
  ['a number', body('1e999')],
  ['bytes that are not UTF-8', body(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
  ['NULs', body('\u0000'.repeat(1_000))],
  ['100,000 brackets', body('['.repeat(60_000))],
  ['a megabyte', body('x'.repeat(1_048_576))],
  ['five megabytes of JSON', body(`{"a":"${'x'.repeat(5_242_880)}"}`)],
  ['a status that does not exist', says({ status: 'DONE' })],
  ['a status in small letters', says({ status: 'success' })],
  ['a status that is a list', says({ status: ['SUCCESS'] })],
  ['no status', says({ status: undefined })],
  ["another transaction's id", says({ reference: '00000000-0000-4000-8000-000000000000' })],
  ['a reference that is a number', says({ reference: 12 })],
  ['a message that is a number', says({ status: 'FAILED', message: 12 })],
  ['an operator reference that is an object', says({ operatorReference: { a: 1 } })],
  ['HTTP 500', body('{}', 500)],
  ['HTTP 429', body('{}', 429)],
  ['HTTP 204', head(204)],
  ['a redirect', head(302)],
  ['a reset', reset],
  ['not HTTP', raw('hello\r\n\r\n')],
  ['HTTP without a length that ends too early', raw('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"refer')],
  ['two lengths', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x')],
  ['a bad chunk size', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n')],
  ['a status line of letters', raw('HTTP/1.1 OK\r\n\r\n')],
  ['a head of 100 KB', raw(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`)],
  ['gzip that is none', raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}')],
  ['an upgrade', raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')],
]

const LONG = 'é'.repeat(15_000)

/** A readable outcome beside values that cannot be stored as they are. */
const BESIDES: readonly Garbage[] = [
  { name: 'a reason with NUL', submit: saysText('message', '"a\\u0000b"', { status: 'FAILED' }), query: good, ends: 'FAILED' },
  { name: 'a reason with a lone surrogate', submit: saysText('message', '"a\\ud800b"', { status: 'FAILED' }), query: good, ends: 'FAILED' },
  { name: 'a reason of 30 KB', submit: says({ status: 'FAILED', message: LONG }), query: good, ends: 'FAILED' },
  { name: 'an empty reason', submit: says({ status: 'FAILED', message: '' }), query: good, ends: 'FAILED' },
  {
    name: 'a reason of control characters',
    submit: says({ status: 'FAILED', message: '\u0001\u001f\u007f\u202e\u2028' }),
    query: good,
    ends: 'FAILED',
  },
  { name: 'an operator reference with NUL', submit: saysText('operatorReference', '"a\\u0000b"'), query: good, ends: 'SUCCESS' },
  { name: 'an operator reference with a lone surrogate', submit: saysText('operatorReference', '"\\udc00"'), query: good, ends: 'SUCCESS' },
  { name: 'an operator reference of 30 KB', submit: says({ operatorReference: LONG }), query: good, ends: 'SUCCESS' },
  { name: 'an empty operator reference', submit: says({ operatorReference: '' }), query: good, ends: 'SUCCESS' },
  { name: 'a token with NUL', submit: saysText('token', '"a\\u0000b"'), query: good, ends: 'SUCCESS' },
  { name: 'a token of 30 KB', submit: says({ token: LONG }), query: good, ends: 'SUCCESS' },
  {
    name: 'a pending answer with NUL',
    submit: saysText('operatorReference', '"\\u0000"', { status: 'PENDING' }),
    query: good,
    ends: 'SUCCESS',
  },
  { name: 'a failed query with NUL', submit: pending, query: saysText('message', '"\\u0000"', { status: 'FAILED' }), ends: 'FAILED' },
  {
    name: 'a failed query with a lone surrogate',
    submit: pending,
    query: saysText('message', '"\\udfff"', { status: 'FAILED' }),
    ends: 'FAILED',
  },
  { name: 'a query with a token of 30 KB', submit: pending, query: says({ token: LONG }), ends: 'SUCCESS' },
  {
    name: 'unknown fields by the hundred',
    submit: says(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, null]))),
    query: good,
    ends: 'SUCCESS',
  },
  { name: '__proto__', submit: saysText('__proto__x', '{"status":"FAILED"}'), query: good, ends: 'SUCCESS' },
]

/** Everything, by the number that a phone number ends with. */
export const GARBAGE: readonly Garbage[] = [
  ...UNREADABLE.map(([name, answer]) => atSubmission(name, answer)),
  ...UNREADABLE.map(([name, answer]) => atQuery(name, answer)),
  ...BESIDES,
]

/** Answers as this kind does; as an operator should where there is none. */
export function respondWith(garbage: Garbage | undefined, call: Call, response: ServerResponse, request: IncomingMessage): void {
  const answer = call.method === 'POST' ? (garbage?.submit ?? good) : (garbage?.query ?? good)
  answer(call, response, request)
}
