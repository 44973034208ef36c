import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { newPartner } from '#e2e/contract/arrange.ts'
import { type Answer, aRequest, BASE, call, countAll, countWritten, expectError } from '#e2e/contract/partner-program.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { createApiKey, revokeApiKey } from '#server/applications/access/api-keys.ts'
import { allowAddress, denyAddress } from '#server/applications/access/change-networks.ts'
import { changeApplication, setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { blockApiUser } from '#server/partner-auth/api-users.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const ID = randomUUID()

/** Each endpoint of the specification with a call that would be well formed. */
export const ENDPOINTS: { name: string; method: 'GET' | 'POST'; query?: Record<string, string>; body?: () => unknown }[] = [
  { name: 'collect', method: 'POST', body: () => aRequest() },
  { name: 'deposit', method: 'POST', body: () => aRequest() },
  { name: 'depositMultiple', method: 'POST', body: () => [aRequest()] },
  { name: 'transaction-status', method: 'POST', query: { id: ID } },
  { name: 'chekTransactionStatus', method: 'POST', query: { transactionId: ID } },
  { name: 'validateTransaction', method: 'POST', query: { checkerId: ID, transactionId: ID, payeeNote: 'fine' } },
  { name: 'rejectTransaction', method: 'POST', query: { checkerId: ID, transactionId: ID, reason: 'no' } },
  { name: 'getByApplicationProduct', method: 'GET', query: { page: '0', size: '10' } },
  { name: 'getByApplicationProductAndPhoneReceiver', method: 'GET', query: { phoneNumber: '237699000111', page: '0', size: '10' } },
  { name: 'getByApplicationProductAndStatus', method: 'GET', query: { transactionStatus: 'PENDING', page: '0', size: '10' } },
  {
    name: 'getTotalAmountByApplicationProductAndDateRange',
    method: 'GET',
    query: { startDate: '2026-01-01', endDate: '2026-12-31', status: 'SUCCESS' },
  },
  { name: 'getTotalAmountByApplicationProduct', method: 'GET' },
  { name: 'getByApplicationProductBalances', method: 'GET' },
]

/** Who may call: the three credentials (401), then address, user, application and transfer service (403). */
export function describeIdentity(service: () => ContractService): void {
  const read = (partner: Partner, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    call(service(), partner, 'getByApplicationProductBalances', { method: 'GET', headers })
  const untilRead = (what: string, partner: Partner, status: number): Promise<Answer> =>
    waitUntil(what, async () => {
      const answer = await read(partner)
      return answer.status === status && answer
    })

  describe('401', () => {
    for (const { name, method, query, body } of ENDPOINTS) {
      test(`401 from ${method} /${name} without each of the three headers, with the same message for all`, async () => {
        const { partner, stranger } = service()
        const before = await countAll(service())
        const messages = new Set<string>()
        const changes: Record<string, string | undefined>[] = [
          { apiKey: undefined },
          { apiId: undefined },
          { Authorization: undefined },
          { apiKey: 'wrong' },
          { apiId: randomUUID() },
          { apiKey: stranger.apiKey },
          { apiId: stranger.apiId },
          { Authorization: 'Bearer wrong' },
          { Authorization: partner.accessToken },
          { Authorization: `Basic ${partner.accessToken}` },
          { Authorization: stranger.headers['Authorization'] },
          { apiKey: '', apiId: '', Authorization: '' },
        ]
        for (const headers of changes) {
          const answer = await call(service(), partner, name, { method, query, body: body?.(), headers })
          messages.add(expectError(answer, 401, `${BASE}/${name}`))
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
        }
        assert.equal(messages.size, 1)
        assert.equal(await countAll(service()), before)
      })
    }

    test('401 for a token that has expired, was signed with another secret, or says that it needs no signature', async () => {
      const { partner } = service()
      const forged = createTokens({ clock: { now: () => new Date() }, secret: 'another secret that is long enough for a token' })
      const [, payload] = partner.accessToken.split('.')
      const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`
      for (const token of [
        await forged.sign(partner.apiUserId, partner.applicationId),
        unsigned,
        `${partner.accessToken}x`,
        partner.refreshToken,
      ]) {
        expectError(await read(partner, { Authorization: `Bearer ${token}` }), 401)
      }
    })

    test('401 for a revoked apiKey, within a second', async () => {
      const partner = await newPartner(service())
      assert.equal((await read(partner)).status, 200)
      const second = must(await createApiKey(service().pool, { applicationId: partner.applicationId, name: 'second', actor: SYSTEM_ACTOR }))
      await waitUntil('the second key works', async () => (await read(partner, { apiKey: second.apiKey })).status === 200)
      const revokedAtMs = performance.now()
      must(await revokeApiKey(service().pool, { applicationId: partner.applicationId, apiKeyId: partner.apiKeyId, actor: SYSTEM_ACTOR }))
      await untilRead('the key is refused', partner, 401)
      assert.ok(performance.now() - revokedAtMs < 1_000)
      assert.equal((await read(partner, { apiKey: second.apiKey })).status, 200)
    })

    test('401 before anything else is checked: form, size, type, address', async () => {
      const partner = await newPartner(service(), { networks: ['192.0.2.0/24'] })
      for (const body of ['{', 'x'.repeat(70_000), '']) {
        expectError(await call(service(), partner, 'collect', { body, headers: { apiKey: 'wrong', 'Content-Type': 'text/plain' } }), 401)
      }
    })
  })

  test('200 for header names in any letter case', async () => {
    const { partner, baseUrl } = service()
    for (const [apiKey, apiId, authorization] of [
      ['APIKEY', 'APIID', 'AUTHORIZATION'],
      ['apikey', 'apiid', 'authorization'],
      ['ApiKey', 'ApiId', 'Authorization'],
    ] as const) {
      const status = await new Promise<number>((resolve, reject) => {
        const headers = { [apiKey]: partner.apiKey, [apiId]: partner.apiId, [authorization]: `bearer ${partner.accessToken}` }
        request(`${baseUrl}${BASE}/getByApplicationProductBalances`, { headers }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
          .on('error', reject)
          .end()
      })
      assert.equal(status, 200)
    }
  })

  describe('403', () => {
    test('403 for an address that is not on the allow list, regardless of X-Forwarded-For', async () => {
      const partner = await newPartner(service(), { networks: ['192.0.2.0/24', '2001:db8::/32'] })
      for (const { name, method, query, body } of ENDPOINTS) {
        const answer = await call(service(), partner, name, {
          method,
          query,
          body: body?.(),
          headers: { 'X-Forwarded-For': '192.0.2.7', Forwarded: 'for=192.0.2.7', 'X-Real-IP': '192.0.2.7' },
        })
        assert.match(expectError(answer, 403, `${BASE}/${name}`), /address/)
      }
    })

    test('403 for every address while the allow list is empty, 200 within a second after an entry is added', async () => {
      const partner = await newPartner(service(), { networks: [] })
      expectError(await read(partner), 403)
      must(await allowAddress(service().pool, { applicationId: partner.applicationId, network: '127.0.0.1', actor: SYSTEM_ACTOR }))
      await untilRead('the address is admitted', partner, 200)
      must(await denyAddress(service().pool, { applicationId: partner.applicationId, network: '127.0.0.1', actor: SYSTEM_ACTOR }))
      expectError(await untilRead('the address is refused again', partner, 403), 403)
    })

    test('403 for a blocked user, 200 after the user is unblocked', async () => {
      const partner = await newPartner(service())
      const block = async (isBlocked: boolean) =>
        must(
          await blockApiUser(service().pool, {
            applicationId: partner.applicationId,
            apiUserId: partner.apiUserId,
            isBlocked,
            actor: SYSTEM_ACTOR,
          }),
        )
      await block(true)
      assert.match(expectError(await untilRead('the user is blocked', partner, 403), 403), /user account is blocked/)
      await block(false)
      await untilRead('the user is let in', partner, 200)
    })

    test('403 for a disabled application', async () => {
      const partner = await newPartner(service())
      must(
        await changeApplication(service().pool, {
          applicationId: partner.applicationId,
          change: { isEnabled: false },
          actor: SYSTEM_ACTOR,
        }),
      )
      assert.match(expectError(await untilRead('the application is disabled', partner, 403), 403), /application is disabled/)
    })

    test('403 before the form of the input is checked', async () => {
      const partner = await newPartner(service(), { networks: [] })
      expectError(await call(service(), partner, 'collect', { body: '{' }), 403)
      expectError(await call(service(), partner, 'transaction-status', { query: 'id=x' }), 403)
    })

    test('403 for a transfer service that is switched off, for its operator and direction only, after the form, in a batch too', async () => {
      const partner = await newPartner(service())
      const service_ = { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
      must(
        await setTransferService(service().pool, {
          applicationId: partner.applicationId,
          operator: 'OMCM',
          type: 'DEPOSIT',
          service: service_,
          actor: SYSTEM_ACTOR,
        }),
      )
      const refused = await waitUntil('the service is off', async () => {
        const answer = await call(service(), partner, 'deposit', { body: aRequest() })
        return answer.status === 403 && answer
      })
      assert.match(expectError(refused, 403), /transfer service DEPOSIT of OMCM is disabled/)
      expectError(await call(service(), partner, 'deposit', { body: aRequest({ amount: 0 }) }), 400)
      assert.equal((await call(service(), partner, 'collect', { body: aRequest() })).status, 200)
      assert.equal((await call(service(), partner, 'deposit', { body: aRequest({}, 'MOMOCM') })).status, 200)
      const batch = [aRequest({}, 'MOMOCM'), aRequest()]
      assert.match(expectError(await call(service(), partner, 'depositMultiple', { body: batch }), 403), /\[1\]/)
      assert.equal(
        await countWritten(
          service(),
          batch.map((element) => element.externalId),
        ),
        0,
      )
    })

    test('400 for an amount outside the limits only if an administrator enforces them', async () => {
      const partner = await newPartner(service())
      const limits = { isEnabled: true, enforcesLimits: true, minimumMinor: 100_00n, maximumMinor: 1_000_00n }
      must(
        await setTransferService(service().pool, {
          applicationId: partner.applicationId,
          operator: 'OMCM',
          type: 'COLLECT',
          service: limits,
          actor: SYSTEM_ACTOR,
        }),
      )
      const refused = await waitUntil('the limit is in force', async () => {
        const answer = await call(service(), partner, 'collect', { body: aRequest({ amount: 1000.01 }) })
        return answer.status === 400 && answer
      })
      assert.match(expectError(refused, 400), /amount must be from 100 to 1000/)
      expectError(await call(service(), partner, 'collect', { body: aRequest({ amount: 99.99 }) }), 400)
      assert.equal((await call(service(), partner, 'collect', { body: aRequest({ amount: 1000 }) })).status, 200)
      assert.equal((await call(service(), partner, 'deposit', { body: aRequest({ amount: 0.5 }) })).status, 200)
    })
  })
}
