import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { operatorStatusSchema } from '#lib/schemas/api/operator-responses.ts'
import type { TransferService } from '#server/applications/snapshot.ts'
import { setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { must } from '#server/testing/partner.ts'
import { OPERATORS_PATH } from './operators.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

async function list() {
  const response = await fetch(`${harness.baseUrl}${OPERATORS_PATH}`, { headers: harness.headers })
  assert.equal(response.status, 200)
  return operatorStatusSchema.array().parse(await response.json())
}

test('200 with every operator, operational in both directions, and the amounts that it takes', async () => {
  const listed = await list()
  assert.deepEqual(
    listed.map(({ transferMethod }) => transferMethod),
    [...OPERATOR_CODES],
  )
  for (const { transferMethod, currency, collect, deposit } of listed) {
    const { limits, country } = OPERATORS[transferMethod]
    assert.deepEqual([currency, collect.state, collect.since, collect.enforcesLimits], [country.currency, 'OPERATIONAL', null, false])
    assert.deepEqual(
      [deposit.minimumAmount, deposit.maximumAmount].map((amount) => BigInt(amount * 100)),
      [limits.DEPOSIT.minimumMinor, limits.DEPOSIT.maximumMinor],
    )
  }
})

test('DISABLED or NOT_IN_SERVICE where a transaction would be refused, CLOSED or SHORT where it would wait, with its beginning', async () => {
  const { pool } = harness.database
  const { applicationId } = harness.partner
  const open: TransferService = { isEnabled: true, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
  const set = async (operator: OperatorCode, type: TransactionType, service: TransferService) =>
    must(await setTransferService(pool, { applicationId, operator, type, service, actor: SYSTEM_ACTOR }))
  await set('OMCM', 'DEPOSIT', { ...open, isEnabled: false })
  await set('MOMOCM', 'COLLECT', { ...open, enforcesLimits: true, maximumMinor: 7_500_00n })
  await harness.directory.refresh()
  const closed =
    "insert into operator_circuits (operator, type, state, since) values ('BJMTN', 'DEPOSIT', 'CLOSED', '2026-11-05T09:12:30Z')"
  await pool.query(closed)
  await pool.query(
    "insert into operator_floats (operator, waits_since, try_at, is_refused) select code, '2026-11-05T09:00:00Z', 'infinity', true from unnest(array['BJMTN', 'CIOM']) code",
  )
  const byCode = new Map((await list()).map((each) => [each.transferMethod, each]))
  const deposit = (code: (typeof OPERATOR_CODES)[number]) => {
    const { state, since } = byCode.get(code)?.deposit ?? assert.fail()
    return [state, since]
  }
  assert.deepEqual(deposit('OMCM'), ['DISABLED', null])
  assert.equal(byCode.get('OMCM')?.collect.state, 'OPERATIONAL')
  assert.deepEqual(deposit('BJMTN'), ['CLOSED', '2026-11-05T09:12:30.000Z'])
  assert.deepEqual(deposit('CIOM'), ['SHORT', '2026-11-05T09:00:00.000Z'])
  const { collect } = byCode.get('MOMOCM') ?? assert.fail()
  assert.deepEqual([collect.enforcesLimits, collect.maximumAmount, collect.state], [true, 7_500, 'OPERATIONAL'])
})

test('401 without credentials, 400 for a repeated parameter, 405 for another method', async () => {
  const statusOf = async (search: string, init: RequestInit) => (await fetch(`${harness.baseUrl}${OPERATORS_PATH}${search}`, init)).status
  const { headers } = harness
  assert.deepEqual(
    [await statusOf('', {}), await statusOf('?a=1&a=2', { headers }), await statusOf('', { method: 'POST', headers })],
    [401, 400, 405],
  )
})
