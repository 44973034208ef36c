import type { CaseMaker, Family, Step } from '#e2e/attack/case.ts'
import { PLACES, placeOf } from '#e2e/attack/targets.ts'
import { credentials, JSON_CONTENT, oneRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'
import { objectText, startCase, TRANSACTION_PATH, transfer } from './transfers.ts'

const CUT = 'the client cut the connection'
const SHORT = PLACES.filter((kind) => kind !== 'stream')

const resetInRequest: CaseMaker = {
  name: 'a reset at any byte of a request',
  make(random, arsenal) {
    const place = placeOf(random.pick(PLACES), random, arsenal)
    const headers = place.method === 'POST' ? [...place.headers, JSON_CONTENT] : place.headers
    const parts = { ...place, headers, ...(place.method === 'POST' && { body: '{"a":1,"b":"text"}' }) }
    const bytes = requestBytes(parts)
    const at = random.between(0, bytes.length)
    const attack = oneRequest(`a reset after ${at} of ${bytes.length} bytes to ${place.target}`, parts, ['2xx', '3xx', '4xx'], {
      silence: CUT,
    })
    const pause: Step[] = random.chance(0.5) ? [{ do: 'wait', ms: random.between(1, 30) }] : []
    return withSteps(attack, [...(at > 0 ? [{ do: 'write' as const, bytes: bytes.subarray(0, at) }] : []), ...pause, { do: 'reset' }])
  },
}

const resetInAnswer: CaseMaker = {
  name: 'a reset at any moment of an answer',
  make(random, arsenal) {
    const place = placeOf(random.pick(PLACES), random, arsenal)
    const parts = { ...place, ...(place.method === 'POST' && { headers: [...place.headers, JSON_CONTENT], body: '{}' }) }
    const attack = oneRequest(`a reset during the answer of ${place.target}`, parts, ['2xx', '3xx', '4xx'], { silence: CUT })
    const moment: Step = random.chance(0.5) ? { do: 'awaitByte' } : { do: 'wait', ms: random.between(0, 60) }
    return withSteps(attack, [{ do: 'write', bytes: requestBytes(parts) }, moment, { do: 'reset' }])
  },
}

/** The transfer may have been accepted or not: the client is not told. It must be complete or absent. */
const resetTransfer: CaseMaker = {
  name: 'a reset while a transfer is taken in',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const start = random.pick(['collect', 'deposit', 'depositMultiple'] as const)
    const attack = startCase('good, with a reset behind it', arsenal, start, objectText(fields), [200], {
      starts: [fields.id],
      silence: CUT,
    })
    return withSteps(attack, [...attack.steps, { do: 'wait', ms: random.between(0, 20) }, { do: 'reset' }])
  },
}

const refusals: CaseMaker = {
  name: 'a reset while a refusal is written',
  make(random) {
    const text = random.pick([
      'GARBAGE\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      'GET / HTTP/1.1\r\n\r\n',
      'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      'GET * HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ])
    const bytes = Buffer.from(text)
    const attack = oneRequest(`a reset behind ${JSON.stringify(text.slice(0, 40))}`, { target: '/' }, ['2xx', '3xx', '4xx'], {
      silence: CUT,
    })
    const pause: Step[] = random.chance(0.6) ? [] : [{ do: 'wait', ms: random.between(1, 10) }]
    return withSteps(attack, [{ do: 'write', bytes }, ...pause, { do: 'reset' }])
  },
}

const halfClosed: CaseMaker = {
  name: 'half-closed behind a request',
  make(random, arsenal) {
    const place = placeOf(random.pick(SHORT), random, arsenal)
    const parts = { ...place, ...(place.method === 'POST' && { headers: [...place.headers, JSON_CONTENT], body: '{}' }) }
    const attack = oneRequest(`half-closed behind ${place.method} ${place.target}`, parts, ['2xx', '3xx', '4xx'])
    return withSteps(attack, [{ do: 'write', bytes: requestBytes(parts) }, { do: 'halfClose' }])
  },
}

const halfClosedTransfer: CaseMaker = {
  name: 'half-closed behind a transfer',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const attack = startCase('good, and half-closed behind it', arsenal, 'collect', objectText(fields), [200], { starts: [fields.id] })
    return withSteps(attack, [...attack.steps, { do: 'halfClose' }])
  },
}

const halfClosedInside: CaseMaker = {
  name: 'half-closed inside a request',
  make(random, arsenal) {
    const target = `${TRANSACTION_PATH}/collect`
    const parts = { method: 'POST', target, headers: [...credentials(arsenal), JSON_CONTENT, ['Content-Length', '500'] as const] }
    const bytes = requestBytes(parts)
    const at = random.between(1, bytes.length)
    const attack = oneRequest(`half-closed after ${at} of ${bytes.length} bytes of a head`, parts, ['4xx'], {
      silence: 'the request ended in the middle',
      path: undefined,
    })
    return withSteps(attack, [{ do: 'write', bytes: bytes.subarray(0, at) }, { do: 'halfClose' }])
  },
}

const silentConnection: CaseMaker = {
  name: 'a connection without a byte',
  make(random) {
    const attack = oneRequest('a connection without a byte', { target: '/' }, ['4xx'], { silence: CUT })
    return withSteps(attack, [{ do: 'wait', ms: random.between(0, 100) }, random.chance(0.5) ? { do: 'reset' } : { do: 'halfClose' }])
  },
}

export const brokenConnections: Family = {
  name: 'broken-connections',
  weight: 8,
  makers: [
    resetInRequest,
    resetInRequest,
    resetInAnswer,
    resetInAnswer,
    resetTransfer,
    refusals,
    refusals,
    halfClosed,
    halfClosedTransfer,
    halfClosedInside,
    silentConnection,
  ],
}
