import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family } from '#e2e/attack/case.ts'
import { type PlaceKind, placeOf } from '#e2e/attack/targets.ts'
import { credentials, JSON_CONTENT, rawRequest, requestBytes } from '#e2e/attack/wire/request.ts'
import { objectText, TRANSACTION_PATH, transfer } from './transfers.ts'

const BODY_PLACES: readonly PlaceKind[] = [
  'start',
  'v2-start',
  'token',
  'auth',
  'action',
  'callback',
  'pay-form',
  'page',
  'no-page',
  'form',
  'upload',
]

/** A second request, hidden in the body of the first. A server that answers it can be attacked by request smuggling. */
const HIDDEN = 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

/** Two opinions of where the body ends: the only safe answer is a refusal. */
const AMBIGUOUS: readonly { what: string; headers: string; body: string }[] = [
  { what: 'Content-Length and Transfer-Encoding', headers: 'Content-Length: 5\r\nTransfer-Encoding: chunked', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'Transfer-Encoding and Content-Length', headers: 'Transfer-Encoding: chunked\r\nContent-Length: 5', body: `0\r\n\r\n${HIDDEN}` },
  {
    what: 'Content-Length and Transfer-Encoding in other letters',
    headers: 'content-length: 5\r\nTRANSFER-ENCODING: Chunked',
    body: `0\r\n\r\n${HIDDEN}`,
  },
  { what: 'two lengths', headers: 'Content-Length: 2\r\nContent-Length: 3', body: `{}x${HIDDEN}` },
  { what: 'two equal lengths', headers: 'Content-Length: 2\r\nContent-Length: 2', body: '{}' },
  { what: 'a list of lengths', headers: 'Content-Length: 2, 3', body: `{}x${HIDDEN}` },
  { what: 'a length with a sign', headers: 'Content-Length: +2', body: '{}' },
  { what: 'a negative length', headers: 'Content-Length: -2', body: '{}' },
  { what: 'a hexadecimal length', headers: 'Content-Length: 0x2', body: '{}' },
  { what: 'a decimal length', headers: 'Content-Length: 2.0', body: '{}' },
  { what: 'a length beyond 64 bits', headers: 'Content-Length: 99999999999999999999999', body: '{}' },
  { what: 'an empty length', headers: 'Content-Length: ', body: '{}' },
  { what: 'a length with a space inside', headers: 'Content-Length: 2 2', body: '{}' },
  { what: 'a length before a colon with a space', headers: 'Content-Length : 2', body: '{}' },
  { what: 'Transfer-Encoding twice', headers: 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'chunked, identity', headers: 'Transfer-Encoding: chunked, identity', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'an unknown transfer coding', headers: 'Transfer-Encoding: xchunked', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'chunked in quotes', headers: 'Transfer-Encoding: "chunked"', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'chunked behind a vertical tab', headers: 'Transfer-Encoding: \u000bchunked', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'chunked with a space before the colon', headers: 'Transfer-Encoding : chunked', body: `0\r\n\r\n${HIDDEN}` },
  { what: 'chunked on a folded line', headers: 'Transfer-Encoding:\r\n chunked', body: `0\r\n\r\n` },
  { what: 'chunked in HTTP/1.0', headers: 'Transfer-Encoding: chunked', body: `0\r\n\r\n` },
]

const ambiguous: CaseMaker = {
  name: 'two opinions of where the body ends',
  make(random, arsenal) {
    const { what, headers, body } = random.pick(AMBIGUOUS)
    const place = placeOf(random.pick(BODY_PLACES), random, arsenal, true)
    const version = what.includes('HTTP/1.0') ? 'HTTP/1.0' : 'HTTP/1.1'
    const extra = place.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const text = `POST ${place.target} ${version}\r\nHost: 127.0.0.1\r\n${extra}Content-Type: application/json\r\n${headers}\r\n\r\n${body}`
    const isDefined = /folded|HTTP\/1.0|two equal|sign|vertical/.test(what)
    return rawRequest(`${what} to ${place.target}`, text, isDefined ? ['2xx', '3xx', '4xx'] : ['4xx'], {
      methods: ['POST'],
      inspect: (answers) => (answers.some((answer) => answer.body === '{"status":"up"}') ? 'the hidden request was answered' : undefined),
    })
  },
}

/** Chunks that are wrong: nothing can be read behind them, so the answer must not wait for more. */
const BAD_CHUNKS: readonly string[] = [
  'x\r\n{}\r\n0\r\n\r\n',
  '-2\r\n{}\r\n0\r\n\r\n',
  '+2\r\n{}\r\n0\r\n\r\n',
  '0x2\r\n{}\r\n0\r\n\r\n',
  ' 2\r\n{}\r\n0\r\n\r\n',
  '2 \r\n{}\r\n0\r\n\r\n',
  '\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}0\r\n\r\n',
  '2\r\n{}x\r\n0\r\n\r\n',
  '2\r{}\r\n0\r\n\r\n',
  '2\n{}\n0\n\n',
  'fffffffffffffffff\r\n{}\r\n',
  '2;\u0000\r\n{}\r\n0\r\n\r\n',
  '2\u0000\r\n{}\r\n0\r\n\r\n',
  '2g\r\n{}\r\n0\r\n\r\n',
]

const badChunks: CaseMaker = {
  name: 'bad chunk sizes',
  make(random, arsenal) {
    const chunks = random.pick(BAD_CHUNKS)
    const place = placeOf(random.pick(BODY_PLACES), random, arsenal)
    return chunkedCase(`the chunks ${JSON.stringify(chunks)}`, arsenal, place, chunks, ['4xx', '3xx'], { limitMs: 5_000 })
  },
}

const GOOD_CHUNKS: readonly { what: string; wrap(body: string): string }[] = [
  {
    what: 'one byte each',
    wrap: (body) => `${[...Buffer.from(body)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('')}0\r\n\r\n`,
  },
  { what: 'leading zeros', wrap: (body) => `000000${body.length.toString(16)}\r\n${body}\r\n00000\r\n\r\n` },
  { what: 'capitals', wrap: (body) => `${body.length.toString(16).toUpperCase()}\r\n${body}\r\n0\r\n\r\n` },
  { what: 'an extension', wrap: (body) => `${body.length.toString(16)};a=b;c="d"\r\n${body}\r\n0;last\r\n\r\n` },
  { what: 'a trailer', wrap: (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\nx-check: 1\r\n\r\n` },
]

const goodChunks: CaseMaker = {
  name: 'a transfer in chunks',
  make(random, arsenal) {
    const { what, wrap } = random.pick(GOOD_CHUNKS)
    const fields = transfer(random, arsenal)
    const place = { kind: 'start' as const, method: 'POST' as const, target: `${TRANSACTION_PATH}/collect`, headers: credentials(arsenal) }
    return {
      ...chunkedCase(`a good transfer in chunks with ${what}`, arsenal, place, wrap(objectText(fields)), [200]),
      starts: [fields.id],
    }
  },
}

const TRAILERS = [
  'Content-Length: 3',
  'Transfer-Encoding: chunked',
  'Host: x',
  'apiKey: x',
  'Authorization: Bearer x',
  'x\r\n',
  ': x',
  'x: \u0000',
  'Content-Type: text/html',
] as const

const trailers: CaseMaker = {
  name: 'trailers that must not count',
  make(random, arsenal) {
    const trailer = random.pick(TRAILERS)
    const place = placeOf(random.pick(BODY_PLACES), random, arsenal, true)
    return chunkedCase(
      `the trailer ${JSON.stringify(trailer)}`,
      arsenal,
      place,
      `2\r\n{}\r\n0\r\n${trailer}\r\n\r\n`,
      ['2xx', '3xx', '4xx'],
      { limitMs: 5_000 },
    )
  },
}

/** The credentials arrive as trailers, behind the body, and must not count. */
const lateCredentials: CaseMaker = {
  name: 'credentials in a trailer',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const body = objectText(fields)
    const late = credentials(arsenal)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const place = { kind: 'start' as const, method: 'POST' as const, target: `${TRANSACTION_PATH}/deposit`, headers: [] }
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n${late}\r\n`
    return { ...chunkedCase('the credentials as trailers', arsenal, place, chunks, [401]), starts: [fields.id] }
  },
}

const extensions: CaseMaker = {
  name: 'chunk extensions without end',
  make(random, arsenal) {
    const bytes = random.pick([1_000, 15_000, 17_000, 200_000, 2_000_000])
    const place = placeOf(random.pick(BODY_PLACES), random, arsenal)
    const chunks = `2;${'a'.repeat(bytes)}\r\n{}\r\n0\r\n\r\n`
    return chunkedCase(`${bytes} bytes of chunk extension`, arsenal, place, chunks, ['2xx', '3xx', '4xx'], {
      ...(bytes > 60_000 && { silence: 'the service may close before it has read all of it' }),
    })
  },
}

const manyChunks: CaseMaker = {
  name: 'a body of thousands of chunks',
  make(random, arsenal) {
    const number = random.pick([1_000, 10_000, 60_000])
    const place = placeOf(random.pick(BODY_PLACES), random, arsenal)
    return chunkedCase(`${number} chunks of one byte`, arsenal, place, `${'1\r\n \r\n'.repeat(number)}0\r\n\r\n`, ['2xx', '3xx', '4xx'])
  },
}

function chunkedCase(
  what: string,
  _arsenal: Arsenal,
  place: { target: string; headers: readonly (readonly [string, string])[] },
  chunks: string,
  statuses: AttackCase['expect']['statuses'][number],
  more: Partial<AttackCase['expect']> = {},
): AttackCase {
  const headers = [...place.headers, JSON_CONTENT, ['Transfer-Encoding', 'chunked'] as const]
  const bytes = Buffer.concat([requestBytes({ method: 'POST', target: place.target, headers }), Buffer.from(chunks, 'latin1')])
  // Where the chunks are wrong, what follows them is refused on its own, or the connection ends.
  return rawRequest(`${what} to ${place.target}`, bytes, statuses, { methods: ['POST'], answersMax: 2, ...more })
}

const shortBody: CaseMaker = {
  name: 'more body than was declared',
  make(random, arsenal) {
    const place = placeOf(random.pick(BODY_PLACES), random, arsenal, true)
    const headers = [...place.headers, JSON_CONTENT, ['Content-Length', '2'] as const]
    const bytes = requestBytes({
      method: 'POST',
      target: place.target,
      headers,
      body: `{}${random.pick(['x', '\r\n', '\u0000', 'GET'])}`,
      length: 'none',
    })
    return rawRequest(`one byte more than declared to ${place.target}`, bytes, ['2xx', '3xx', '4xx'], { methods: ['POST'], answersMax: 2 })
  },
}

export const framing: Family = {
  name: 'framing',
  weight: 10,
  makers: [ambiguous, ambiguous, ambiguous, badChunks, badChunks, goodChunks, trailers, lateCredentials, extensions, manyChunks, shortBody],
}
