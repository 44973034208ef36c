import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fundDeposits, newPartner } from '#e2e/contract/arrange.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { balanceSchema, initiationSchema, pageSchema, recordSchema } from '#lib/schemas/api/responses.ts'
import { tokenResponseSchema } from '#lib/schemas/queries.ts'
import { COLLECT_REQUEST, DEPOSIT_REQUEST } from '#server/http/openapi/examples.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { generate } from './generate-client.ts'

type Answer = { data?: unknown; error?: { status: number; message: string }; response: Response }
type Call = (options: { client: unknown; body?: unknown; query?: Record<string, unknown> }) => Promise<Answer>
/** The generator's output: a function for each operationId, and the client that they share. */
type Sdk = Record<'accessToken' | 'refreshToken' | 'collect' | 'deposit' | 'depositMultiple' | 'transactionStatus', Call> &
  Record<
    'chekTransactionStatus' | 'getByApplicationProduct' | 'getByApplicationProductAndStatus' | 'getByApplicationProductBalances',
    Call
  > &
  Record<'getTotalAmountByApplicationProduct' | 'getTotalAmountByApplicationProductAndDateRange', Call>
type Auth = { name?: string; type: 'apiKey' | 'http' }
type ClientModule = { createClient(config: { baseUrl: string; auth?: (auth: Auth) => string }): unknown }

/** A client generated from the document, used as a partner would use it. */
export function describeGeneratedClient(service: () => ContractService): void {
  describe('a client generated from the OpenAPI document', () => {
    let folder: string
    let sdk: Sdk
    let createClient: ClientModule['createClient']
    let partner: Partner
    before(async () => {
      partner = await newPartner(service())
      await fundDeposits(service(), partner, 'SNWAVE', 1_000_000_00n)
      folder = await mkdtemp(path.join(tmpdir(), 'countersign-client-'))
      await generate(`${service().baseUrl}/api/v1/openapi.json`, folder)
      sdk = (await import(path.join(folder, 'sdk.gen.ts'))) as Sdk
      ;({ createClient } = (await import(path.join(folder, 'client/index.ts'))) as ClientModule)
    })
    after(() => rm(folder, { recursive: true, force: true }))

    const clientWith = (accessToken: string): unknown => {
      const values: Record<string, string> = { apiKey: partner.apiKey, apiId: partner.apiId }
      return createClient({
        baseUrl: service().baseUrl,
        auth: ({ name, type }) => (type === 'http' ? accessToken : (values[name ?? ''] ?? '')),
      })
    }

    test('200 from token to collect, deposit, status, lists, totals and balances', async () => {
      const open = createClient({ baseUrl: service().baseUrl })
      const issued = await sdk.accessToken({ client: open, body: { username: partner.username, password: partner.password } })
      const { refresh_token } = tokenResponseSchema.parse(issued.data)
      const refreshed = await sdk.refreshToken({ client: open, body: { refreshToken: refresh_token } })
      const client = clientWith(tokenResponseSchema.parse(refreshed.data).access_token)

      const collected = initiationSchema.parse((await sdk.collect({ client, body: { ...COLLECT_REQUEST, externalId: randomUUID() } })).data)
      const deposited = initiationSchema.parse((await sdk.deposit({ client, body: { ...DEPOSIT_REQUEST, externalId: randomUUID() } })).data)
      const elements = [randomUUID(), randomUUID()].map((externalId) => ({ ...DEPOSIT_REQUEST, externalId }))
      const several = await sdk.depositMultiple({ client, body: elements })
      assert.deepEqual(
        (several.data as { externalId: string }[]).map(({ externalId }) => externalId),
        elements.map(({ externalId }) => externalId),
      )

      for (const { transactionId } of [collected, deposited]) {
        await waitUntil(`${transactionId} succeeds`, async () => {
          const { data } = await sdk.transactionStatus({ client, query: { id: transactionId } })
          return recordSchema.parse(data).status === 'SUCCESS'
        })
        const { data } = await sdk.chekTransactionStatus({ client, query: { transactionId } })
        assert.equal(recordSchema.parse(data).status, 'SUCCESS')
      }
      await waitUntil('all four succeed', async () => {
        const { data } = await sdk.getByApplicationProductAndStatus({ client, query: { transactionStatus: 'SUCCESS', page: 0, size: 10 } })
        return pageSchema.parse(data).totalElements === 4
      })
      const list = pageSchema.parse((await sdk.getByApplicationProduct({ client, query: { page: 0, size: 2 } })).data)
      assert.deepEqual([list.content.length, list.totalElements, list.totalPages], [2, 4, 2])
      const days = { startDate: '2020-01-01', endDate: new Date().toISOString().slice(0, 10), status: 'SUCCESS' }
      const total = COLLECT_REQUEST.amount + 3 * DEPOSIT_REQUEST.amount
      assert.equal((await sdk.getTotalAmountByApplicationProductAndDateRange({ client, query: days })).data, total)
      assert.equal((await sdk.getTotalAmountByApplicationProduct({ client })).data, total)
      const balances = balanceSchema.array().parse((await sdk.getByApplicationProductBalances({ client })).data)
      assert.equal(balances.find(({ serviceType }) => serviceType === 'MOMOCM')?.balanceCollect, 4925)
    })

    test('401 and 400 as typed errors with a message', async () => {
      const refused = await sdk.collect({ client: clientWith('expired'), body: COLLECT_REQUEST })
      assert.deepEqual([refused.response.status, refused.error?.status], [401, 401])
      const wrong = await sdk.collect({ client: clientWith(partner.accessToken), body: { ...COLLECT_REQUEST, amount: -1 } })
      assert.equal(wrong.response.status, 400)
      assert.match(wrong.error?.message ?? '', /^amount must be/)
    })
  })
}
