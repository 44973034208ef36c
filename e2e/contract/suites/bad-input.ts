import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aRequest, BASE, call, countAll, expectError } from '#e2e/contract/partner-program.ts'
import type { ContractService } from '#e2e/contract/service.ts'
import { ENDPOINTS } from './identity.ts'

/** A valid body whose text is changed at `field`. */
function withText(field: string, text: string): string {
  return JSON.stringify(aRequest({ [field]: '@@' })).replace('"@@"', text)
}

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

const NAMED = withText('customerName', '"@"')
const [BEFORE_NAME = '', AFTER_NAME = ''] = NAMED.split('@')

const BAD_BODIES: [what: string, body: string | Uint8Array, status: number, message: RegExp][] = [
  ['nothing at all', '', 400, /empty/],
  ['spaces', '   ', 400, /not valid JSON/],
  ['half an object', '{"transferMethod":', 400, /not valid JSON/],
  ['a comma too many', '{"amount":1,}', 400, /not valid JSON/],
  ['single quotes', "{'amount':1}", 400, /not valid JSON/],
  ['two documents', `${JSON.stringify(aRequest())}{}`, 400, /not valid JSON/],
  ['a comment', '/* x */ {}', 400, /not valid JSON/],
  ['NaN', withText('amount', 'NaN'), 400, /not valid JSON/],
  ['a leading zero', withText('amount', '05000'), 400, /not valid JSON/],
  ['a number in hexadecimal', withText('amount', '0x10'), 400, /not valid JSON/],
  ['a plus sign', withText('amount', '+5'), 400, /not valid JSON/],
  ['a form', 'amount=5000', 400, /not valid JSON/],
  ['null', 'null', 400, /JSON object/],
  ['an array', '[]', 400, /JSON object/],
  ['a text', '"x"', 400, /JSON object/],
  ['a number', '5', 400, /JSON object/],
  ['nesting beyond 32', `{"x":${'['.repeat(40)}${']'.repeat(40)}}`, 400, /nested/],
  ['nesting to the limit of the body', '['.repeat(60_000), 400, /nested/],
  ['a repeated field', JSON.stringify(aRequest()).replace('{', '{"amount":1,'), 400, /amount must not be repeated/],
  ['a repeated field, once escaped', JSON.stringify(aRequest()).replace('{', '{"\\u0061mount":1,'), 400, /amount must not be repeated/],
  ['a lone surrogate, escaped', withText('customerName', '"\\ud800"'), 400, /surrogate/],
  ['a lone low surrogate, escaped', withText('customerName', '"x\\udc00"'), 400, /surrogate/],
  ['a lone surrogate in bytes', bytes(BEFORE_NAME, [0xed, 0xa0, 0x80], AFTER_NAME), 400, /UTF-8/],
  ['a NUL, escaped', withText('customerName', '"a\\u0000b"'), 400, /customerName must not contain NUL/],
  ['a NUL in an address', withText('webhookUrl', '"https://partner.invalid/\\u0000"'), 400, /webhookUrl must not contain NUL/],
  ['a NUL in bytes', bytes(BEFORE_NAME, [0], AFTER_NAME), 400, /control character/],
  ['Latin-1 bytes', bytes(BEFORE_NAME, [0xe9], AFTER_NAME), 400, /UTF-8/],
  ['an overlong encoding', bytes(BEFORE_NAME, [0xc0, 0xaf], AFTER_NAME), 400, /UTF-8/],
  ['UTF-16', Buffer.from(JSON.stringify(aRequest()), 'utf16le'), 400, /JSON/],
  ['1e400', withText('amount', '1e400'), 400, /amount must be/],
  ['1e-400', withText('amount', '1e-400'), 400, /amount must be/],
  ['a billion digits of exponent', withText('amount', '1e999999999'), 400, /amount must be/],
  ['-0', withText('amount', '-0'), 400, /amount must be/],
  ['0.0', withText('amount', '0.0'), 400, /amount must be/],
  ['0.001', withText('amount', '0.001'), 400, /amount must be/],
  ['a hair above the largest', withText('amount', '9999999999.991'), 400, /amount must be/],
  ['what a float would round to 0.1', withText('amount', '0.1000000000000000055'), 400, /amount must be/],
  ['a number of 60,000 digits', withText('amount', '9'.repeat(60_000)), 400, /amount must be/],
  ['a text where a number belongs', withText('amount', '"5000"'), 400, /amount must be/],
  ['more than 64 KB', JSON.stringify(aRequest({ note: 'x'.repeat(66_000) })), 413, /65536/],
  ['a megabyte', 'x'.repeat(1_000_000), 413, /65536/],
]

/** Bad input: a clear error in the five fields, never a 5xx, never a hang, nothing written. */
export function describeBadInput(service: () => ContractService): void {
  describe('bad input', () => {
    for (const [what, body, status, message] of BAD_BODIES) {
      test(`${status} for a body that is ${what}`, async () => {
        const before = await countAll(service())
        for (const endpoint of ['collect', 'deposit']) {
          assert.match(expectError(await call(service(), service().partner, endpoint, { body }), status, `${BASE}/${endpoint}`), message)
        }
        if (status === 400) expectError(await call(service(), service().partner, 'depositMultiple', { body }), 400)
        assert.equal(await countAll(service()), before)
      })
    }

    test('200 with repeated names, NUL and __proto__ in unknown fields, which are ignored', async () => {
      for (const extra of [
        '"x":"\\u0000",',
        '"x\\u0000":1,',
        '"x":1,"x":2,',
        '"x":{"amount":1,"amount":2},',
        '"__proto__":{"amount":1},',
        '"x":{"__proto__":[]},',
      ]) {
        const body = JSON.stringify(aRequest()).replace('{', `{${extra}`)
        const answer = await call(service(), service().partner, 'collect', { body })
        assert.equal(answer.status, 200, `${extra} ${answer.text}`)
        assert.equal((answer.json as { amount: number }).amount, 5000)
      }
    })

    test('400 without a body, with and without a content type', async () => {
      const before = await countAll(service())
      for (const path of ['collect', 'deposit', 'depositMultiple', '/public/access_token', '/public/refresh_token']) {
        for (const contentType of ['application/json', 'text/plain', undefined])
          assert.match(
            expectError(await call(service(), service().partner, path, { headers: { 'Content-Type': contentType } }), 400),
            /empty/,
            `${path} ${contentType}`,
          )
      }
      assert.equal(await countAll(service()), before)
    })

    test('415 for content types other than JSON in UTF-8, and for compressed bodies', async () => {
      const before = await countAll(service())
      for (const contentType of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/json; charset=iso-8859-1',
        'application/jsonp',
        'json',
        '',
      ]) {
        expectError(
          await call(service(), service().partner, 'collect', {
            body: JSON.stringify(aRequest()),
            headers: { 'Content-Type': contentType },
          }),
          415,
        )
      }
      expectError(
        await call(service(), service().partner, 'collect', { body: JSON.stringify(aRequest()), headers: { 'Content-Encoding': 'gzip' } }),
        415,
      )
      assert.equal(await countAll(service()), before)
    })

    test('200 for every spelling of JSON in UTF-8', async () => {
      for (const contentType of [
        'application/json',
        'application/json; charset=utf-8',
        'application/json;charset=UTF-8',
        'APPLICATION/JSON; charset="utf-8"',
      ]) {
        assert.equal(
          (
            await call(service(), service().partner, 'collect', {
              body: JSON.stringify(aRequest()),
              headers: { 'Content-Type': contentType },
            })
          ).status,
          200,
          contentType,
        )
      }
    })

    for (const { name, method, query, body } of ENDPOINTS) {
      test(`405 from /${name} for other methods, with the methods that it allows`, async () => {
        const before = await countAll(service())
        for (const wrong of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => one !== method)) {
          const answer = await call(service(), service().partner, name, {
            method: wrong,
            query,
            body: wrong === 'GET' ? undefined : body?.(),
          })
          expectError(answer, 405, `${BASE}/${name}`)
          assert.equal(answer.headers.get('allow'), method === 'GET' ? 'GET, HEAD' : 'POST')
        }
        assert.equal(
          (await call(service(), service().partner, name, { method: wrongWithoutCredentials(method), headers: { apiKey: undefined } }))
            .status,
          405,
          'before the credentials',
        )
        assert.equal(await countAll(service()), before)
      })
    }

    test('200 without a body for HEAD on a reading endpoint, 405 for HEAD on a command', async () => {
      const read = await call(service(), service().partner, 'getByApplicationProductBalances', { method: 'HEAD' })
      assert.deepEqual([read.status, read.text], [200, ''])
      const command = await call(service(), service().partner, 'collect', { method: 'HEAD' })
      assert.deepEqual([command.status, command.text], [405, ''])
    })

    test('404 for unknown paths, also those that are nearly right, with and without credentials', async () => {
      const paths = [
        '/api/v1',
        '/api/v1/',
        '/api/v1/transaction',
        '/api/v1/transaction/',
        '/api/v1/transaction/nothing',
        '/api/v1/transaction/collect/',
        '/api/v1/transaction/Collect',
        '/api/v1/transaction/collect/x',
        '/api/v1/transaction//collect',
        '/api/v1/transaction/collect%2f',
        '/api/v1/transaction/%63ollect%00',
        '/api/v1/transaction/checkTransactionStatus',
        '/api/v1/other/collect',
        '/public',
        '/public/',
        '/public/accesstoken',
        '/public/access_token/',
      ]
      for (const path of paths) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          expectError(
            await call(service(), service().partner, path, { method, headers: { apiKey: method === 'POST' ? undefined : 'x' } }),
            404,
            path,
          )
        }
      }
    })

    test('400 for query strings that are broken, repeated, or contain a NUL', async () => {
      const { partner } = service()
      for (const query of [
        'page=0&size=10&size=20',
        'page=0&page=0&size=10',
        'page=%zz&size=10',
        'page=0&size=10&x=%ff',
        'page=0&size=10&x=%00',
        'page=0&size=10&x=%ed%a0%80',
      ]) {
        expectError(
          await call(service(), partner, 'getByApplicationProduct', { method: 'GET', query }),
          400,
          `${BASE}/getByApplicationProduct`,
        )
      }
      expectError(
        await call(service(), partner, 'rejectTransaction', {
          query: `checkerId=${crypto.randomUUID()}&transactionId=${crypto.randomUUID()}&reason=a%00b`,
        }),
        400,
      )
    })

    test('404 and 400 as without a body, at an endpoint that reads none', async () => {
      const id = crypto.randomUUID()
      expectError(await call(service(), service().partner, 'transaction-status', { query: { id }, body: '{broken' }), 404)
      expectError(await call(service(), service().partner, 'transaction-status', { body: JSON.stringify({ id }) }), 400)
    })
  })
}

function wrongWithoutCredentials(method: string): string {
  return method === 'GET' ? 'POST' : 'GET'
}
