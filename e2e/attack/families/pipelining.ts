import type { AttackCase, CaseMaker, Family } from '#e2e/attack/case.ts'
import { type Place, placeOf } from '#e2e/attack/targets.ts'
import { LIMIT_MS, requestBytes } from '#e2e/attack/wire/request.ts'

function pipeline(
  what: string,
  requests: readonly { bytes: Buffer; method: string }[],
  more: Partial<AttackCase['expect']> = {},
): AttackCase {
  return {
    what,
    steps: [{ do: 'write', bytes: Buffer.concat(requests.map((request) => request.bytes)) }],
    methods: requests.map((request) => request.method),
    expect: { statuses: [['2xx', '3xx', '4xx']], answers: requests.length, limitMs: 2 * LIMIT_MS, ...more },
  }
}

function written(place: Place, method: string = place.method): { bytes: Buffer; method: string } {
  return { bytes: requestBytes({ ...place, method, ...(method === 'POST' && { body: '' }) }), method }
}

const mixed: CaseMaker = {
  name: 'different requests one behind the other',
  make(random, arsenal) {
    const requests = Array.from({ length: random.between(2, 12) }, () => {
      const place = placeOf(
        random.pick(['query', 'v2-query', 'open', 'pay', 'reference', 'page', 'data', 'file', 'no-page'] as const),
        random,
        arsenal,
      )
      return written(place, random.pick(['GET', 'GET', 'HEAD']))
    })
    return pipeline(`${requests.length} different requests at once`, requests)
  },
}

/** The service may close the connection behind this many pipelined answers. */
const PIPELINED_LEAST = 16

const many: CaseMaker = {
  name: 'many requests at once',
  make(random, arsenal) {
    const place = placeOf(random.pick(['open', 'query', 'token'] as const), random, arsenal, true)
    const number = random.pick([50, 200, 1_000])
    return pipeline(
      `${number} times ${place.target} at once`,
      Array.from({ length: number }, () => written(place)),
      {
        answers: PIPELINED_LEAST,
        answersMax: number,
        // The kernel of a service that closes while a client still writes resets the connection: of answers of 159 KB those that it has not read are lost.
        ...(number === 1_000 && place.target.includes('openapi') && { silence: 'the service closes behind the sixteenth answer' }),
      },
    )
  },
}

/** Answers must arrive in the order of the requests, even when a later one is ready first. */
const inOrder: CaseMaker = {
  name: 'a slow request before quick ones',
  make(random, arsenal) {
    const slow = written({ ...placeOf('page', random, arsenal, true), target: '/sign-in' })
    const quick = written({ ...placeOf('open', random, arsenal), target: '/health/live' })
    const number = random.between(1, 10)
    return pipeline(`a page and ${number} quick requests behind it`, [slow, ...Array<typeof quick>(number).fill(quick)], {
      inspect: (answers) =>
        answers[0]?.headers['content-type']?.includes('text/html') && answers.slice(1).every((answer) => answer.body === '{"status":"up"}')
          ? undefined
          : 'the answers are not in the order of the requests',
    })
  },
}

const garbageBehind: CaseMaker = {
  name: 'garbage behind a good request',
  make(random, arsenal) {
    const place = placeOf(random.pick(['query', 'v2-query', 'open', 'pay', 'reference', 'page', 'data', 'file'] as const), random, arsenal)
    const good = written(place)
    const garbage = random.pick([
      'garbage\r\n\r\n',
      '\u0000',
      'GET',
      '\r\n\r\n',
      `x: ${'a'.repeat(20_000)}`,
      'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
    ])
    const attack = pipeline(`${place.target} with ${JSON.stringify(garbage.slice(0, 20))} behind it`, [good], { answersMax: 2 })
    return { ...attack, steps: [{ do: 'write', bytes: Buffer.concat([good.bytes, Buffer.from(garbage)]) }] }
  },
}

const closing: CaseMaker = {
  name: 'requests behind Connection: close',
  make(random, arsenal) {
    const place = placeOf(random.pick(['query', 'v2-query', 'open', 'pay', 'reference', 'page'] as const), random, arsenal)
    const last = { bytes: requestBytes({ ...place, headers: [...place.headers, ['Connection', 'close']] }), method: place.method }
    return {
      ...pipeline(`two requests behind one with Connection: close to ${place.target}`, [last], {}),
      steps: [{ do: 'write', bytes: Buffer.concat([last.bytes, written(place).bytes]) }],
    }
  },
}

export const pipelining: Family = { name: 'pipelining', weight: 4, makers: [mixed, many, inOrder, garbageBehind, closing] }
