import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '@node-rs/argon2'
import { createPasswordHasher } from './password.ts'

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
