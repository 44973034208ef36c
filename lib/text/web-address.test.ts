import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hideSecrets } from './web-address.ts'

test('the address without user name and password', () => {
  for (const address of [
    'https://kora:s3cret@partner.example/hooks?id=7',
    'https://s3cret@partner.example/hooks?id=7',
    'https://:s3cret@partner.example/hooks?id=7',
  ])
    assert.equal(hideSecrets(address), 'https://partner.example/hooks?id=7')
})

test('the name without the value of a parameter that is named like a secret, or looks like one', () => {
  const written: Record<string, string> = {
    'https://p.example/h?token=abc&order=12': 'https://p.example/h?token=***&order=12',
    'https://p.example/h?api_key=a%20b&X-Signature=1&apiKey=2': 'https://p.example/h?api_key=***&X-Signature=***&apiKey=***',
    'https://p.example/h?access_token=a&PASSWORD=b&sig=c&secret=d&auth=e&pwd=f':
      'https://p.example/h?access_token=***&PASSWORD=***&sig=***&secret=***&auth=***&pwd=***',
    'https://p.example/h?c=dGhpcyBpcyBhIHNlY3JldA': 'https://p.example/h?c=***',
    'https://p.example/h?shop=kora-stores&page=3&empty=': 'https://p.example/h?shop=kora-stores&page=3&empty=',
    'https://p.example/h?%74oken=abc': 'https://p.example/h?%74oken=***',
    'https://p.example/h?dGhpcyBpcyBhIHNlY3JldA': 'https://p.example/h?***',
    'https://p.example/h#s3cret': 'https://p.example/h',
  }
  for (const [address, expected] of Object.entries(written)) assert.equal(hideSecrets(address), expected)
})

test('the same address if it has no secrets', () => {
  for (const address of ['https://partner.example', 'http://127.0.0.1:4567/', 'https://partner.example/a%20b/c?order=12&time=10:20'])
    assert.equal(hideSecrets(address), address)
})

test('nothing of a text that is not an address', () => {
  for (const text of ['', 'kora:s3cret@host', 'https://', 'http://[', 'ftp://kora:s3cret@host/']) assert.equal(hideSecrets(text), '***')
})

test('no user name, password or token of any address is left', () => {
  const part = fc.stringMatching(/^[a-zA-Z0-9!*'.~_-]{20,40}$/)
  fc.assert(
    fc.property(part, part, part, part, (user, password, token, fragment) => {
      const shown = hideSecrets(`https://${user}:${password}@partner.example:8443/h?x=1&token=${token}#${fragment}`)
      assert.equal(shown, 'https://partner.example:8443/h?x=1&token=***')
    }),
  )
})
