import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

const callback = (method: string) =>
  fetch(`${harness.baseUrl}/operators/callback/OMCM`, { method, ...(method !== 'GET' && { body: '{}' }) })

for (const method of ['POST', 'PUT']) {
  test(`401 for a callback without a signature, by ${method}: it reaches the connector`, async () => {
    assert.equal((await callback(method)).status, 401)
  })
}

for (const method of ['GET', 'PATCH', 'DELETE']) {
  test(`405 with both methods for a callback by ${method}`, async () => {
    const response = await callback(method)
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST, PUT'])
  })
}
