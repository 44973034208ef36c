import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codedErrorSchema } from '#lib/schemas/api/responses.ts'
import { type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'

let harness: HttpHarness
let nowMs = 0
before(async () => {
  harness = await openHttpHarness({ requestLimit: { burst: 3, perSecond: 2, nowMs: () => nowMs } })
})
after(() => harness.close())

const call = (path = '/api/v2/operators') => fetch(harness.baseUrl + path, { headers: harness.headers })
const limitsOf = ({ headers }: Response) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]

test('429 with what is left and when to try again, once the allowance of the application is used up', async () => {
  const policy = '"requests";q=3;w=2'
  const first = await call()
  assert.deepEqual([first.status, ...limitsOf(first)], [200, policy, '"requests";r=2;t=1'])
  const wrong = await call('/api/v2/transactions?limit=x')
  assert.deepEqual([wrong.status, ...limitsOf(wrong)], [400, policy, '"requests";r=1;t=1'])
  assert.equal((await call()).status, 200)
  const beyond = await call()
  assert.deepEqual([beyond.status, ...limitsOf(beyond), beyond.headers.get('retry-after')], [429, policy, '"requests";r=0;t=2', '1'])
  assert.equal(codedErrorSchema.parse(await beyond.json()).code, 'too_many_requests')
  nowMs += 500
  const again = await call()
  assert.deepEqual([again.status, ...limitsOf(again)], [200, policy, '"requests";r=0;t=2'])
})

test('200 from version 1 without these headers, although nothing is left for version 2', async () => {
  assert.equal((await call()).status, 429)
  const balances = await call('/api/v1/transaction/getByApplicationProductBalances')
  assert.deepEqual([balances.status, ...limitsOf(balances)], [200, null, null])
})

test('401 takes nothing from the allowance of an application', async () => {
  nowMs += 5_000
  for (let count = 0; count < 5; count++) assert.equal((await fetch(`${harness.baseUrl}/api/v2/operators`)).status, 401)
  assert.equal((await call()).headers.get('ratelimit'), '"requests";r=2;t=1')
})
