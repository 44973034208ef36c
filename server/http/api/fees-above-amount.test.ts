import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errorSchema } from '#lib/schemas/api/responses.ts'
import { setFeeSchedule } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { must } from '#server/testing/partner.ts'

const TRANSACTION = '/api/v1/transaction'
let harness: HttpHarness

before(async () => {
  harness = await openHttpHarness()
  const { applicationId } = harness.partner
  const fees = { systemRatePpm: 0, systemFixedMinor: 50_000n, appRatePpm: 0, appFixedMinor: 100n }
  for (const type of ['COLLECT', 'DEPOSIT'] as const)
    must(await setFeeSchedule(harness.database.pool, { applicationId, operator: 'OMCM', type, fees, actor: SYSTEM_ACTOR }))
  await harness.directory.refresh()
})
after(() => harness.close())

async function post(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${harness.baseUrl}${TRANSACTION}/${path}`, {
    method: 'POST',
    headers: harness.headers,
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

const request = (amount: number) => ({ ...aCollect(), transferMethod: 'OMCM', amount })

async function written(): Promise<bigint> {
  const { rows } = await harness.database.pool.query<{ n: bigint }>('select count(*) as n from transactions where application_id = $1', [
    harness.partner.applicationId,
  ])
  return rows[0]?.n ?? 0n
}

test('400 for a collect whose fees leave nothing of it, with the amount, the fees and the smallest amount, and nothing is written', async () => {
  const before = await written()
  for (const amount of [100, 501, 0.01]) {
    const answer = await post('collect', request(amount))
    assert.equal(answer.status, 400)
    assert.equal(
      errorSchema.parse(answer.body).message,
      `amount must be greater than the fees: a COLLECT of ${amount} with OMCM costs 501 (feesSystem 500, feesApp 1). Send at least 501.01, or agree on other fees with the service.`,
    )
  }
  assert.equal(await written(), before)
})

test('200 for a collect that leaves the smallest part of itself', async () => {
  const answer = await post('collect', request(501.01))
  assert.equal(answer.status, 200)
})

test('200 for deposits below their fees, one and in an array: the balance pays the amount and the fees', async () => {
  assert.equal((await post('deposit', request(100))).status, 200)
  assert.equal((await post('depositMultiple', [request(100)])).status, 200)
})
