import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paths } from '#lib/pages/paths.ts'
import { safeNext } from './sign-in.ts'

test('/ for addresses of other sites', () => {
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '', undefined, ['/a'], '/a\nb'])
    assert.equal(safeNext(next), '/')
  assert.equal(safeNext('/kora/approvals?queue=mine'), '/kora/approvals?queue=mine')
})

const SITE = 'https://pay.example.com'

/** Pieces from which addresses of other sites are put together, also as a browser or Next decodes them once or twice. */
const PIECES = ['/', '//', '\\', '.', '..', '%2e', '%2E', '%252e', '%2f', '%252F', '%5c', '%255C', '%09', '%0a', '%00', '%2500', '%7f', '%']
const WORDS = ['evil.example', 'kora', 'https:', 'javascript:', '@', '?', '&', '=', '#', '\t', '\n', '\0', '\u2028', ' ', ';', 'é']

test('/ for every address that a browser, decoding it once or more often, could take for another site', () => {
  const tricky = fc.array(fc.constantFrom(...PIECES, ...WORDS), { minLength: 1, maxLength: 8 }).map((parts) => `/${parts.join('')}`)
  fc.assert(
    fc.property(fc.oneof(tricky, fc.string({ unit: 'binary' }), fc.webUrl()), (next) => {
      let address = safeNext(next)
      assert.ok(address === '/' || address === next)
      for (let reading = 0; reading < 3; reading++) {
        const url = new URL(address, SITE)
        assert.equal(url.origin, SITE)
        // A reader of the path of that URL as an address must come to the same place.
        assert.equal(new URL(url.pathname, SITE).href, `${SITE}${url.pathname}`)
        address = decodeURIComponent(url.pathname)
      }
    }),
    { numRuns: 5_000 },
  )
})

test('/ for empty and dot segments, backslashes and control characters anywhere, also encoded once or twice', () => {
  for (const next of [
    '/.//evil.example/x',
    '/kora//x',
    '/kora/../x',
    '/kora/.',
    '/./kora',
    '/kora/%2e%2e/x',
    '/kora/%252E%252e//x',
    '/kora/%2fevil.example',
  ])
    assert.equal(safeNext(next), '/', next)
  for (const next of [
    '/%5cevil.example',
    '/%255Cevil.example',
    '/kora%09',
    '/kora%250a',
    '/kora%00',
    '/kora?q=%00',
    '/kora?q=%0d%0aX',
    '/kora%7f',
    '/%',
    '/%FF',
  ])
    assert.equal(safeNext(next), '/', next)
})

test('/ for addresses that are not pages', () => {
  for (const next of [
    '/api/auth/signin?callbackUrl=https://evil.example',
    '/api',
    '/%61pi/auth/signout',
    '/_next/static/x',
    '/public/access_token',
  ])
    assert.equal(safeNext(next), '/', next)
})

test('the same address for every address that the pages build', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aé日 %&?=/+.:@#\\"', "'") })
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), fc.uuid(), text, (application, id, typed) => {
      fc.pre(application !== 'api' && application !== 'public')
      for (const address of [
        paths.overview(application),
        paths.transaction(application, id),
        paths.transactions(application, { name: typed, status: ['SUCCESS', 'FAILED'], webhookTarget: 'https://partner.example:8443' }),
        paths.search(application, typed),
      ])
        assert.equal(safeNext(address), address)
    }),
  )
})

test('the same address for one of 4,096 characters, / for a longer one', () => {
  const address = `/kora/search?q=${'x'.repeat(4_081)}`
  assert.deepEqual([address.length, safeNext(address), safeNext(`${address}x`)], [4_096, address, '/'])
})

test('/ for characters that an address of ours percent-encodes, wherever they are', () => {
  for (const character of [' ', '"', '<', '>', '^', '`', '{', '|', '}', '#', ';', '[', ']', 'é', '日'])
    for (const address of [`/kora${character}`, `/kora${character}/totals`, `/kora?q=${character}`])
      assert.equal(safeNext(address), '/', address)
})
