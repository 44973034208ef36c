import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttleAddress, throttleNetwork } from './address.ts'

test('one key per IPv4 address and per /64 of IPv6', () => {
  assert.equal(throttleAddress('::ffff:192.0.2.7'), throttleAddress('192.0.2.7'))
  assert.notEqual(throttleAddress('192.0.2.8'), throttleAddress('192.0.2.7'))
  assert.equal(throttleAddress('2001:db8:1:2::1'), throttleAddress('2001:db8:1:2:ffff::9'))
  assert.notEqual(throttleAddress('2001:db8:1:3::1'), throttleAddress('2001:db8:1:2::1'))
})

test('one network per IPv4 /24 and per IPv6 /48', () => {
  assert.equal(throttleNetwork('192.0.2.7'), throttleNetwork('::ffff:192.0.2.250'))
  assert.notEqual(throttleNetwork('192.0.3.7'), throttleNetwork('192.0.2.7'))
  assert.equal(throttleNetwork('2001:db8:1:2::1'), throttleNetwork('2001:db8:1:ffff::1'))
  assert.notEqual(throttleNetwork('2001:db8:2::1'), throttleNetwork('2001:db8:1::1'))
  assert.equal(throttleNetwork('nonsense'), 'unknown')
})
