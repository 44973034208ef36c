import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Arsenal } from './arsenal.ts'
import { FAMILIES } from './families.ts'
import { readOptions } from './options.ts'
import { countKinds, createPlan } from './plan.ts'
import { SCENARIOS } from './scenarios.ts'

test('without options there are 20,000 requests of every family, and every scenario', () => {
  const options = readOptions([], 7)
  assert.ok(options.ok)
  assert.equal(options.value.requests, 20_000)
  assert.equal(options.value.seed, 7)
  assert.equal(options.value.families.length, FAMILIES.length)
  assert.equal(options.value.scenarios.length, SCENARIOS.length)
})

const REFUSED: [string[], RegExp][] = [
  [['--requests', '0'], /--requests must be a whole number from 1/],
  [['--requests', 'many'], /--requests must be/],
  [['--seed', '-1'], /--seed/],
  [['--seed', '12345678'], /--seed must be a whole number from 1 to 1000000/],
  [['--only', '1,x'], /--only must be numbers/],
  [['--families', 'json-values,nothing'], /--families does not know "nothing": there are json-values,/],
  [['--scenarios', 'x'], /--scenarios does not know "x"/],
  [['--minutes', '0'], /--minutes/],
  [['--minutes', 'NaN'], /--minutes/],
  [['--unknown'], /unknown/i],
  [['loose'], /loose/],
]
for (const [args, message] of REFUSED) {
  test(`${args.join(' ')} is refused in a sentence`, () => {
    const options = readOptions(args, 7)
    assert.match(options.ok ? 'it was taken' : options.error, message)
  })
}

const ids = {
  application: 'a',
  operator: 'MOMOCM',
  transactionId: '01a20040-ae49-7a47-9447-112a65745558',
  waitingId: '01a20040-ae49-7a47-9447-112a65745558',
  waitingBatchId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a12',
  batchId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a13',
  programBatchId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a14',
  linkId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a15',
  importId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a16',
  exportId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a17',
  personId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a18',
  attachmentId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a19',
  viewId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a1a',
  apiKeyId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a1b',
}
const program = {
  name: 'A',
  apiId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a11',
  apiKey: 'key',
  username: 'u',
  password: 'p',
  webhookSecret: 'w',
  people: [{ id: 'p1', name: 'P', email: 'p@a.example', password: 'x', roles: ['maker' as const] }],
  slug: 'a',
  accessToken: `h.${Buffer.from('{"sub":"s","app":"a","exp":1}').toString('base64url')}.signature`,
  refreshToken: 'refresh-token-of-a',
  transactionIds: ['01a20040-ae49-7a47-9447-112a65745558'],
  holdings: {
    applicationId: '4b2c6c5e-0d53-4a53-9a0e-3f6f5e1d8a1c',
    examples: ids,
    collectIds: [ids.transactionId],
    depositId: ids.transactionId,
    linkToken: 'AbCdEfGhIjKlMnOpQrStUv',
    payToken: 'pay-token-of-a',
    limitedKeys: [{ scope: 'payments:read' as const, apiKey: 'limited' }],
    secrets: ['Canary of a', '237677209341'],
  },
}
const person = { name: 'P', email: 'p@a.example', roles: ['maker' as const], cookie: 'countersign.session=a.b.c.d.e' }
const arsenal: Arsenal = {
  host: '127.0.0.1',
  port: 1,
  baseUrl: 'http://127.0.0.1:1',
  program,
  other: { ...program, name: 'B', slug: 'b' },
  visitors: [person, { ...person, roles: ['finance' as const] }],
  insiders: { program: [person], other: [{ ...person, name: 'Q' }] },
  waitingId: undefined,
  actions: ['saveView', 'closeLink'].map((name) => ({ name: `app/x.ts ${name}`, id: 'f'.repeat(42), page: '/[application]/transactions' })),
  tokenSecret: 'secret',
  deadCookies: [{ what: 'expired', cookie: 'countersign.session=x' }],
  webhookUrl: 'http://127.0.0.1:1/ok',
}

function bytesOf(seed: number, number: number): string {
  const { maker, random } = createPlan({ seed, families: FAMILIES, isShort: false })(number)
  const attack = maker.make(random, arsenal)
  return JSON.stringify(attack.steps.map((step) => ('bytes' in step ? Buffer.from(step.bytes).toString('base64') : step)))
}

test('the same seed and number make the same request, without the ones before it; another seed makes others', () => {
  const numbers = [1, 2, 40, 500, 19_999]
  assert.deepEqual(
    numbers.map((number) => bytesOf(7, number)),
    numbers
      .toReversed()
      .map((number) => bytesOf(7, number))
      .toReversed(),
  )
  assert.notDeepEqual(
    numbers.map((number) => bytesOf(7, number)),
    numbers.map((number) => bytesOf(8, number)),
  )
})

test('the first requests hold every kind of case once', () => {
  const plan = createPlan({ seed: 3, families: FAMILIES, isShort: false })
  const kinds = countKinds()
  const seen = new Set(Array.from({ length: kinds }, (_, index) => plan(index + 1).maker))
  assert.equal(seen.size, kinds)
})

test('every kind of case can be made, with something to send and an expectation', () => {
  const plan = createPlan({ seed: 5, families: FAMILIES, isShort: false })
  for (let number = 1; number <= 3 * countKinds(); number++) {
    const { maker, random } = plan(number)
    const attack = maker.make(random, arsenal)
    assert.ok(attack.steps.length > 0 && attack.expect.statuses.length > 0 && attack.what !== '', maker.name)
  }
})
