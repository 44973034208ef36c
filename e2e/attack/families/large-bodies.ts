import type { AttackCase, CaseMaker, Family } from '#e2e/attack/case.ts'
import { PLACES, type PlaceKind, placeOf } from '#e2e/attack/targets.ts'
import { credentials, type Header, JSON_CONTENT, oneRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'
import { objectText, TRANSACTION_PATH, transfer } from './transfers.ts'

const MEGABYTE = 1024 * 1024
/** The pieces of a body: shapes that are expensive to parse, and plain bytes. */
const PIECES: Readonly<Record<string, Buffer>> = {
  zeros: Buffer.alloc(64 * 1024),
  spaces: Buffer.alloc(64 * 1024, ' '),
  objects: Buffer.from('{},'.repeat(21_845)),
  brackets: Buffer.alloc(64 * 1024, '['),
  quotes: Buffer.alloc(64 * 1024, '"'),
  fields: Buffer.from('a=b&'.repeat(16 * 1024)),
}
const TYPES: readonly string[] = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain;charset=UTF-8',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
]

/** No address takes 20 MB: the request is refused, or the connection is closed before all of it was read. */
const STATUSES = ['3xx', '4xx'] as const
const SILENCE = 'the service may close before it has read all of it'
const OVERLOAD = 'bodies above 64 KB are refused while the memory of the process is nearly full'

function largeCase(kind: PlaceKind, isChunked: boolean): CaseMaker {
  return {
    name: `20 MB ${isChunked ? 'in chunks' : 'declared'} to ${kind}`,
    make(random, arsenal) {
      const place = placeOf(kind, random, arsenal)
      const name = random.pick(Object.keys(PIECES))
      const piece = PIECES[name] ?? Buffer.alloc(0)
      const times = Math.ceil((20 * MEGABYTE) / piece.length)
      const headers: Header[] = [...place.headers, ['Content-Type', random.pick(TYPES)]]
      headers.push(isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(times * piece.length)])
      const parts = { ...place, method: 'POST', headers }
      const what = `20 MB of ${name} ${isChunked ? 'in chunks' : 'declared'} to ${place.target}`
      const attack = oneRequest(what, parts, kind === 'open' || kind === 'query' ? ['2xx', ...STATUSES] : STATUSES, {
        silence: SILENCE,
        overload: OVERLOAD,
      })
      const chunk = isChunked ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]) : piece
      return withSteps(attack, bigBody(requestBytes(parts), chunk, times, isChunked))
    },
  }
}

function bigBody(head: Buffer, piece: Buffer, times: number, isChunked: boolean): AttackCase['steps'] {
  return [
    { do: 'write', bytes: head },
    { do: 'flood', piece, times, pauseMs: 0 },
    ...(isChunked ? [{ do: 'write' as const, bytes: Buffer.from('0\r\n\r\n') }] : []),
  ]
}

const declaredOnly: CaseMaker = {
  name: 'a length that nobody could send',
  make(random, arsenal) {
    const place = placeOf(
      random.pick(['start', 'v2-start', 'token', 'auth', 'action', 'page', 'no-page', 'form', 'upload', 'callback', 'pay-form'] as const),
      random,
      arsenal,
    )
    const length = random.pick(['20971520', '2147483648', '4294967296', '9007199254740993', '1000000000000'])
    const parts = { ...place, method: 'POST', headers: [...place.headers, JSON_CONTENT, ['Content-Length', length] as const] }
    const attack = oneRequest(`Content-Length ${length} and nothing behind it to ${place.target}`, parts, ['4xx', '3xx'], {
      silence: SILENCE,
    })
    return withSteps(attack, [{ do: 'write', bytes: requestBytes(parts) }])
  },
}

/** The edges of the limits that the API documents: a byte more is 413, and only the size may be the reason. */
const edges: CaseMaker = {
  name: 'bodies at the limit',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const [start, limit] = random.pick([
      ['collect', 64 * 1024],
      ['deposit', 64 * 1024],
    ] as const)
    const excess = random.pick([-1, 0, 1])
    const text = objectText(fields)
    const body = text + ' '.repeat(limit + excess - text.length)
    const headers: Header[] = [...credentials(arsenal), JSON_CONTENT]
    return oneRequest(
      `${start} with ${body.length} bytes`,
      { method: 'POST', target: `${TRANSACTION_PATH}/${start}`, headers, body },
      [excess > 0 ? 413 : 200],
      {
        starts: [fields.id],
      },
    )
  },
}

const wholeArray: CaseMaker = {
  name: 'an array of 1,000 transfers',
  make(random, arsenal) {
    const fields = Array.from({ length: 1_000 }, () =>
      transfer(random, arsenal, { amount: '1', customerName: JSON.stringify('n'.repeat(200)) }),
    )
    const headers: Header[] = [...credentials(arsenal), JSON_CONTENT]
    const body = `[${fields.map(objectText).join(',')}]`
    return oneRequest(
      `1,000 transfers in ${body.length} bytes`,
      { method: 'POST', target: `${TRANSACTION_PATH}/depositMultiple`, headers, body },
      [200],
      {
        starts: fields.map((one) => one.id),
        overload: 'the intake may be full for a moment',
        limitMs: 20_000,
      },
    )
  },
}

const stoppedShort: CaseMaker = {
  name: 'most of a large body, then silence',
  isLong: true,
  make(random, arsenal) {
    const place = placeOf(random.pick(['start', 'v2-start', 'auth', 'page', 'form', 'upload'] as const), random, arsenal)
    const parts = { ...place, method: 'POST', headers: [...place.headers, JSON_CONTENT, ['Content-Length', String(2 * MEGABYTE)] as const] }
    const attack = oneRequest(`1.9 of 2 MB to ${place.target}`, parts, ['4xx', '3xx'], {
      silence: SILENCE,
      overload: OVERLOAD,
      limitMs: 75_000,
    })
    const piece = Buffer.alloc(64 * 1024, ' ')
    return withSteps(attack, [
      { do: 'write', bytes: requestBytes(parts) },
      { do: 'flood', piece, times: 30, pauseMs: 0 },
    ])
  },
}

export const largeBodies: Family = {
  name: 'large-bodies',
  weight: 2,
  makers: [...PLACES.flatMap((kind) => [largeCase(kind, false), largeCase(kind, true)]), declaredOnly, edges, wholeArray, stoppedShort],
}
