import assert from 'node:assert/strict'
import { test } from 'node:test'
import { err, ok, type Result } from '#lib/result.ts'
import type { ApiRequest, BodyProblem } from '../request/api-request.ts'
import { addressOwner, readJsonBody, refuseBody, refuseType } from './read-json-body.ts'

const headersOf = (headers: Record<string, string>) => (name: string) => headers[name]
const typeOf = (contentType: string) => refuseType({ header: headersOf({ 'content-type': contentType }) })?.status

test('accepted: JSON alone or in UTF-8, in any case and with spaces', () => {
  for (const contentType of [
    'application/json',
    'Application/JSON',
    ' application/json ',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8;',
    'application/json ; charset = "UTF8" ',
    'application/json;',
  ])
    assert.equal(typeOf(contentType), undefined, contentType)
})

test('415 for every other content type, charset and parameter', () => {
  for (const contentType of [
    '',
    'text/json',
    'application/json+ld',
    'application/problem+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json; =utf-8',
    'application/json; charset=utf-8; version=1',
    'application/json; xcharset=utf-8',
    'application/json, application/json',
  ])
    assert.equal(typeOf(contentType), 415, contentType)
})

test('415 for a body that is encoded; identity says that it is not', () => {
  const encoded = (encoding: string) =>
    refuseType({ header: headersOf({ 'content-type': 'application/json', 'content-encoding': encoding }) })?.status
  assert.deepEqual(['identity', ' Identity ', 'gzip', '', 'identity, gzip'].map(encoded), [undefined, undefined, 415, 415, 415])
})

const JSON_HEADERS = { 'content-type': 'application/json' }

/** A request whose body is this text, or cannot be read; what was asked of its reader is in `reads`. */
function aRequest(body: Result<string, BodyProblem>, headers: Record<string, string> = JSON_HEADERS, peerAddress?: string) {
  const reads: unknown[] = []
  const request: ApiRequest = {
    ...{ method: 'POST', path: '/', search: '', headers, peerAddress, isForwarded: false, header: headersOf(headers) },
    async readBody(bytesMax, owner) {
      reads.push([bytesMax, owner])
      return body.ok ? ok(Buffer.from(body.value)) : body
    },
  }
  return { reads, read: () => readJsonBody(request, 77, addressOwner(request)) }
}

test('the value of a body, read within its limit and counted on the address of its caller', async () => {
  for (const [address, id] of [
    ['192.0.2.1', '192.0.2.1'],
    [undefined, 'unknown'],
  ] as const) {
    const { read, reads } = aRequest(ok('{"a":["b"]}'), JSON_HEADERS, address)
    assert.deepEqual(await read(), { ok: true, value: { a: ['b'] } })
    assert.deepEqual(reads, [[77, { kind: 'address', id }]])
  }
})

test('the value of a body that is large enough for a turn of its own', async () => {
  const text = JSON.stringify('x'.repeat(300 * 1024))
  assert.deepEqual(await aRequest(ok(text)).read(), { ok: true, value: JSON.parse(text) })
})

test('400 for a body that is empty or no JSON; 415 for a wrong type only where there is a body', async () => {
  const statusOf = async (body: string, headers?: Record<string, string>) => {
    const { read, reads } = aRequest(ok(body), headers)
    const answer = await read()
    return [answer.ok ? 200 : answer.error.status, reads.length]
  }
  assert.deepEqual(await statusOf(''), [400, 1])
  assert.deepEqual(await statusOf('{'), [400, 1])
  const plain = { 'content-type': 'text/plain' }
  assert.deepEqual(await statusOf('', plain), [400, 1])
  assert.deepEqual(await statusOf('{}', plain), [415, 1])
  // A length that is announced is enough: nothing is read.
  assert.deepEqual(await statusOf('{}', { ...plain, 'content-length': '2' }), [415, 0])
  assert.deepEqual(await statusOf('', { ...plain, 'content-length': '0' }), [400, 1])
})

for (const [problem, status, headers] of [
  ['too_large', 413, undefined],
  ['no_room', 503, { 'retry-after': '1' }],
  ['malformed', 400, undefined],
  ['too_slow', 408, { connection: 'close' }],
  ['aborted', 408, { connection: 'close' }],
] as const) {
  test(`${status} for a body that is ${problem}`, async () => {
    const refusal = refuseBody(problem, 77)
    assert.deepEqual([refusal.status, refusal.headers], [status, headers])
    assert.deepEqual(await aRequest(err(problem)).read(), { ok: false, error: refusal })
    assert.equal(refusal.message.includes('77'), problem === 'too_large')
  })
}

test('one owner for all addresses of a network of IPv6, and one for each address of IPv4', () => {
  const idOf = (peerAddress: string | undefined) => addressOwner({ peerAddress }).id
  assert.equal(idOf('2001:db8:1:1::1'), idOf('2001:db8:1:1:ffff::2'))
  assert.notEqual(idOf('2001:db8:1:1::1'), idOf('2001:db8:1:2::1'))
  assert.notEqual(idOf('203.0.113.9'), idOf('203.0.113.10'))
  assert.equal(idOf(undefined), 'unknown')
})
