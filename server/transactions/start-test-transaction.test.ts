import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { must } from '#server/testing/partner.ts'
import { startTestTransaction } from './start-transactions.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

type Input = Parameters<typeof startTestTransaction>[1]

async function start(changes: Partial<Input> = {}) {
  const { directory, partner, runtime } = harness
  await directory.refresh()
  const application = directory.find(partner.applicationId)
  assert.ok(application)
  return startTestTransaction(runtime, {
    application,
    isSandbox: true,
    actor: { kind: 'person', id: crypto.randomUUID(), applicationId: partner.applicationId, roles: ['engineer'] },
    apiUserId: partner.apiUserId,
    type: 'COLLECT',
    operator: 'SNOM',
    ending: '903',
    amount: '5000',
    webhookUrl: 'https://partner.example/hook',
    ...changes,
  })
}

test('started as a program of the application would start it, with the number of the outcome, and audited with the person', async () => {
  const { transactionId } = must(await start())
  const { rows } = await harness.database.pool.query(
    'select source, phone_number, amount_minor, fee_system_minor, webhook_url from transactions where transaction_id = $1',
    [transactionId],
  )
  assert.deepEqual(rows[0], {
    source: 'api',
    phone_number: '221700000903',
    amount_minor: 500_000n,
    fee_system_minor: 5_000n,
    webhook_url: 'https://partner.example/hook',
  })
  const [entry] = await listAudit(harness.database.pool, harness.partner.applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.subject, entry?.actor.kind], ['sandbox.transaction_started', transactionId, 'person'])
})

for (const [expected, changes] of [
  ['not_a_sandbox', { isSandbox: false }],
  ['no_api_user', { apiUserId: undefined }],
  ['invalid', { amount: '0' }],
  ['invalid', { amount: '12345678901' }],
  ['invalid', { webhookUrl: 'ftp://partner.example' }],
  ['not_permitted', { actor: { kind: 'person', id: crypto.randomUUID(), applicationId: crypto.randomUUID(), roles: ['engineer'] } }],
] as const satisfies readonly (readonly [string, Partial<Input>])[]) {
  test(`${expected}, and nothing started, with ${JSON.stringify(changes)}`, async () => {
    const count = async () => (await harness.database.pool.query('select count(*)::int as rows from transactions')).rows[0].rows
    const before = await count()
    assert.deepEqual(await start(changes), { ok: false, error: expected })
    assert.equal(await count(), before)
  })
}

test('refused where the API would refuse: a service that is off', async () => {
  const { applicationId } = harness.partner
  const service = { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
  must(
    await setTransferService(harness.database.pool, { applicationId, operator: 'SNFREE', type: 'COLLECT', service, actor: SYSTEM_ACTOR }),
  )
  assert.deepEqual(await start({ operator: 'SNFREE' }), { ok: false, error: 'refused' })
})
