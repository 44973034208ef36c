import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createPeerResolver, isPrivateAddress, normaliseAddress } from './peer-address.ts'

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
