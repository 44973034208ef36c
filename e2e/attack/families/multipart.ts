import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { placeOf } from '#e2e/attack/targets.ts'
import { type Header, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'

const BOUNDARIES = ['x', '', '"x"', '"', "'x'", 'x y', 'a'.repeat(71), 'a'.repeat(10_000), '--', 'é', '\u0001', 'x; charset=utf-8'] as const
const TYPES = ['multipart/form-data', 'multipart/form-data;', 'multipart/mixed', 'multipart/', 'Multipart/Form-Data'] as const

function bodyOf(random: Random, boundary: string): string {
  const part = (head: string, value: string) => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`
  const end = `--${boundary}--\r\n`
  return random.pick([
    part('Content-Disposition: form-data; name="format"', 'csv') + end,
    part('Content-Disposition: form-data; name="format"', 'csv'),
    part('Content-Disposition: form-data', 'csv') + end,
    part('Content-Disposition: form-data; name="', 'csv') + end,
    part('Content-Disposition: form-data; name="a\u0000b"', 'csv') + end,
    part('Content-Disposition: form-data; name="__proto__"', '1') + end,
    part('Content-Disposition: form-data; name="ids"; filename="../../x"', 'x') + end,
    part('Content-Disposition: form-data; name="1_$ACTION_ID_x"', '') + end,
    part('Content-Disposition: form-data; name="$ACTION_REF_1"', '') +
      part('Content-Disposition: form-data; name="$ACTION_1:0"', '{') +
      end,
    part('Content-Disposition: form-data; name="$ACTION_REF_1"', '') +
      part('Content-Disposition: form-data; name="$ACTION_1:0"', '{"id":"x","bound":"$@1"}') +
      end,
    part('Content-Disposition: form-data; name="$ACTION_KEY"', 'k') + part('Content-Disposition: form-data; name="0"', '["$F1"]') + end,
    part('Content-Disposition: form-data; name="0"', '["$@1"]') + end,
    part('Content-Disposition: form-data; name="0"', '[') + end,
    part('X: y', 'csv') + end,
    part('', '') + end,
    part(`Content-Disposition: form-data; name="a"\r\n${'X: y\r\n'.repeat(500)}X: z`, 'v') + end,
    part('Content-Disposition: form-data; name="a"', 'v').repeat(1_500) + end,
    `--${boundary}`,
    `--${boundary}--`,
    end.repeat(100),
    `preamble\r\n${end}`,
    '',
    'no part at all',
    '\r\n'.repeat(5_000),
    `--${boundary}\n\n\n--${boundary}--`,
  ])
}

const forms: CaseMaker = {
  name: 'forms in parts',
  make(random, arsenal) {
    const boundary = random.pick(BOUNDARIES)
    const place = placeOf(
      random.pick(['page', 'no-page', 'action', 'form', 'upload', 'auth', 'start', 'v2-start'] as const),
      random,
      arsenal,
    )
    const type = `${random.pick(TYPES)}; boundary=${boundary}`
    const headers: Header[] = [...place.headers, ['Content-Type', type]]
    const body = bodyOf(random, boundary.replaceAll('"', ''))
    return oneRequest(
      `${type.slice(0, 60)} to ${place.target}: ${JSON.stringify(body.slice(0, 80))}`,
      { ...place, method: 'POST', headers, body },
      ['2xx', '3xx', '4xx'],
    )
  },
}

const noBoundary: CaseMaker = {
  name: 'forms without a boundary',
  make(random, arsenal) {
    const place = placeOf(random.pick(['page', 'no-page', 'action', 'form', 'upload', 'auth'] as const), random, arsenal)
    const type = random.pick([
      'multipart/form-data',
      'multipart/form-data; boundary',
      'multipart/form-data; x=y',
      'multipart/form-data; boundary=a; boundary=b',
    ])
    const headers: Header[] = [...place.headers, ['Content-Type', type]]
    const body = random.pick(['', '--a\r\n\r\n', '--a--', 'x'])
    return oneRequest(`${type} to ${place.target}`, { ...place, method: 'POST', headers, body }, ['2xx', '3xx', '4xx'])
  },
}

const URL_ENCODED = [
  '',
  '=',
  '&',
  'a',
  '%',
  '%FF=%FF',
  'a=%00',
  '__proto__=1',
  'format=csv&format=csv',
  'a[b][c]=1',
  'csrfToken=&email=&password=',
  'callbackUrl=%2F%2Fevil.example',
  'callbackUrl=http%3A%2F%2Fevil.example',
  'callbackUrl=%',
  'json=true',
  `a=${'%41'.repeat(3_000)}`,
  'a=1&'.repeat(5_000),
] as const

const urlEncoded: CaseMaker = {
  name: 'forms in one line',
  make(random, arsenal) {
    const body = random.pick(URL_ENCODED)
    const place = placeOf(random.pick(['page', 'no-page', 'action', 'form', 'upload', 'auth'] as const), random, arsenal)
    const headers: Header[] = [...place.headers, ['Content-Type', 'application/x-www-form-urlencoded']]
    return oneRequest(
      `the form ${body.slice(0, 60)} to ${place.target}`,
      { ...place, method: 'POST', headers, body },
      ['2xx', '3xx', '4xx'],
      {
        inspect: ([answer]) =>
          /^(?:https?:)?\/\/evil/.test(answer?.headers['location'] ?? '') ? 'the answer leads to an address of the attacker' : undefined,
      },
    )
  },
}

export const multipart: Family = { name: 'multipart', weight: 6, makers: [forms, forms, forms, noBoundary, urlEncoded] }
