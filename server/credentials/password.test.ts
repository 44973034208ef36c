import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '@node-rs/argon2'
import { createBoundedCache, createPasswordHasher, createVerifiedPasswordCache } from './password.ts'

/** A hasher at the cost of production that notes what it compared with. */
function observedHasher() {
  const compared: string[] = []
  const hasher = createPasswordHasher(undefined, (passwordHash, password) => {
    compared.push(String(passwordHash))
    return verify(passwordHash, password)
  })
  return { ...hasher, compared }
}

/** The part of an argon2 text that decides what a comparison costs. */
function costOf(passwordHash: string): string {
  return passwordHash.split('$').slice(0, 4).join('$')
}

test('true for the password that was hashed', async () => {
  const { hashPassword, isPasswordRight } = observedHasher()
  assert.equal(await isPasswordRight(await hashPassword('correct horse'), 'correct horse'), true)
})

test('false for an unknown person, after one comparison that costs as much as that of a known person', async () => {
  const { hashPassword, isPasswordRight, compared } = observedHasher()
  const passwordHash = await hashPassword('correct horse')
  assert.equal(await isPasswordRight(passwordHash, 'wrong'), false)
  assert.equal(await isPasswordRight(undefined, 'wrong'), false)
  assert.deepEqual(compared.map(costOf), [costOf(passwordHash), costOf(passwordHash)])
})

test('false for a password of more than 1,024 characters, after one comparison', async () => {
  const { hashPassword, isPasswordRight, compared } = observedHasher()
  const long = 'x'.repeat(1_025)
  assert.equal(await isPasswordRight(await hashPassword(long.slice(1)), long), false)
  assert.equal(compared.length, 1)
})

test('remembered for an hour to the millisecond: the stored hash that a name and password were right for, and no other pair', () => {
  let nowMs = Date.parse('2026-11-23T10:00:00Z')
  const recall = createVerifiedPasswordCache({ now: () => new Date(nowMs) })
  assert.equal(recall('program', 'right').hash, undefined)
  recall('program', 'right').remember('its hash')
  assert.deepEqual(
    [recall('program', 'right').hash, recall('program', 'wrong').hash, recall('other', 'right').hash, recall('programright', '').hash],
    ['its hash', undefined, undefined, undefined],
  )
  nowMs += 3_600_000 - 1
  assert.equal(recall('program', 'right').hash, 'its hash')
  nowMs += 1
  assert.equal(recall('program', 'right').hash, undefined)
})

test('forgotten first: what was used longest ago, once there are more entries than the cache may hold', () => {
  const cache = createBoundedCache<string, number>(2)
  cache.set('one', 1)
  cache.set('two', 2)
  cache.get('one')
  cache.set('three', 3)
  assert.deepEqual(
    ['one', 'two', 'three'].map((key) => cache.get(key)),
    [1, undefined, 3],
  )
  cache.set('one', 11)
  cache.set('four', 4)
  assert.deepEqual(
    ['one', 'three', 'four'].map((key) => cache.get(key)),
    [11, undefined, 4],
  )
  cache.delete('one')
  assert.equal(cache.get('one'), undefined)
})
