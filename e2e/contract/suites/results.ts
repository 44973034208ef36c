import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { fundDeposits, newPartner } from '#e2e/contract/arrange.ts'
import { aRequest, BASE, call, expectError, expectOk } from '#e2e/contract/partner-program.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { initiationSchema, recordSchema } from '#lib/schemas/api/responses.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

type Webhook = { body: Record<string, unknown>; headers: Record<string, string | string[] | undefined>; method: string | undefined }

/** How a transaction ends: the operator's result, the webhook, and forced synchronisation. */
export function describeResults(service: () => ContractService): void {
  describe('results', () => {
    const webhooks: Webhook[] = []
    let receiver: Server
    let webhookUrl = ''
    let partner: Partner
    before(async () => {
      receiver = createServer(async (incoming, outgoing) => {
        let text = ''
        for await (const chunk of incoming) text += chunk
        webhooks.push({ body: JSON.parse(text), headers: incoming.headers, method: incoming.method })
        outgoing.end()
      }).listen(0, '127.0.0.1')
      await once(receiver, 'listening')
      const address = receiver.address()
      webhookUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`
      partner = await newPartner(service())
      await fundDeposits(service(), partner, 'OMCM', 1_000_000_00n)
    })
    after(() => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const webhookOf = (transactionId: string) =>
      waitUntil(`the webhook of ${transactionId}`, async () => webhooks.find((webhook) => webhook.body['transactionId'] === transactionId))
    const statusOf = async (id: string) =>
      expectOk(await call(service(), partner, 'transaction-status', { query: { id } }), recordSchema).status

    for (const endpoint of ['collect', 'deposit'] as const) {
      test(`SUCCESS of a ${endpoint}, and a webhook with the eight fields`, async () => {
        const body = aRequest({ webhookUrl, amount: 1234.5 })
        const made = expectOk(await call(service(), partner, endpoint, { body }), initiationSchema)
        const { body: told, headers, method } = await webhookOf(made.transactionId)
        assert.equal(method, 'POST')
        assert.equal(headers['content-type'], 'application/json')
        assert.deepEqual(Object.keys(told).sort(), [
          'amount',
          'externalId',
          'message',
          'phoneNumber',
          'status',
          'timestamp',
          'transactionId',
          'transferMethod',
        ])
        assert.deepEqual(
          [told['externalId'], told['transactionId'], told['status'], told['amount'], told['phoneNumber'], told['transferMethod']],
          [body.externalId, made.transactionId, 'SUCCESS', 1234.5, '237699000111', 'OMCM'],
        )
        assert.ok(Math.abs(Date.parse(String(told['timestamp'])) - Date.now()) < 60_000)
        assert.equal(await statusOf(made.transactionId), 'SUCCESS')
      })
    }

    for (const [digits, message] of [
      ['901', FAILURE_MESSAGES.insufficientFunds],
      ['902', FAILURE_MESSAGES.invalidNumber],
      ['903', FAILURE_MESSAGES.cancelledByCustomer],
      ['904', FAILURE_MESSAGES.operatorTimeout],
      ['905', FAILURE_MESSAGES.notRegistered],
    ] as const) {
      test(`FAILED with "${message}" for a collect that the operator fails`, async () => {
        const made = expectOk(
          await call(service(), partner, 'collect', { body: aRequest({ webhookUrl, phoneNumber: `237699000${digits}` }) }),
          initiationSchema,
        )
        const { body } = await webhookOf(made.transactionId)
        assert.deepEqual([body['status'], body['message']], ['FAILED', message])
        assert.equal(await statusOf(made.transactionId), 'FAILED')
      })
    }

    test('200 for a deposit that the balance does not cover, then FAILED with "Solde insuffisant"', async () => {
      const made = expectOk(await call(service(), partner, 'deposit', { body: aRequest({ webhookUrl }, 'SNOM') }), initiationSchema)
      assert.equal(made.transactionStatus, 'PENDING')
      const { body } = await webhookOf(made.transactionId)
      assert.deepEqual([body['status'], body['message']], ['FAILED', 'Solde insuffisant'])
    })

    describe('POST /chekTransactionStatus', () => {
      const check = (transactionId: string, by = partner) => call(service(), by, 'chekTransactionStatus', { query: { transactionId } })

      test('200 with the record and the status that the operator returned', async () => {
        // 906: executed, and the callback is lost.
        const made = expectOk(
          await call(service(), partner, 'collect', { body: aRequest({ phoneNumber: '237699000906' }) }),
          initiationSchema,
        )
        const record = await waitUntil('the operator says SUCCESS', async () => {
          const answer = expectOk(await check(made.transactionId), recordSchema)
          return answer.status === 'SUCCESS' && answer
        })
        assert.equal(record.id, made.transactionId)
        assert.equal(await statusOf(made.transactionId), 'SUCCESS')
      })

      test('200 with PENDING for what the operator is still processing, and with the stored status for a final transaction', async () => {
        const pending = expectOk(
          await call(service(), partner, 'collect', { body: aRequest({ phoneNumber: '237699000912' }) }),
          initiationSchema,
        )
        const first = await waitUntil('the operator knows it', async () => {
          const answer = await check(pending.transactionId)
          return answer.status === 200 && answer
        })
        assert.equal(expectOk(first, recordSchema).status, 'PENDING')
        const final = expectOk(
          await call(service(), partner, 'collect', { body: aRequest({ phoneNumber: '237699000902' }) }),
          initiationSchema,
        )
        await waitUntil('it has failed', async () => (await statusOf(final.transactionId)) === 'FAILED')
        assert.equal(expectOk(await check(final.transactionId), recordSchema).status, 'FAILED')
      })

      test('404 for a transaction that does not exist or is another application’s, 400 for an id that is not a UUID', async () => {
        const made = expectOk(await call(service(), partner, 'collect', { body: aRequest() }), initiationSchema)
        expectError(await check(made.transactionId, service().stranger), 404, `${BASE}/chekTransactionStatus`)
        expectError(await check(randomUUID()), 404)
        assert.match(expectError(await check('x'), 400), /transactionId must be a UUID/)
        assert.match(expectError(await call(service(), partner, 'chekTransactionStatus'), 400), /transactionId is required/)
        assert.match(
          expectError(await call(service(), partner, 'chekTransactionStatus', { query: { id: made.transactionId } }), 400),
          /transactionId is required/,
        )
      })
    })
  })
}
