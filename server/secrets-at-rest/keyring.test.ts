import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createKeyring, decodeSecretsKey, type SecretPlace } from './keyring.ts'

const newKey = () => randomBytes(32).toString('base64')
const PLACE: SecretPlace = { table: 'people', row: '7d4a', field: 'totp_secret' }
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

test('the secret for its sealed text, which names the key and differs each time', () => {
  const keyring = createKeyring({ current: newKey(), previous: [] })
  const [first, second] = [keyring.seal(PLACE, SECRET), keyring.seal(PLACE, SECRET)]
  assert.equal(keyring.open(PLACE, first), SECRET)
  assert.equal(keyring.open(PLACE, second), SECRET)
  assert.notEqual(first, second)
  assert.ok(first.startsWith(`sealed:1:${keyring.currentKeyId}:`))
  assert.ok(!first.includes(SECRET))
})

for (const [part, elsewhere] of [
  ['row', { ...PLACE, row: '7d4b' }],
  ['field', { ...PLACE, field: 'name' }],
  ['table', { ...PLACE, table: 'webhook_secrets' }],
] as const) {
  test(`thrown: a sealed secret that is opened in another ${part}`, () => {
    const keyring = createKeyring({ current: newKey(), previous: [] })
    assert.throws(() => keyring.open(elsewhere, keyring.seal(PLACE, SECRET)), /cannot be decrypted/)
  })
}

test('thrown: a sealed secret with any altered character', () => {
  const keyring = createKeyring({ current: newKey(), previous: [] })
  const sealed = keyring.seal(PLACE, SECRET)
  for (let index = 'sealed:1:'.length; index < sealed.length - 1; index++) {
    const altered = `${sealed.slice(0, index)}${sealed[index] === 'A' ? 'B' : 'A'}${sealed.slice(index + 1)}`
    assert.throws(() => keyring.open(PLACE, altered), Error, `character ${index}`)
  }
  for (const cut of ['sealed:1:', `sealed:1:${keyring.currentKeyId}:`, sealed.slice(0, -12)]) assert.throws(() => keyring.open(PLACE, cut))
})

test('the secret for a text that a previous key sealed; without that key an error names it', () => {
  const [old, current] = [newKey(), newKey()]
  const before = createKeyring({ current: old, previous: [] })
  const sealed = before.seal(PLACE, SECRET)
  const both = createKeyring({ current, previous: [old] })
  assert.equal(both.open(PLACE, sealed), SECRET)
  assert.ok(both.seal(PLACE, SECRET).startsWith(`sealed:1:${both.currentKeyId}:`))
  assert.throws(() => createKeyring({ current, previous: [] }).open(PLACE, sealed), new RegExp(`with the key ${before.currentKeyId}`))
})

test('neither key nor secret in an error of the ring', () => {
  const key = newKey()
  const keyring = createKeyring({ current: key, previous: [] })
  const sealed = keyring.seal(PLACE, SECRET)
  try {
    keyring.open({ ...PLACE, row: 'x' }, sealed)
    assert.fail('opened')
  } catch (error) {
    for (const hidden of [key, SECRET, sealed]) assert.ok(!String(error).includes(hidden))
  }
})

for (const [text, bytes] of [
  [Buffer.alloc(32, 7).toString('base64'), 32],
  [Buffer.alloc(32, 251).toString('base64url'), 32],
  [Buffer.alloc(48, 1).toString('base64'), 48],
  ['ab'.repeat(32), 32],
  ['ab'.repeat(31), undefined],
  [Buffer.alloc(31, 7).toString('base64'), undefined],
  ['correct horse battery staple correct horse battery staple', undefined],
  ['', undefined],
] as const) {
  test(`${bytes === undefined ? 'refused' : `${bytes} bytes`}: a key of ${text.length} characters (${text.slice(0, 4)}…)`, () => {
    assert.equal(decodeSecretsKey(text)?.length, bytes)
  })
}
