import type { AttackCase, CaseMaker, Family } from '#e2e/attack/case.ts'
import { type PlaceKind, placeOf } from '#e2e/attack/targets.ts'
import { JSON_CONTENT, oneRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'

/** Heads have ten seconds, bodies of the API too; what guards the pages has a minute. Longer here, for a busy machine. */
const HEAD_LIMIT_MS = 20_000
const BODY_LIMIT_MS = 75_000

const slowHead: CaseMaker = {
  name: 'a head that comes in pieces',
  make(random, arsenal) {
    const place = placeOf(
      random.pick(['query', 'v2-query', 'token', 'page', 'data', 'file', 'open', 'pay', 'reference'] as const),
      random,
      arsenal,
    )
    const bytes = requestBytes({ ...place, ...(place.method === 'POST' && { body: '{}' }) })
    const pieces = random.between(2, 8)
    const attack = oneRequest(`${place.target} in ${pieces} pieces`, place, ['2xx', '3xx', '4xx'])
    return withSteps(attack, inPieces(bytes, pieces, random.between(5, 60)))
  },
}

function inPieces(bytes: Buffer, pieces: number, pauseMs: number): AttackCase['steps'] {
  const length = Math.ceil(bytes.length / pieces)
  return Array.from({ length: pieces }, (_, index) => [
    { do: 'write' as const, bytes: bytes.subarray(index * length, (index + 1) * length) },
    { do: 'wait' as const, ms: pauseMs },
  ]).flat()
}

const unfinishedHead: CaseMaker = {
  name: 'a head that never ends',
  isLong: true,
  make(random, arsenal) {
    const { target } = placeOf(random.pick(['start', 'page', 'auth'] as const), random, arsenal)
    const attack = oneRequest(`a head for ${target} without its end`, { target }, [408, 400], {
      limitMs: HEAD_LIMIT_MS,
      path: undefined,
      silence: 'an unfinished head may be disconnected without an answer',
    })
    const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-a: `)
    return withSteps(attack, [{ do: 'write', bytes }])
  },
}

const drippingHead: CaseMaker = {
  name: 'a head that drips',
  isLong: true,
  make(random, arsenal) {
    const { target } = placeOf(random.pick(['start', 'page', 'auth'] as const), random, arsenal)
    const attack = oneRequest(`a head for ${target} that gets a byte every half second`, { target }, [408, 400], {
      limitMs: HEAD_LIMIT_MS,
      path: undefined,
      silence: 'an unfinished head may be disconnected without an answer',
    })
    const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n`)
    return withSteps(attack, [
      { do: 'write', bytes },
      { do: 'flood', piece: Buffer.from('x'), times: 30, pauseMs: 500 },
    ])
  },
}

function bodyCase(name: string, kinds: readonly PlaceKind[], what: string, steps: (head: Buffer) => AttackCase['steps']): CaseMaker {
  return {
    name,
    isLong: true,
    make(random, arsenal) {
      const place = placeOf(random.pick(kinds), random, arsenal)
      const parts = { ...place, method: 'POST', headers: [...place.headers, JSON_CONTENT, ['Content-Length', '1000'] as const] }
      const attack = oneRequest(`${what} to ${place.target}`, parts, ['2xx', '3xx', '4xx'], {
        limitMs: BODY_LIMIT_MS,
        silence: 'an unfinished body may be disconnected without an answer',
      })
      return withSteps(attack, steps(requestBytes(parts)))
    },
  }
}

const noBody = bodyCase(
  'a body that never comes',
  ['start', 'v2-start', 'token', 'callback', 'pay-form', 'auth', 'form', 'upload'],
  'a declared body that never comes',
  (head) => [{ do: 'write', bytes: head }],
)
const drippingBody = bodyCase(
  'a body that drips',
  ['start', 'v2-start', 'token', 'auth', 'action'],
  'a body of a byte every half second',
  (head) => [
    { do: 'write', bytes: head },
    { do: 'flood', piece: Buffer.from(' '), times: 60, pauseMs: 500 },
  ],
)

const slowBody: CaseMaker = {
  name: 'a body that takes its time',
  make(random, arsenal) {
    const place = placeOf(random.pick(['start', 'v2-start', 'token', 'auth', 'callback', 'pay-form'] as const), random, arsenal)
    const body = '{"a":1,"b":[1,2,3],"c":"text"}'
    const parts = { ...place, headers: [...place.headers, JSON_CONTENT], body }
    const bytes = requestBytes(parts)
    const head = bytes.subarray(0, bytes.length - body.length)
    const attack = oneRequest(`a body in pieces to ${place.target}`, parts, ['2xx', '3xx', '4xx'])
    return withSteps(attack, [{ do: 'write', bytes: head }, ...inPieces(Buffer.from(body), random.between(2, 10), random.between(5, 80))])
  },
}

/** Requests a large answer and reads nothing of it for a while. */
const slowReader: CaseMaker = {
  name: 'an answer that nobody reads for a second',
  make(random, arsenal) {
    const { slug } = arsenal.program
    const visitor = random.pick(arsenal.visitors)
    const target = random.pick([`/${slug}/transactions`, `/api/back-office/${slug}/transactions`, '/api/v1/openapi.json', '/sign-in'])
    const parts = { target, headers: [['Cookie', visitor.cookie] as const] }
    const attack = oneRequest(`${target}, twenty times on one connection, then a reset`, parts, ['2xx', '3xx', '4xx'], {
      silence: 'the client cut the connection',
      answersMax: 20,
    })
    const bytes = Buffer.concat(Array.from({ length: 20 }, () => requestBytes(parts)))
    return withSteps(attack, [{ do: 'write', bytes }, { do: 'wait', ms: random.between(200, 1_000) }, { do: 'reset' }])
  },
}

export const slow: Family = {
  name: 'slow',
  weight: 2,
  makers: [slowHead, slowHead, slowHead, unfinishedHead, drippingHead, noBody, drippingBody, slowBody, slowBody, slowReader],
}
