import assert from 'node:assert/strict'
import { afterEach, before, describe, test } from 'node:test'
import { aCollect } from '#e2e/processes/requests.ts'
import { signCallback } from '#server/operators/sandbox-protocol/messages.ts'
import { sayNotFound, sayTransfer } from '#server/operators/testing/scripted-operator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { OPERATOR_SECRET, type PayoutService } from '../payout-service.ts'
import { assertPaidOnce, newNumber } from '../steps.ts'

/** An operator, or somebody between it and the service, answers late, twice, wrongly, or with what belongs to another payment. */
export function describeOperator(service: () => PayoutService): void {
  describe('a dishonest operator', () => {
    let usual: PayoutService['operator']['script']
    before(() => {
      usual = { ...service().operator.script }
    })
    afterEach(() => Object.assign(service().operator.script, usual))

    async function start(type: 'deposit' | 'collect'): Promise<string> {
      const { baseUrl, kora } = service()
      const body = JSON.stringify(aCollect({ phoneNumber: newNumber() }))
      const answer = await fetch(`${baseUrl}/api/v1/transaction/${type}`, { method: 'POST', headers: kora.headers, body })
      return String(((await answer.json()) as Readonly<Record<string, unknown>>)['transactionId'])
    }
    const queriesOf = (id: string) => service().operator.queried.filter((reference) => reference === id).length
    const forceQuery = async (id: string) => {
      const { baseUrl, kora } = service()
      await fetch(`${baseUrl}/api/v1/transaction/chekTransactionStatus?transactionId=${id}`, { method: 'POST', headers: kora.headers })
    }
    const statusOf = async (id: string) =>
      (await service().database.pool.query<{ status: string }>('select status from transactions where transaction_id = $1', [id])).rows[0]
        ?.status
    const postings = async (id: string) =>
      (await service().database.pool.query('select kind from ledger_postings where subject_id = $1 order by at', [id])).rows.map(
        ({ kind }) => kind,
      )
    async function callBack(id: string, status: string, operatorReference = `OP-${id.slice(0, 8)}`): Promise<number> {
      const { baseUrl, kora } = service()
      const body = JSON.stringify({ reference: id, status, operatorReference, context: kora.applicationId })
      const headers = { 'content-type': 'application/json', 'x-sandbox-signature': signCallback(OPERATOR_SECRET, body, new Date()) }
      return (await fetch(`${baseUrl}/operators/callback/MOMOCM`, { method: 'POST', headers, body })).status
    }

    test('submitted once and settled once: a result that comes late, twice by callback and again by queries', async () => {
      const { operator } = service()
      operator.script.submit = (asked) => sayTransfer(asked, 'PENDING')
      operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
      const id = await start('deposit')
      await waitUntil('it was submitted', () => operator.submitted.includes(id))
      await forceQuery(id)
      assert.equal(await statusOf(id), 'PENDING')
      operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
      assert.deepEqual(await Promise.all([1, 2, 3].map(() => callBack(id, 'SUCCESS'))), [200, 200, 200])
      await assertPaidOnce(service(), id)
      await Promise.all([callBack(id, 'SUCCESS'), callBack(id, 'FAILED'), forceQuery(id)])
      assert.equal(await statusOf(id), 'SUCCESS')
      assert.deepEqual(await postings(id), ['hold', 'settle'])
    })

    test('never submitted again after an answer that was lost, while the operator does not deny it', async () => {
      const { operator } = service()
      operator.script.submit = ({ response }) => response.destroy()
      operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
      const id = await start('deposit')
      await waitUntil('it was queried', () => queriesOf(id) > 0)
      await forceQuery(id)
      assert.equal(operator.submitted.filter((reference) => reference === id).length, 1)
      operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
      await forceQuery(id)
      await assertPaidOnce(service(), id)
    })

    for (const [what, more] of [
      ['amount', { amount: '4999' }],
      ['currency', { currency: 'EUR' }],
      ['number', { phoneNumber: '237600000000' }],
    ] as const)
      test(`PENDING, and nothing credited: a success with another ${what}`, async () => {
        const { operator } = service()
        operator.script.submit = (asked) => sayTransfer(asked, 'PENDING')
        operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS', more)
        const id = await start('collect')
        await waitUntil('it was submitted', () => operator.submitted.includes(id))
        await forceQuery(id)
        assert.ok(queriesOf(id) > 0)
        assert.equal(await statusOf(id), 'PENDING')
        assert.deepEqual(await postings(id), [])
      })

    test('PENDING, both of them: two payments that are answered with each other’s results', async () => {
      const { operator } = service()
      operator.script.submit = (asked) => sayTransfer(asked, 'PENDING')
      const [one, two] = [await start('deposit'), await start('collect')]
      await waitUntil('both were submitted', () => operator.submitted.includes(one) && operator.submitted.includes(two))
      operator.script.query = ({ response, reference }) => sayTransfer({ response, reference: reference === one ? two : one }, 'SUCCESS')
      await Promise.all([forceQuery(one), forceQuery(two)])
      assert.ok(queriesOf(one) > 0 && queriesOf(two) > 0)
      assert.deepEqual([await statusOf(one), await statusOf(two)], ['PENDING', 'PENDING'])
    })

    test('decided by the query: a signed callback that reports a success, or a failure, which the operator’s query does not', async () => {
      const { operator } = service()
      operator.script.submit = (asked) => sayTransfer(asked, 'PENDING')
      operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
      for (const claim of ['SUCCESS', 'FAILED']) {
        const id = await start('deposit')
        await waitUntil('it was submitted', () => operator.submitted.includes(id))
        assert.equal(await callBack(id, claim), 200)
        await waitUntil('it was queried', () => queriesOf(id) > 0)
        assert.equal(await statusOf(id), 'PENDING')
      }
    })

    test('a signed callback about a payment that is not in the application it names has no effect', async () => {
      const { operator, baseUrl, teranga } = service()
      operator.script.submit = (asked) => sayTransfer(asked, 'PENDING')
      operator.script.query = sayNotFound
      const id = await start('deposit')
      await waitUntil('it was submitted', () => operator.submitted.includes(id))
      const body = JSON.stringify({ reference: id, status: 'FAILED', operatorReference: 'x', context: teranga.applicationId })
      const headers = { 'content-type': 'application/json', 'x-sandbox-signature': signCallback(OPERATOR_SECRET, body, new Date()) }
      assert.equal((await fetch(`${baseUrl}/operators/callback/MOMOCM`, { method: 'POST', headers, body })).status, 200)
      assert.equal(await statusOf(id), 'PENDING')
      assert.deepEqual(await postings(id), ['hold'])
    })
  })
}
