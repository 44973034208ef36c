import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { z } from 'zod'
import { newPartner } from '#e2e/contract/arrange.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { operatorStatusSchema } from '#lib/schemas/api/operator-responses.ts'
import { keyedInitiationSchema } from '#lib/schemas/api/responses.ts'
import { transactionListSchema } from '#lib/schemas/api/transaction-responses.ts'
import { COLLECT_REQUEST } from '#server/http/openapi/examples.ts'
import { compileFolder } from './compile-typescript.ts'
import { generate } from './generate-client.ts'

/** A program that a partner could write with both clients: it reads fields of requests and of answers by their names. */
const USES_BOTH = `
import { createClient } from './v1/client/index.ts'
import { createClient as createClientV2 } from './v2/client/index.ts'
import { transactionStatus } from './v1/sdk.gen.ts'
import { createCollect } from './v2/sdk.gen.ts'

const made = await createCollect({
  client: createClientV2({ baseUrl: 'https://pay.example.com' }),
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: {
    transferMethod: 'MOMOCM', customerName: 'Clarisse Mbarga', phoneNumber: '237677209341', amount: 5000,
    webhookUrl: 'https://partner.example/hooks', countryName: 'CAMEROON',
  },
})
const id: string = made.data?.transactionId ?? ''
const read = await transactionStatus({ client: createClient({ baseUrl: 'https://pay.example.com' }), query: { id } })
const status: 'PENDING' | 'PENDING_APPROVAL' | 'SUCCESS' | 'FAILED' | undefined = read.data?.status
console.log(status, made.error?.code)
`

type Options = { client: unknown; body?: unknown; query?: Record<string, unknown>; headers?: Record<string, string> }
type Sdk = Record<'listOperators' | 'createCollect' | 'listTransactions', (options: Options) => Promise<{ data?: unknown }>>
type ClientModule = { createClient(config: { baseUrl: string; auth: (auth: { name?: string; type: string }) => string }): unknown }

/** Clients that another tool generates from both documents: they compile, and that of version 2 works. */
export function describeCompiledClients(service: () => ContractService): void {
  describe('clients generated from both OpenAPI documents', () => {
    let folder: string
    let partner: Partner
    before(async () => {
      partner = await newPartner(service())
      folder = await mkdtemp(path.join(tmpdir(), 'countersign-clients-'))
      for (const version of ['v1', 'v2']) await generate(`${service().baseUrl}/api/${version}/openapi.json`, path.join(folder, version))
    })
    after(() => rm(folder, { recursive: true, force: true }))

    test('no error from the TypeScript compiler in its strict mode, nor in a program that uses both; one for a field that none has', async () => {
      await writeFile(path.join(folder, 'program.ts'), USES_BOTH)
      await compileFolder(folder)
      await writeFile(path.join(folder, 'program.ts'), USES_BOTH.replace('made.data?.transactionId', 'made.data?.transactionID'))
      await assert.rejects(compileFolder(folder), /transactionID/)
    })

    test('the availability of all operators, a collect with a key and its record from the client of version 2', async () => {
      const sdk = (await import(path.join(folder, 'v2/sdk.gen.ts'))) as Sdk
      const { createClient } = (await import(path.join(folder, 'v2/client/index.ts'))) as ClientModule
      const values: Record<string, string> = { apiKey: partner.apiKey, apiId: partner.apiId }
      const client = createClient({
        baseUrl: service().baseUrl,
        auth: ({ name, type }) => (type === 'http' ? partner.accessToken : (values[name ?? ''] ?? '')),
      })
      assert.equal(z.array(operatorStatusSchema).parse((await sdk.listOperators({ client })).data).length, 13)
      const { externalId: _, ...body } = COLLECT_REQUEST
      const key = randomUUID()
      const made = await sdk.createCollect({ client, body, headers: { 'Idempotency-Key': key } })
      assert.equal(keyedInitiationSchema.parse(made.data).externalId, key)
      const listed = await sdk.listTransactions({ client, query: { externalId: key } })
      assert.equal(transactionListSchema.parse(listed.data).transactions.length, 1)
    })
  })
}
