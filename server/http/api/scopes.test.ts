import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { API_SCOPES, type ApiScope } from '#lib/partner/api-scopes.ts'
import { codedErrorSchema, errorSchema } from '#lib/schemas/api/responses.ts'
import { createApiKey } from '#server/applications/access/api-keys.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { must } from '#server/testing/partner.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

async function headersOf(scopes: readonly ApiScope[]): Promise<Record<string, string>> {
  const { applicationId } = harness.partner
  // An application may have ten keys that work.
  await harness.database.pool.query("update api_keys set revoked_at = now() where application_id = $1 and name = 'limited'", [
    applicationId,
  ])
  const { apiKey } = must(await createApiKey(harness.database.pool, { applicationId, name: 'limited', scopes, actor: SYSTEM_ACTOR }))
  await harness.directory.refresh()
  return { ...harness.headers, apiKey }
}

/** One call of each scope, with the answer to a key that has it. */
const CALLS: Record<ApiScope, { method: string; path: string; status: number }> = {
  'payments:write': { method: 'POST', path: '/api/v2/deposits', status: 400 },
  'payments:read': { method: 'GET', path: '/api/v2/transactions', status: 200 },
  'refunds:write': { method: 'POST', path: `/api/v2/transactions/${randomUUID()}/refunds`, status: 400 },
  'approvals:write': { method: 'POST', path: '/api/v1/transaction/validateTransaction', status: 400 },
  'accounts:read': { method: 'POST', path: '/api/v2/account-checks', status: 400 },
  'reports:read': { method: 'GET', path: '/api/v1/transaction/getByApplicationProductBalances', status: 200 },
}

test('403 for every call outside the scopes of a key, in both versions, and its answer for those inside', async () => {
  for (const allowed of API_SCOPES) {
    const headers = await headersOf([allowed])
    for (const scope of API_SCOPES) {
      const { method, path, status } = CALLS[scope]
      const response = await fetch(harness.baseUrl + path, { method, headers })
      assert.equal(response.status, scope === allowed ? status : 403, `${allowed} ${path}`)
      if (scope === allowed) continue
      const body: unknown = await response.json()
      if (path.startsWith('/api/v2')) assert.equal(codedErrorSchema.parse(body).code, 'scope_missing')
      else assert.equal(errorSchema.parse(body).message, `The apiKey is limited, and its scopes do not include ${scope}.`)
    }
  }
})

test('scope_missing for each call that writes, from a key that has every other scope', async () => {
  const transaction = `/api/v2/transactions/${randomUUID()}`
  const WRITES: Partial<Record<ApiScope, readonly string[]>> = {
    'payments:write': [
      ...['collect', 'deposit', 'depositMultiple'].map((name) => `/api/v1/transaction/${name}`),
      ...['/api/v2/collects', '/api/v2/deposits', `${transaction}/cancel`],
    ],
    'refunds:write': [`${transaction}/refunds`],
    'approvals:write': ['/api/v1/transaction/validateTransaction', '/api/v1/transaction/rejectTransaction'],
  }
  for (const [scope, paths = []] of Object.entries(WRITES)) {
    const headers = await headersOf(API_SCOPES.filter((each) => each !== scope))
    for (const path of paths) assert.equal((await fetch(harness.baseUrl + path, { method: 'POST', headers })).status, 403, path)
  }
})

test('no transaction from a key that may only read', async () => {
  const headers = await headersOf(['payments:read', 'reports:read'])
  const { externalId, ...body } = aCollect()
  const keyed = { ...headers, 'idempotency-key': String(externalId) }
  const init = { method: 'POST', body: JSON.stringify({ externalId, ...body }) }
  for (const path of ['/api/v1/transaction/collect', '/api/v1/transaction/deposit', '/api/v2/collects', '/api/v2/deposits'])
    assert.equal((await fetch(harness.baseUrl + path, { ...init, headers: keyed })).status, 403, path)
  const { rowCount } = await harness.database.pool.query('select 1 from transactions')
  assert.equal(rowCount, 0)
})

test('200 for a key without scopes', async () => {
  const { method, path } = CALLS['payments:read']
  assert.equal((await fetch(harness.baseUrl + path, { method, headers: harness.headers })).status, 200)
})
