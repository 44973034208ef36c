import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { placeOf } from '#e2e/attack/targets.ts'
import { credentials, type Header, JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import { objectText, TRANSACTION_PATH, transfer } from './transfers.ts'

const compressed: CaseMaker = {
  name: 'a compressed transfer',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const text = Buffer.from(objectText(fields))
    const [encoding, body] = random.pick([
      ['gzip', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['gzip', text],
      ['gzip, gzip', gzipSync(gzipSync(text))],
      ['zstd', text],
      ['unknown', text],
      ['GZIP', gzipSync(text)],
      ['gzip', gzipSync(text).subarray(0, 20)],
    ] as const)
    const headers: Header[] = [...credentials(arsenal), JSON_CONTENT, ['Content-Encoding', encoding]]
    return oneRequest(
      `a transfer with Content-Encoding ${encoding}`,
      { method: 'POST', target: `${TRANSACTION_PATH}/collect`, headers, body },
      [400, 415],
      {
        starts: [fields.id],
      },
    )
  },
}

// 20 MB of spaces in about 20 KB.
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '))

const bomb: CaseMaker = {
  name: 'a body that grows when it is unpacked',
  make(random, arsenal) {
    const place = placeOf(
      random.pick(['start', 'v2-start', 'token', 'auth', 'action', 'callback', 'pay-form', 'page'] as const),
      random,
      arsenal,
    )
    const headers: Header[] = [...place.headers, JSON_CONTENT, ['Content-Encoding', 'gzip']]
    return oneRequest(`20 MB as gzip to ${place.target}`, { ...place, method: 'POST', headers, body: BOMB }, ['2xx', '3xx', '4xx'])
  },
}

const CODINGS = [
  'gzip',
  'deflate',
  'gzip, chunked',
  'br',
  'compress',
  'identity',
  'trailers',
  '',
  'chunked;q=1',
  'Chunked ',
  'chunked, chunked',
] as const

const transferCodings: CaseMaker = {
  name: 'transfer codings',
  make(random, arsenal) {
    const coding = random.pick(CODINGS)
    const place = placeOf(
      random.pick(['start', 'v2-start', 'token', 'page', 'auth', 'open', 'pay', 'reference'] as const),
      random,
      arsenal,
      true,
    )
    const headers: Header[] = [...place.headers, JSON_CONTENT, ['Transfer-Encoding', coding]]
    return oneRequest(
      `Transfer-Encoding: ${coding} to ${place.target}`,
      { ...place, method: 'POST', headers, body: '2\r\n{}\r\n0\r\n\r\n', length: 'none' },
      ['2xx', '3xx', '4xx'],
      {
        answersMax: 2,
      },
    )
  },
}

const CHARSETS = ['utf-16', 'utf-16le', 'utf-32', 'utf-7', 'iso-8859-1', 'windows-1252', 'shift_jis', 'x', ''] as const

const charsets: CaseMaker = {
  name: 'another character set',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const charset = random.pick(CHARSETS)
    const body = charset.startsWith('utf-16') ? Buffer.from(objectText(fields), 'utf16le') : Buffer.from(objectText(fields))
    const headers: Header[] = [...credentials(arsenal), ['Content-Type', `application/json; charset=${charset}`]]
    return oneRequest(`charset=${charset}`, { method: 'POST', target: `${TRANSACTION_PATH}/collect`, headers, body }, [400, 415], {
      starts: [fields.id],
    })
  },
}

const ACCEPTS = ['', '*', 'text/html', 'application/xml', 'x', 'a/b;q=', ';', 'application/json;q=0', ', ,'] as const

const accepts: CaseMaker = {
  name: 'Accept and its relatives',
  make(random, arsenal) {
    const place = placeOf(
      random.pick(['query', 'v2-query', 'page', 'data', 'file', 'open', 'pay', 'reference', 'no-page', 'auth'] as const),
      random,
      arsenal,
    )
    const name = random.pick(['Accept', 'Accept-Encoding', 'Accept-Charset', 'Accept-Language', 'TE'])
    const headers: Header[] = [...place.headers, [name, random.pick(ACCEPTS)]]
    return oneRequest(`${name} to ${place.target}`, { ...place, headers, ...(place.method === 'POST' && { body: '' }) }, [
      '2xx',
      '3xx',
      '4xx',
    ])
  },
}

export const encodings: Family = { name: 'encodings', weight: 4, makers: [compressed, bomb, transferCodings, charsets, accepts] }
