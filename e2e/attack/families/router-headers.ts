import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { placeOf } from '#e2e/attack/targets.ts'
import { type Header, oneRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'

/** State trees that Next's router in the browser sends, and ones that it never sends. */
const STATE_TREES = [
  'garbage',
  '',
  '%',
  '%E0%A4%A',
  '%FF',
  'null',
  '%5B%5D',
  '%7B%7D',
  '[1,2,3]',
  '["",{}]',
  '%5B%22%22%2C%7B%7D%2Cnull%2Cnull%2Ctrue%5D',
  '["__proto__",{"constructor":["x",{}]}]',
  '["",{"children":["\\u0000",{}]}]',
  '["",{"children":null}]',
  '[[[[["",{}]]]]]',
  '['.repeat(12_000),
  'a'.repeat(14_000),
] as const
const PREFETCHES = ['absent', '1', '2', 'x', ''] as const
const SEGMENTS = ['absent', '/_tree', '/_index', '/../..', '%FF', '/a/$d$x', ''] as const
const URLS = ['absent', '/', '/%FF', '//evil.example', 'http://evil.example/', '%', '\\'] as const

/** The first answer leads to an address with a check sum of these headers; only that one reads them. */
const routers: CaseMaker = {
  name: 'what the router in the browser says',
  make(random, arsenal) {
    const place = placeOf(random.pick(['page', 'page', 'no-page'] as const), random, arsenal)
    const optional = (name: string, value: string): Header[] => (value === 'absent' ? [] : [[name, value]])
    const headers: Header[] = [
      ...place.headers,
      ['RSC', '1'],
      ...optional('Next-Router-State-Tree', random.pick(STATE_TREES)),
      ...optional('Next-Router-Prefetch', random.pick(PREFETCHES)),
      ...optional('Next-Router-Segment-Prefetch', random.pick(SEGMENTS)),
      ...optional('Next-Url', random.pick(URLS)),
    ]
    const what = headers.slice(place.headers.length).map(([name, value]) => `${name}: ${value.slice(0, 40)}`)
    const parts = { ...place, headers }
    const attack = oneRequest(`${what.join(', ')} to ${place.target}`, parts, ['2xx', '3xx', '4xx'], { answersMax: 2 })
    return withSteps(attack, [
      { do: 'write', bytes: requestBytes(parts) },
      { do: 'follow', bytesFor: (target) => requestBytes({ ...parts, target }) },
    ])
  },
}

export const routerHeaders: Family = { name: 'router-headers', weight: 3, makers: [routers] }
