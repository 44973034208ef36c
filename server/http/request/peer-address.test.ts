import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cleanForNext, createPeerResolver, forwardedFor, isForwarded, isPrivateAddress, normaliseAddress } from './peer-address.ts'

test('the socket’s address without trusted proxies, regardless of the header', () => {
  const peers = createPeerResolver([])
  fc.assert(fc.property(fc.string(), (header) => peers.resolve('203.0.113.9', header) === '203.0.113.9'))
  assert.equal(peers.resolve('::ffff:203.0.113.9', '10.0.0.1'), '203.0.113.9')
  assert.equal(peers.resolve(undefined, '10.0.0.1'), undefined)
})

test('the first untrusted address from the right behind trusted proxies', () => {
  const peers = createPeerResolver(['10.0.0.0/8', '2001:db8::1', '192.0.2.1'])
  const cases: [socket: string | undefined, header: string | undefined, expected: string | undefined][] = [
    ['10.0.0.5', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.5', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.5', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.5', '198.51.100.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['10.0.0.5', '1.1.1.1,203.0.113.9,192.0.2.1,10.0.0.7', '203.0.113.9'],
    ['2001:db8::1', '2001:DB8:0::77', '2001:db8::77'],
    ['10.0.0.5', undefined, '10.0.0.5'],
    ['10.0.0.5', '10.1.1.1', '10.1.1.1'],
    ['203.0.113.50', '198.51.100.1', '203.0.113.50'],
    ['10.0.0.5', 'unknown', undefined],
    ['10.0.0.5', '203.0.113.9, _hidden', undefined],
    ['10.0.0.5', '203.0.113.9:443', undefined],
    [undefined, '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    [undefined, undefined, undefined],
  ]
  for (const [socket, header, expected] of cases) assert.equal(peers.resolve(socket, header), expected, `${socket} | ${header}`)
})

test('the caller’s own address, regardless of what it writes, as long as the proxy appends it', () => {
  const peers = createPeerResolver(['10.0.0.0/8'])
  fc.assert(fc.property(fc.string(), (forged) => peers.resolve('10.0.0.5', `${forged}, 203.0.113.9`) === '203.0.113.9'))
})

test('one spelling for each address', () => {
  for (const [written, usual] of [
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:DB8::0001', '2001:db8::1'],
    ['192.0.2.1', '192.0.2.1'],
    ['::1', '::1'],
  ] as const) {
    assert.equal(normaliseAddress(written), usual)
  }
})

test('true for this machine and its own network only', () => {
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '192.168.1.1', '172.16.0.1', 'fe80::1', 'fd00::1', '169.254.1.1'])
    assert.ok(isPrivateAddress(address), address)
  for (const address of ['203.0.113.9', '8.8.8.8', '2001:db8::1', '100.64.0.1', 'unknown', ''])
    assert.ok(!isPrivateAddress(address), address)
})

test('true for a request with either header of a proxy, trusted or not, and with no other', () => {
  for (const [headers, expected] of [
    [{ 'x-forwarded-for': '192.0.2.1' }, true],
    [{ forwarded: 'for=192.0.2.1' }, true],
    [{ 'x-forwarded-for': '', forwarded: '' }, true],
    [{ 'x-forwarded-host': 'office.example', 'x-real-ip': '192.0.2.1' }, false],
    [{}, false],
  ] as const)
    assert.equal(isForwarded(headers), expected, JSON.stringify(headers))
})

test('no header for Next that only Next may set, nor one of a proxy unless the proxy is trusted', () => {
  const own = ['x-middleware-rewrite', 'x-invoke-path', 'x-matched-path', 'x-now-route-matches', 'next-resume']
  const proxy = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-real-ip']
  const others = ['host', 'cookie', 'rsc', 'next-action', 'next-router-prefetch', 'x-matched-pathway', 'y-middleware-x', 'next-resumed']
  for (const isTrusted of [true, false]) {
    const headers = Object.fromEntries([...own, ...proxy, ...others].map((name) => [name, 'x']))
    cleanForNext(headers, isTrusted)
    assert.deepEqual(Object.keys(headers).toSorted(), [...(isTrusted ? proxy : []), ...others].toSorted())
  }
})

test('512 characters of the name of a browser for Next, and a shorter name as it is', () => {
  for (const [length, kept] of [
    [512, 512],
    [513, 512],
    [0, 0],
  ] as const) {
    const headers = { 'user-agent': 'x'.repeat(length) }
    cleanForNext(headers, true)
    assert.equal(headers['user-agent'].length, kept)
  }
})

test('one list for a header that came as several lines', () => {
  assert.equal(forwardedFor({ 'x-forwarded-for': '192.0.2.1, 192.0.2.2' }), '192.0.2.1, 192.0.2.2')
  // Node joins the lines of this header; other hosts may not.
  assert.equal(forwardedFor(Object.assign({}, { 'x-forwarded-for': ['192.0.2.1', '192.0.2.2'] })), '192.0.2.1,192.0.2.2')
  assert.equal(forwardedFor({}), undefined)
})

test('trusted: an address of a trusted network in either spelling, and nothing without one', () => {
  const peers = createPeerResolver(['10.0.0.0/8', '2001:db8::1'])
  const addresses = ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '11.0.0.1', '2001:db8::2', 'unknown', undefined]
  assert.deepEqual(
    addresses.map((address) => peers.isTrusted(address)),
    [true, true, true, false, false, false, false],
  )
  assert.equal(createPeerResolver([]).isTrusted('10.1.2.3'), false)
})
