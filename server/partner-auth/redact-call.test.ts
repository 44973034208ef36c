import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHeaders, hideValues, redactBody, redactQuery } from './redact-call.ts'

for (const [title, body, expected] of [
  ['a field that is named like one', '{"apiPassword":"p","amount":5000.10}', '{"apiPassword":"***","amount":5000.10}'],
  ['a field whose name is written with an escape', '{"pass\\u0077ord": "p"}', '{"pass\\u0077ord": "***"}'],
  ['a text with an escaped quote', '{"secret":"a\\"b","note":"x"}', '{"secret":"***","note":"x"}'],
  ['a number', '{"otp": 123456}', '{"otp": "***"}'],
  ['a text that is cut off', '{"access_token":"eyJhbGciOi', '{"access_token":"***"'],
  ['one of our keys in any field', '{"note":"csk_abc-DEF_9 is mine"}', '{"note":"csk_*** is mine"}'],
  ['a signed token in text that is not JSON', 'Bearer eyJhbGciOi.eyJzdWIi.c2ln', 'Bearer eyJ***'],
  [
    'the secrets of a webhook address',
    '{"webhookUrl":"https://u:p@a.example/h?token=t&x=1"}',
    '{"webhookUrl":"https://a.example/h?token=***&x=1"}',
  ],
] as const) {
  test(`hidden in a body: ${title}`, () => {
    assert.equal(redactBody(body, false), expected)
  })
}

test('unchanged, with its blanks and digits: a body without credentials', () => {
  const body = '{ "payToken":"3f2a", "token_type":"Bearer",\n "amount": 5000.00, "webhookUrl":"https://a.example/h" '
  assert.equal(redactBody(body, false), body)
})

test('only the user name and the names of fields are kept of a body that a password is read from', () => {
  assert.equal(
    redactBody('{"username":"a@b.example","passwrod":"p","x":{"y":"z"}}', true),
    '{"username":"a@b.example","passwrod":"***","x":"***"}',
  )
  for (const body of ['username=a&password=p', '["p"]', '"p"', '{"password":"p']) assert.equal(redactBody(body, true), '***')
  assert.equal(redactBody('', true), '')
})

test('hidden in a query: parameters that are named like a credential, and our keys', () => {
  assert.equal(
    redactQuery('id=1&access%5Ftoken=a&p%61ssword=d&apiKey=b&c=csk_d'),
    'id=1&access%5Ftoken=***&p%61ssword=***&apiKey=***&c=csk_***',
  )
  assert.equal(redactQuery(''), '')
})

test('hidden in headers: every credential, and every header that is not known to be none', () => {
  const headers: Record<string, string> = {
    'user-agent': 'acme/1',
    apikey: 'csk_abcdefghijkl',
    apiid: '7d0c',
    authorization: 'Bearer eyJa.b.c',
    cookie: 'session=s',
    'x-amz-security': 's',
  }
  const shown = describeHeaders((name) => headers[name], 'csk_abcdefgh')
  assert.equal(shown, 'apiid: 7d0c\nuser-agent: acme/1\napikey: csk_abcdefgh…\nauthorization: Bearer ***')
  assert.equal(
    describeHeaders((name) => ({ apikey: 'unknown', authorization: 'eyJhbGci' })[name], undefined),
    'apikey: ***\nauthorization: ***',
  )
})

test('hidden within milliseconds: credentials in sixteen kilobytes of quotes, backslashes and blanks', () => {
  const hostile = ['"', '\\', '"a":', '"a" ', '"\\', ' ', 'eyJ.', '":"'].map((text) => text.repeat(16_384).slice(0, 16_384))
  const startedMs = performance.now()
  for (const text of hostile) {
    redactBody(text, false)
    hideValues(text)
  }
  assert.ok(performance.now() - startedMs < 1_000, `${performance.now() - startedMs} ms`)
})
