import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPartner } from '#e2e/contract/arrange.ts'
import { type Answer, call, expectError, expectOk } from '#e2e/contract/partner-program.ts'
import { type ContractService, headersOf, type Partner } from '#e2e/contract/service.ts'
import { tokenResponseSchema } from '#lib/schemas/queries.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { blockApiUser } from '#server/partner-auth/api-users.ts'
import { must } from '#server/testing/partner.ts'

const ACCESS = '/public/access_token'
const REFRESH = '/public/refresh_token'

/** The two endpoints that issue tokens; neither requires apiKey, apiId or a token. */
export function describeTokens(service: () => ContractService): void {
  const post = (path: string, body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    call(service(), service().partner, path, {
      body,
      headers: { apiKey: undefined, apiId: undefined, Authorization: undefined, ...headers },
    })

  async function canCall(partner: Partner, accessToken: string): Promise<boolean> {
    const headers = headersOf({ ...partner, accessToken })
    return (await call(service(), partner, 'getByApplicationProductBalances', { method: 'GET', headers })).status === 200
  }

  describe('POST /public/access_token', () => {
    test('200 with a JWT, a refresh token, Bearer and 3600 for the right password, without the three headers', async () => {
      const { username, password } = service().partner
      const tokens = expectOk(await post(ACCESS, { username, password }), tokenResponseSchema)
      assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type'])
      assert.equal(tokens.expires_in, 3600)
      assert.equal(tokens.access_token.split('.').length, 3)
      assert.ok(await canCall(service().partner, tokens.access_token))
    })

    test('401 with the same message for a wrong password and an unknown user', async () => {
      const { username } = service().partner
      const wrong = expectError(await post(ACCESS, { username, password: 'wrong' }), 401, ACCESS)
      const unknown = expectError(await post(ACCESS, { username: 'nobody@example.com', password: 'wrong' }), 401, ACCESS)
      assert.equal(wrong, unknown)
    })

    test('400 that names both for a body without user name and password', async () => {
      const message = expectError(await post(ACCESS, {}), 400, ACCESS)
      assert.match(message, /username is required.*password is required/)
      assert.match(expectError(await post(ACCESS, { username: 5, password: null }), 400), /username must be.*password must be/)
    })

    test('429 with the five fields for many wrong passwords, and 200 for the right one at the same time', async () => {
      const partner = await newPartner(service())
      const { username, password } = partner
      const statuses: number[] = []
      for (let attempt = 0; attempt < 12; attempt++) {
        const answer = await post(ACCESS, { username, password: `wrong ${attempt}` })
        statuses.push(answer.status)
        expectError(answer, answer.status, ACCESS)
        if (answer.status === 429) assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      }
      assert.equal(statuses[0], 401)
      assert.ok(statuses.includes(429), statuses.join())
      expectOk(await post(ACCESS, { username, password }), tokenResponseSchema)
    })

    test('403 for a blocked user', async () => {
      const partner = await newPartner(service())
      must(
        await blockApiUser(service().pool, {
          applicationId: partner.applicationId,
          apiUserId: partner.apiUserId,
          isBlocked: true,
          actor: SYSTEM_ACTOR,
        }),
      )
      expectError(await post(ACCESS, { username: partner.username, password: partner.password }), 403, ACCESS)
    })
  })

  describe('POST /public/refresh_token', () => {
    test('200 with the same four fields for a refresh token, and a new refresh token each time', async () => {
      const partner = await newPartner(service())
      const tokens = expectOk(await post(REFRESH, { refreshToken: partner.refreshToken }), tokenResponseSchema)
      assert.notEqual(tokens.refresh_token, partner.refreshToken)
      assert.equal(tokens.expires_in, 3600)
      assert.ok(await canCall(partner, tokens.access_token))
    })

    test('200 once more for the token that was just replaced, because its response may have been lost', async () => {
      const partner = await newPartner(service())
      expectOk(await post(REFRESH, { refreshToken: partner.refreshToken }), tokenResponseSchema)
      expectOk(await post(REFRESH, { refreshToken: partner.refreshToken }), tokenResponseSchema)
    })

    test('401 for the whole family after a token is used long after it was replaced', async () => {
      const partner = await newPartner(service())
      const next = expectOk(await post(REFRESH, { refreshToken: partner.refreshToken }), tokenResponseSchema)
      await service().pool.query(`update refresh_tokens set replaced_at = replaced_at - interval '1 minute' where application_id = $1`, [
        partner.applicationId,
      ])
      expectError(await post(REFRESH, { refreshToken: partner.refreshToken }), 401, REFRESH)
      expectError(await post(REFRESH, { refreshToken: next.refresh_token }), 401, REFRESH)
    })

    test('401 for a token after its 30 days, and for one that never existed', async () => {
      const partner = await newPartner(service())
      await service().pool.query(`update refresh_tokens set expires_at = now() - interval '1 second' where application_id = $1`, [
        partner.applicationId,
      ])
      expectError(await post(REFRESH, { refreshToken: partner.refreshToken }), 401)
      for (const refreshToken of ['x', 'a.b.c', '💥', partner.accessToken]) expectError(await post(REFRESH, { refreshToken }), 401)
    })

    test('400 for a body without refreshToken, including one in snake case', async () => {
      assert.match(expectError(await post(REFRESH, {}), 400, REFRESH), /refreshToken is required/)
      assert.match(expectError(await post(REFRESH, { refresh_token: 'x' }), 400), /refreshToken is required/)
    })
  })

  test('405 for other methods, 415 for other types and 413 for large bodies, at both endpoints', async () => {
    for (const path of [ACCESS, REFRESH]) {
      const get = await call(service(), service().partner, path, { method: 'GET' })
      expectError(get, 405, path)
      assert.equal(get.headers.get('allow'), 'POST')
      expectError(await post(path, 'username=x', { 'Content-Type': 'application/x-www-form-urlencoded' }), 415, path)
      expectError(await post(path, JSON.stringify({ username: 'x'.repeat(70_000) })), 413, path)
    }
    expectError(await post('/public/other', {}), 404, '/public/other')
  })
}
