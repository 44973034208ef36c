import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import type { HttpRuntime } from '../api/endpoint.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { healthReady, metrics } from './service.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

/** A request from this address. Nobody reads its body. */
function aRequest({
  from,
  authorization,
  isForwarded = false,
}: {
  from?: string
  authorization?: string
  isForwarded?: boolean
} = {}): ApiRequest {
  return {
    ...{ method: 'GET', path: '/metrics', search: '', headers: {}, peerAddress: from, isForwarded },
    header: (name) => (name === 'authorization' ? authorization : undefined),
    readBody: () => assert.fail('the body is not read'),
  }
}

const READERS: readonly [string, Parameters<typeof aRequest>[0], Partial<HttpRuntime['config']>][] = [
  ['200', { from: '127.0.0.1' }, {}],
  ['200', { from: '10.1.2.3' }, {}],
  ['403', { from: '203.0.113.9' }, {}],
  ['403', {}, {}],
  ['403', { from: '127.0.0.1', isForwarded: true }, {}],
  ['200', { from: '10.1.2.3', isForwarded: true }, { trustedProxies: ['127.0.0.1'] }],
  ['403', { from: '203.0.113.9', isForwarded: true }, { trustedProxies: ['127.0.0.1'] }],
  ['200', { from: '203.0.113.9', isForwarded: true, authorization: 'Bearer right' }, { metricsToken: 'right' }],
  ['200', { from: '203.0.113.9', authorization: 'bearer  right ' }, { metricsToken: 'right' }],
  ['401', { from: '127.0.0.1' }, { metricsToken: 'right' }],
  ['401', { from: '127.0.0.1', authorization: 'Bearer wrong' }, { metricsToken: 'right' }],
  ['401', { from: '127.0.0.1', authorization: 'Bearer right left' }, { metricsToken: 'right' }],
  ['401', { from: '127.0.0.1', authorization: 'Basic Bearer right' }, { metricsToken: 'right' }],
]

const NO_TRACE = { applicationId: undefined, owner: undefined }

for (const [expected, caller, config] of READERS) {
  test(`${expected} for the metrics to ${JSON.stringify(caller)} with ${JSON.stringify(config)}`, async () => {
    const runtime = { ...harness.runtime, config: { trustedProxies: [], metricsToken: undefined, isSandbox: false, ...config } }
    const answer = await metrics.respond(runtime, aRequest(caller), NO_TRACE)
    assert.equal(String(answer.ok ? answer.value.status : answer.error.status), expected)
  })
}

test('one commit for all who ask at once whether the process is ready, with one answer', async () => {
  const gate = Promise.withResolvers<void>()
  let commits = 0
  const pool = new Proxy(harness.runtime.pool, {
    get: (target, name) =>
      name === 'query'
        ? async () => {
            commits++
            await gate.promise
          }
        : Reflect.get(target, name),
  })
  const runtime = { ...harness.runtime, pool }
  const answers = Array.from({ length: 10 }, () => healthReady.respond(runtime, aRequest(), NO_TRACE))
  gate.resolve()
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ ok }) => ok)), new Set([true]))
  assert.equal(commits, 1)
})
