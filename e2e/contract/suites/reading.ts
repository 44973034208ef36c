import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { z } from 'zod'
import { fundDeposits, newPartner } from '#e2e/contract/arrange.ts'
import { aRequest, BASE, call, expectError, expectOk } from '#e2e/contract/partner-program.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { balanceSchema, initiationSchema, pageSchema, recordSchema } from '#lib/schemas/api/responses.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const PAGED = [
  ['getByApplicationProduct', {}],
  ['getByApplicationProductAndPhoneReceiver', { phoneNumber: '237699000111' }],
  ['getByApplicationProductAndStatus', { transactionStatus: 'PENDING' }],
] as const

const WRONG_PAGES: [query: Record<string, string>, message: RegExp][] = [
  [{ size: '10' }, /page is required/],
  [{ page: '0' }, /size is required/],
  [{ page: '-1', size: '10' }, /page must be/],
  [{ page: '0', size: '0' }, /size must be/],
  [{ page: '0', size: '1001' }, /size must be/],
  [{ page: '0.5', size: '10' }, /page must be/],
  [{ page: 'x', size: '10' }, /page/],
  [{ page: '', size: '' }, /page.*size/],
  [{ page: '1e3', size: '10' }, /page/],
  [{ page: '99999999999999999999', size: '10' }, /page/],
  [{ page: '0', size: ' 10' }, /size/],
]

/** The reads of partners: one transaction, lists, totals, balances. */
export function describeReading(service: () => ContractService): void {
  const get = (partner: Partner, name: string, query?: Record<string, string>) => call(service(), partner, name, { method: 'GET', query })

  describe('POST /transaction-status', () => {
    test('200 with the record and its payToken for a POST with an empty body and a JSON content type', async () => {
      const { partner } = service()
      const body = aRequest({ amount: 100.5, phoneNumber: '237699000912' })
      const made = expectOk(await call(service(), partner, 'collect', { body }), initiationSchema)
      const answer = await call(service(), partner, 'transaction-status', {
        query: { id: made.transactionId },
        headers: { 'Content-Length': '0' },
      })
      const record = expectOk(answer, recordSchema)
      assert.deepEqual(record, {
        id: made.transactionId,
        externalId: body.externalId,
        amount: 100.5,
        feesSystem: made.feesSystem,
        feesApp: made.feesApp,
        phoneReceiver: '237699000912',
        receiverName: 'Awa Ndiaye',
        status: 'PENDING',
        transferMethod: 'OMCM',
        transactionType: 'COLLECT',
        countryName: 'CAMEROON',
        payToken: made.payToken,
      })
      expectOk(await call(service(), partner, 'transaction-status', { query: { id: made.transactionId.toUpperCase() } }), recordSchema)
    })

    test('404 with the same message for an unknown id and for a transaction of another application', async () => {
      const made = expectOk(await call(service(), service().stranger, 'collect', { body: aRequest() }), initiationSchema)
      const messages = [made.transactionId, randomUUID()].map(async (id) =>
        expectError(await call(service(), service().partner, 'transaction-status', { query: { id } }), 404, `${BASE}/transaction-status`),
      )
      assert.equal(new Set(await Promise.all(messages)).size, 1)
    })

    test('400 for an id that is missing or not a UUID', async () => {
      assert.match(expectError(await call(service(), service().partner, 'transaction-status'), 400), /id is required/)
      for (const id of ['', 'abc', '123', `${randomUUID()}x`])
        assert.match(
          expectError(await call(service(), service().partner, 'transaction-status', { query: { id } }), 400),
          /id must be a UUID/,
        )
    })
  })

  describe('lists', () => {
    let partner: Partner
    const externalIds: string[] = []
    before(async () => {
      partner = await newPartner(service())
      for (let index = 0; index < 7; index++) {
        // 912: the operator leaves it pending forever, so that the lists do not change.
        const body = aRequest({ phoneNumber: `23769900${index % 2}912`, amount: 100 + index })
        externalIds.unshift(body.externalId)
        expectOk(await call(service(), partner, 'collect', { body }), initiationSchema)
      }
    })

    for (const [name, extra] of PAGED) {
      test(`400 from /${name} for a page or size that is missing or out of range`, async () => {
        for (const [query, message] of WRONG_PAGES)
          assert.match(expectError(await get(partner, name, { ...extra, ...query }), 400, `${BASE}/${name}`), message)
        expectOk(await get(partner, name, { ...extra, page: '0', size: '1000' }), pageSchema)
        const beyond = expectOk(await get(partner, name, { ...extra, page: '2147483647', size: '1000' }), pageSchema)
        assert.deepEqual(beyond.content, [])
      })
    }

    test('200 with pages newest first, without payToken, with the whole count, and without gaps between them', async () => {
      const seen: string[] = []
      for (const number of [0, 1, 2, 3]) {
        const page = expectOk(await get(partner, 'getByApplicationProduct', { page: String(number), size: '3' }), pageSchema)
        assert.deepEqual([page.totalElements, page.totalPages, page.size, page.number], [7, 3, 3, number])
        seen.push(...page.content.map((record) => record.externalId))
      }
      assert.deepEqual(seen, externalIds)
    })

    test('200 with the transactions of one phone number only, and none for another number', async () => {
      const page = expectOk(
        await get(partner, 'getByApplicationProductAndPhoneReceiver', { phoneNumber: '237699000912', page: '0', size: '10' }),
        pageSchema,
      )
      assert.equal(page.totalElements, 4)
      assert.ok(page.content.every((record) => record.phoneReceiver === '237699000912'))
      const none = expectOk(
        await get(partner, 'getByApplicationProductAndPhoneReceiver', { phoneNumber: '237600000000', page: '0', size: '10' }),
        pageSchema,
      )
      assert.deepEqual([none.content, none.totalElements, none.totalPages], [[], 0, 0])
      for (const phoneNumber of ['+237699000912', 'abc', ''])
        expectError(await get(partner, 'getByApplicationProductAndPhoneReceiver', { phoneNumber, page: '0', size: '10' }), 400)
      assert.match(
        expectError(await get(partner, 'getByApplicationProductAndPhoneReceiver', { page: '0', size: '10' }), 400),
        /phoneNumber is required/,
      )
    })

    test('200 for each of the four statuses, 400 for any other value', async () => {
      for (const [transactionStatus, total] of [
        ['PENDING', 7],
        ['PENDING_APPROVAL', 0],
        ['SUCCESS', 0],
        ['FAILED', 0],
      ] as const) {
        const page = expectOk(
          await get(partner, 'getByApplicationProductAndStatus', { transactionStatus, page: '0', size: '10' }),
          pageSchema,
        )
        assert.equal(page.totalElements, total)
        assert.ok(page.content.every((record) => record.status === transactionStatus))
      }
      for (const transactionStatus of ['pending', 'DONE', ''])
        expectError(await get(partner, 'getByApplicationProductAndStatus', { transactionStatus, page: '0', size: '10' }), 400)
      assert.match(
        expectError(await get(partner, 'getByApplicationProductAndStatus', { page: '0', size: '10' }), 400),
        /transactionStatus is required/,
      )
    })

    test('200 with the lists, totals and balances of the calling application only', async () => {
      const other = await newPartner(service())
      for (const [name, extra] of PAGED) {
        const page = expectOk(await get(other, name, { ...extra, page: '0', size: '10' }), pageSchema)
        assert.deepEqual(page, { content: [], totalElements: 0, totalPages: 0, size: 10, number: 0 })
      }
      assert.equal((await get(other, 'getTotalAmountByApplicationProduct')).text, '0')
    })
  })

  describe('totals', () => {
    test('200 with one JSON number, exact to the last digit, also above what a float can hold', async () => {
      const partner = await newPartner(service())
      const largest = 9_999_999_999.99
      for (let index = 0; index < 3; index++)
        expectOk(
          await call(service(), partner, 'collect', { body: aRequest({ amount: largest, phoneNumber: '237699000912' }) }),
          initiationSchema,
        )
      const total = await get(partner, 'getTotalAmountByApplicationProduct')
      assert.equal(expectOk(total, z.number()), 29_999_999_999.97)
      assert.equal(total.text, '29999999999.97')
      const today = new Date().toISOString().slice(0, 10)
      const range = (status: string, startDate = today, endDate = today) =>
        get(partner, 'getTotalAmountByApplicationProductAndDateRange', { startDate, endDate, status })
      assert.equal((await range('PENDING')).text, '29999999999.97')
      assert.equal((await range('SUCCESS')).text, '0')
      assert.equal((await range('PENDING', '2020-01-01', '2020-12-31')).text, '0')
      await service().pool.query('select add_transaction_days($1, 1000)', [partner.applicationId])
      await service().pool.query('update transaction_days set amount_minor = 900719925474099312 where application_id = $1', [
        partner.applicationId,
      ])
      assert.equal((await range('PENDING')).text, '9007199254740993.12')
    })

    test('400 for dates that are missing, impossible or in the wrong order, and for an unknown status', async () => {
      const valid = { startDate: '2026-01-01', endDate: '2026-01-31', status: 'SUCCESS' }
      const name = 'getTotalAmountByApplicationProductAndDateRange'
      assert.equal((await get(service().partner, name, valid)).status, 200)
      assert.equal((await get(service().partner, name, { ...valid, endDate: valid.startDate })).status, 200)
      assert.equal((await get(service().partner, name, { ...valid, startDate: '0001-01-01', endDate: '9999-12-31' })).status, 200)
      for (const [change, message] of [
        [{ startDate: '2026-02-30' }, /startDate must be/],
        [{ startDate: '0000-01-01' }, /startDate must be .* from 0001-01-01/],
        [{ startDate: '01/02/2026' }, /startDate/],
        [{ endDate: '2026-13-01' }, /endDate must be/],
        [{ endDate: '2025-12-31' }, /endDate must not be before/],
        [{ status: 'DONE' }, /status must be/],
        [{ status: 'success' }, /status/],
        [{ startDate: '2026-01-01T00:00:00Z' }, /startDate/],
        [{ endDate: '+002026-01-01' }, /endDate/],
      ] as const)
        assert.match(expectError(await get(service().partner, name, { ...valid, ...change }), 400), message)
      assert.match(expectError(await get(service().partner, name), 400), /startDate is required.*endDate is required.*status is required/)
    })
  })

  describe('GET /getByApplicationProductBalances', () => {
    test('200 with one record for each of the thirteen operators, zero if there are no transactions', async () => {
      const partner = await newPartner(service())
      const balances = expectOk(await get(partner, 'getByApplicationProductBalances'), z.array(balanceSchema))
      assert.deepEqual(
        balances,
        OPERATOR_CODES.map((serviceType) => ({ serviceType, balanceCollect: 0, balanceDeposit: 0 })),
      )
    })

    test('200 with a deposit balance less the pending deposit and its fees, and a collect balance with the collect less its fees', async () => {
      const partner = await newPartner(service())
      await fundDeposits(service(), partner, 'OMCM', 1_000_000n)
      expectOk(
        await call(service(), partner, 'deposit', { body: aRequest({ phoneNumber: '237699000912', amount: 5000 }) }),
        initiationSchema,
      )
      const of = async (code: string) =>
        expectOk(await get(partner, 'getByApplicationProductBalances'), z.array(balanceSchema)).find(
          (balance) => balance.serviceType === code,
        )
      assert.deepEqual(await of('OMCM'), { serviceType: 'OMCM', balanceCollect: 0, balanceDeposit: 10_000 - 5_075 })
      expectOk(await call(service(), partner, 'collect', { body: aRequest({ amount: 5000 }, 'MOMOCM') }), initiationSchema)
      await waitUntil('the collect has arrived', async () => (await of('MOMOCM'))?.balanceCollect === 4_925)
    })
  })
}
