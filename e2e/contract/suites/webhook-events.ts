import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { z } from 'zod'
import { fundDeposits, newPartner } from '#e2e/contract/arrange.ts'
import { aRequest, call, expectOk } from '#e2e/contract/partner-program.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { codedErrorSchema, initiationSchema, webhookSchema } from '#lib/schemas/api/responses.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const PATH = '/api/v2/webhook-events'
const pageSchema = z.strictObject({
  events: z.array(
    z.strictObject({
      cursor: z.string(),
      transactionId: z.uuid(),
      status: z.enum(['SUCCESS', 'FAILED']),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
  ),
  cursor: z.string(),
})

/** The webhooks that `server/listen` brings to a developer's machine. */
export function describeWebhookEvents(service: () => ContractService): void {
  describe('webhook events', () => {
    let partner: Partner
    before(async () => {
      partner = await newPartner(service())
      await fundDeposits(service(), partner, 'OMCM', 1_000_000_00n)
    })
    const get = (query = '', headers: Record<string, string> = partner.headers, method = 'GET') =>
      fetch(`${service().baseUrl}${PATH}${query}`, { method, headers })

    async function page(query: string): Promise<z.output<typeof pageSchema>> {
      const response = await get(query)
      assert.equal(response.status, 200)
      return pageSchema.parse(await response.json())
    }

    async function codeOf(response: Response): Promise<string> {
      const { status, code } = codedErrorSchema.parse(await response.json())
      return `${status} ${code}`
    }

    test('200 with the signed webhook of a result behind a cursor, for its application only', async () => {
      const { events, cursor } = await page('')
      assert.deepEqual(events, [])
      const made = expectOk(await call(service(), partner, 'deposit', { body: aRequest() }), initiationSchema)
      const found = await waitUntil('the result is there', async () => {
        const next = await page(`?after=${cursor}&wait=1`)
        return next.events.length > 0 && next
      })
      const [event] = found.events
      assert.ok(event)
      const body = webhookSchema.parse(JSON.parse(event.body))
      assert.deepEqual([event.transactionId, body.transactionId, body.status], [made.transactionId, made.transactionId, event.status])
      for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) assert.ok(event.headers[name], name)
      assert.deepEqual((await page(`?after=${event.cursor}`)).events, [])
      const foreign = await get(`?after=${cursor}`, service().stranger.headers)
      assert.ok(!pageSchema.parse(await foreign.json()).events.some(({ transactionId }) => transactionId === made.transactionId))
    })

    test('400 for a wrong cursor and a wait above ten seconds, 401 without credentials, 405 for POST', async () => {
      assert.equal(await codeOf(await get('?after=x')), '400 cursor_invalid')
      assert.equal(await codeOf(await get('?wait=11')), '400 parameters_invalid')
      assert.equal(await codeOf(await get('', {})), '401 unauthenticated')
      assert.equal(await codeOf(await get('', partner.headers, 'POST')), '405 method_not_allowed')
    })
  })
}
