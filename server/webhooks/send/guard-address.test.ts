import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressGuard, LOOPBACK_NETWORKS } from './connect-target.ts'

const SPECIAL = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::10.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:a00:1::',
  '2002:7f00:1::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '',
  'example.com',
  '1.2.3.4.5',
]

test('false for every special-purpose address, in every spelling', () => {
  const mayConnectTo = createAddressGuard([])
  assert.deepEqual(
    SPECIAL.filter((address) => mayConnectTo(address)),
    [],
  )
})

test('true for public addresses', () => {
  const mayConnectTo = createAddressGuard([])
  assert.deepEqual(
    ['8.8.8.8', '196.207.1.1', '2606:4700::1111', '2c0f:f248::1'].filter((address) => !mayConnectTo(address)),
    [],
  )
})

test('true for the addresses of an allowed network and no others', () => {
  const mayConnectTo = createAddressGuard([...LOOPBACK_NETWORKS, '10.20.0.0/16', '192.168.7.7'])
  for (const address of ['127.0.0.1', '127.9.8.7', '::1', '10.20.255.1', '192.168.7.7', '::ffff:10.20.0.1'])
    assert.equal(mayConnectTo(address), true, address)
  for (const address of ['10.21.0.1', '192.168.7.8', '169.254.169.254', 'fe80::1']) assert.equal(mayConnectTo(address), false, address)
})

test('an error for a network that is not in CIDR notation', () => {
  assert.throws(() => createAddressGuard(['10.0.0.0/33']), /10\.0\.0\.0\/33/)
})
