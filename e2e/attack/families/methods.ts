import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { PLACES, placeOf } from '#e2e/attack/targets.ts'
import { oneRequest, rawRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'

const VERBS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'MKCOL',
  'LOCK',
  'PURGE',
  'SEARCH',
  'M-SEARCH',
  'QUERY',
] as const
const NO_VERBS = ['get', 'Post', 'FOO', 'GETX', 'G', '', 'GET\t', 'CONNECTX', 'PRI', 'JUNK-METHOD', 'GÉT'] as const

const verbs: CaseMaker = {
  name: 'every verb at every address',
  make(random, arsenal) {
    const method = random.pick(VERBS)
    // A stream answers GET without end, which has a family of its own.
    const place = placeOf(random.pick(PLACES.filter((kind) => kind !== 'stream')), random, arsenal)
    const isApi = /^\/(api\/v[12]|public)\//.test(place.target)
    const statuses =
      isApi && ![place.method, place.otherMethod, 'HEAD'].includes(method) ? ([405] as const) : (['2xx', '3xx', '4xx'] as const)
    return oneRequest(`${method} ${place.target}`, { ...place, method, ...(method === 'POST' && { body: '' }) }, statuses)
  },
}

const noVerbs: CaseMaker = {
  name: 'unknown methods',
  make(random, arsenal) {
    const word = random.pick(NO_VERBS)
    const { target } = placeOf(random.pick(PLACES), random, arsenal, true)
    return rawRequest(`the verb ${JSON.stringify(word)}`, `${word} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, [400, 405, 501])
  },
}

const TUNNELS = ['a:1', '127.0.0.1:5432', '[::1]:80', 'x', '*', '/', 'http://127.0.0.1/', '127.0.0.1:99999'] as const

const connect: CaseMaker = {
  name: 'CONNECT',
  make(random) {
    const target = random.pick(TUNNELS)
    return rawRequest(`CONNECT ${target}`, `CONNECT ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, [400, 405, 501], {
      methods: ['CONNECT'],
    })
  },
}

const connectAndReset: CaseMaker = {
  name: 'CONNECT and away',
  make(random) {
    const target = random.pick(TUNNELS)
    const bytes = Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    const attack = rawRequest(`CONNECT ${target}, then a reset`, bytes, [400, 405, 501], {
      methods: ['CONNECT'],
      silence: 'the client cut the connection',
    })
    const pause = random.pick([0, 0, 1, 5])
    return withSteps(attack, [{ do: 'write', bytes }, ...(pause > 0 ? [{ do: 'wait' as const, ms: pause }] : []), { do: 'reset' }])
  },
}

const UPGRADES = ['websocket', 'h2c', 'TLS/1.0', 'HTTP/2.0', 'foo/2', ''] as const

const upgrade: CaseMaker = {
  name: 'Upgrade',
  make(random, arsenal) {
    const protocol = random.pick(UPGRADES)
    const place = placeOf(
      random.pick(['query', 'v2-query', 'page', 'no-page', 'data', 'file', 'open', 'pay', 'reference'] as const),
      random,
      arsenal,
    )
    const headers = [...place.headers, ['Connection', 'Upgrade'], ['Upgrade', protocol], ['Sec-WebSocket-Version', '13']] as const
    return oneRequest(`Upgrade: ${protocol} to ${place.target}`, { ...place, headers }, ['2xx', '3xx', '4xx'])
  },
}

const upgradeThenBytes: CaseMaker = {
  name: 'Upgrade with bytes behind it',
  make(random, arsenal) {
    const place = placeOf(random.pick(['query', 'v2-query', 'page', 'open', 'pay', 'reference'] as const), random, arsenal)
    const headers = [...place.headers, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']] as const
    const attack = oneRequest(`Upgrade to ${place.target} with a frame behind it`, { ...place, headers }, ['2xx', '3xx', '4xx'], {
      answersMax: 2,
    })
    const bytes = requestBytes({ ...place, headers })
    return withSteps(attack, [{ do: 'write', bytes: Buffer.concat([bytes, Buffer.from([0x81, 0x85, 1, 2, 3, 4, 5, 6])]) }])
  },
}

const EXPECTATIONS = ['100-continue', '100-Continue', '200-ok', 'x', '100-continue, x', ''] as const

const expectHeader: CaseMaker = {
  name: 'Expect',
  make(random, arsenal) {
    const value = random.pick(EXPECTATIONS)
    const place = placeOf(random.pick(['start', 'v2-start', 'token', 'auth', 'action', 'callback', 'pay-form'] as const), random, arsenal)
    const headers = [...place.headers, ['Expect', value], ['Content-Type', 'application/json']] as const
    return oneRequest(`Expect: ${value} to ${place.target}`, { ...place, headers, body: '{}' }, ['2xx', '3xx', '4xx'])
  },
}

const expectWithoutBody: CaseMaker = {
  name: 'Expect, and the body never comes',
  make(random, arsenal) {
    const place = placeOf(random.pick(['start', 'v2-start', 'token'] as const), random, arsenal, true)
    const parts = { ...place, headers: [...place.headers, ['Expect', '100-continue'], ['Content-Length', '10']] as const }
    const attack = oneRequest(`Expect: 100-continue to ${place.target}, then a reset`, parts, ['4xx'], {
      silence: 'the client cut the connection',
    })
    return withSteps(attack, [{ do: 'write', bytes: requestBytes(parts) }, { do: 'wait', ms: random.between(0, 50) }, { do: 'reset' }])
  },
}

export const methods: Family = {
  name: 'methods',
  weight: 6,
  makers: [verbs, verbs, verbs, noVerbs, connect, connectAndReset, upgrade, upgradeThenBytes, expectHeader, expectWithoutBody],
}
