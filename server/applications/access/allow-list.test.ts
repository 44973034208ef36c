import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAllowList, parseNetwork } from './allow-list.ts'

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const toNumber = (parts: readonly number[]): number => parts.reduce((sum, part) => sum * 256 + part, 0)
const toText = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

test('false for every address with an empty list', () => {
  for (const address of ['127.0.0.1', '::1', '192.0.2.1', '', 'nonsense']) assert.equal(createAllowList([]).admits(address), false)
})

test('true exactly for the addresses whose leading bits are those of the network', () => {
  fc.assert(
    fc.property(octets, fc.nat(32), octets, fc.boolean(), (base, length, other, isNear) => {
      const size = 2 ** (32 - length)
      const start = Math.floor(toNumber(base) / size) * size
      // Half of the addresses are taken from around the edges, where mistakes live.
      const address = isNear
        ? Math.min(2 ** 32 - 1, Math.max(0, start - 2 + (toNumber(other) % (Math.min(size, 1_000) + 4))))
        : toNumber(other)
      const list = createAllowList([`${toText(start)}/${length}`])
      const expected = address >= start && address < start + size
      assert.equal(list.admits(toText(address)), expected)
      assert.equal(list.admits(`::ffff:${toText(address)}`), expected)
      assert.equal(list.admits(toText(address)), expected)
    }),
    { numRuns: 1_000 },
  )
})

test('the same text for a canonical spelling', () => {
  const network = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.tuple(fc.ipV4(), fc.nat(32)).map(([ip, n]) => `${ip}/${n}`),
    fc.tuple(fc.ipV6(), fc.nat(128)).map(([ip, n]) => `${ip}/${n}`),
  )
  fc.assert(
    fc.property(network, (text) => {
      const parsed = parseNetwork(text)
      if (parsed.ok) assert.deepEqual(parseNetwork(parsed.value), parsed)
      if (parsed.ok && !text.includes('/')) assert.ok(createAllowList([parsed.value]).admits(text))
    }),
    { numRuns: 1_000 },
  )
})

test('true for IPv4 written as IPv6 in an IPv4 network; false for IPv4 in an IPv6 network', () => {
  assert.deepEqual(parseNetwork('::ffff:192.0.2.7'), { ok: true, value: '192.0.2.7' })
  assert.deepEqual(parseNetwork('::ffff:10.0.0.0/104'), { ok: true, value: '10.0.0.0/8' })
  assert.deepEqual(parseNetwork('2001:DB8:0::/32'), { ok: true, value: '2001:db8::/32' })
  assert.deepEqual(parseNetwork(' 10.0.0.1/32 '), { ok: true, value: '10.0.0.1' })
  assert.equal(createAllowList(['::/0']).admits('192.0.2.7'), false)
  assert.equal(createAllowList(['0.0.0.0/0']).admits('2001:db8::1'), false)
  assert.equal(createAllowList(['fe80::/10']).admits('fe80::1%eth0'), true)
})

test('not_a_network and host_bits_set for text that is probably a mistake', () => {
  for (const text of [
    '',
    'localhost',
    '10.1',
    '010.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '10.0.0.256',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::1/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/64',
    '1.2.3.4\0',
  ]) {
    assert.deepEqual(parseNetwork(text), { ok: false, error: 'not_a_network' }, text)
  }
  assert.deepEqual(parseNetwork('10.0.0.5/8'), { ok: false, error: 'host_bits_set' })
  assert.deepEqual(parseNetwork('2001:db8::1/64'), { ok: false, error: 'host_bits_set' })
})

test('true for one address alone and not for its neighbours, in each family and with the widest and the narrowest length', () => {
  for (const [network, inside, outside] of [
    ['192.0.2.7', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8', '192.0.3.7']],
    ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.6']],
    ['2001:db8::7', ['2001:db8::7', '2001:DB8:0::7'], ['2001:db8::6', '2001:db8::8', '2001:db8:1::7', '2001:db8::1:0:0:7']],
    ['2001:db8::7/128', ['2001:db8::7'], ['2001:db8::6']],
    ['2001:db8::/127', ['2001:db8::', '2001:db8::1'], ['2001:db8::2']],
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['::']],
    ['::/0', ['::', 'ffff::'], ['0.0.0.0']],
  ] as const) {
    const { admits } = createAllowList([network])
    for (const address of inside) assert.equal(admits(address), true, `${address} in ${network}`)
    for (const address of outside) assert.equal(admits(address), false, `${address} in ${network}`)
  }
})

test('true for an address of any of several networks; a stored text that is none admits nobody', () => {
  const list = createAllowList(['nonsense', '10.0.0.5/8', '192.0.2.0/24', '198.51.100.0/24'])
  assert.deepEqual(
    ['10.0.0.5', '192.0.2.9', '198.51.100.9', '203.0.113.9', 'nonsense', ''].map((address) => list.admits(address)),
    [false, true, true, false, false, false],
  )
})
