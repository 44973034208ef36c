import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { accountCheckSchema } from '#lib/schemas/api/operator-responses.ts'
import { systemClock } from '#server/clock.ts'
import { HARNESS_TOKEN_SECRET, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { must } from '#server/testing/partner.ts'
import { ACCOUNT_CHECKS_PATH } from './account-checks.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness({ usesOwnProtocols: true })
})
after(() => harness.close())

async function ask(body: unknown, more: Record<string, string> = {}) {
  const headers = { ...harness.headers, 'content-type': 'application/json', ...more }
  return fetch(`${harness.baseUrl}${ACCOUNT_CHECKS_PATH}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The token of another API user of the same application. */
async function anotherUser(): Promise<Record<string, string>> {
  const { applicationId } = harness.partner
  const username = `${randomUUID()}@kora.example`
  const actor = { kind: 'system', id: null } as const
  const { apiUserId } = must(await createApiUser(harness.database.pool, { applicationId, username, actor }))
  await harness.directory.refresh()
  const tokens = createTokens({ clock: systemClock, secret: HARNESS_TOKEN_SECRET })
  return { authorization: `Bearer ${await tokens.sign(apiUserId, applicationId)}` }
}

async function setMax(max: number) {
  await harness.database.pool.query('update applications set account_checks_max = $2 where application_id = $1', [
    harness.partner.applicationId,
    max,
  ])
}

test('200 with the masked name, the same for 24 hours; 429 with Retry-After for the API user that used a quarter and no other, 403 where checks are disabled', async () => {
  await setMax(8)
  const answers: unknown[] = []
  for (const phoneNumber of ['237677209341', '237677209905', '237677209341']) {
    const response = await ask({ transferMethod: 'MOMOCM', phoneNumber })
    assert.equal(response.status, 200)
    answers.push(accountCheckSchema.parse(await response.json()))
  }
  assert.partialDeepStrictEqual(answers[0], { status: 'ACTIVE', holderName: 'CLARISSE M.' })
  assert.partialDeepStrictEqual(answers[1], { status: 'NOT_REGISTERED', holderName: null })
  assert.deepEqual(answers[2], answers[0])
  const limited = await ask({ transferMethod: 'MOMOCM', phoneNumber: '237677209342' })
  assert.equal(limited.status, 429)
  const seconds = Number(limited.headers.get('retry-after'))
  assert.ok(seconds > 86_000 && seconds <= 86_400)
  const { message } = (await limited.json()) as { message: string }
  assert.match(message, /^The account checks of this API user within 24 hours are used up\. The next one is possible at \d{4}-.*Z\.$/)
  const colleague = await anotherUser()
  assert.equal((await ask({ transferMethod: 'MOMOCM', phoneNumber: '237677209343' }, colleague)).status, 200)
  await setMax(0)
  assert.equal((await ask({ transferMethod: 'MOMOCM', phoneNumber: '237677209342' })).status, 403)
})

test('200 NOT_OFFERED, counted for nobody, where the protocol has no such check', async () => {
  const response = await ask({ transferMethod: 'SNWAVE', phoneNumber: '221771234567', ignored: 1 })
  assert.equal(response.status, 200)
  assert.deepEqual(accountCheckSchema.parse(await response.json()), {
    transferMethod: 'SNWAVE',
    phoneNumber: '221771234567',
    status: 'NOT_OFFERED',
    holderName: null,
    checkedAt: null,
  })
})

for (const body of [
  {},
  [],
  { transferMethod: 'MOMOCM' },
  { transferMethod: 'NOPE', phoneNumber: '237677209341' },
  { transferMethod: 'MOMOCM', phoneNumber: '221771234567' },
  { transferMethod: 'MOMOCM', phoneNumber: 237677209341 },
  { transferMethod: 'MOMOCM', phoneNumber: '237677209341/../x' },
])
  test(`400 for ${JSON.stringify(body)}`, async () => {
    const response = await ask(body)
    const text = await response.text()
    assert.equal(response.status, 400, text)
  })

test('401 without credentials, 405 for GET', async () => {
  const address = `${harness.baseUrl}${ACCOUNT_CHECKS_PATH}`
  assert.equal((await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status, 401)
  assert.equal((await fetch(address, { headers: harness.headers })).status, 405)
})
