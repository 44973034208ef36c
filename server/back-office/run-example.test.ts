import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { listAudit } from '#server/audit/read-audit.ts'
import { OverloadedError } from '#server/database/batcher.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { must } from '#server/testing/partner.ts'
import { runExample } from './run-example.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness({ config: { isSandbox: true } })
})
after(() => harness.close())

type Input = Parameters<typeof runExample>[1]

function applicationNow() {
  return harness.directory.find(harness.partner.applicationId) ?? assert.fail('the application is unknown')
}

async function run(operation: string, changes: Partial<Input> = {}, runtime = harness.runtime) {
  await harness.directory.refresh()
  return runExample(runtime, {
    application: applicationNow(),
    actor: { kind: 'person', id: randomUUID(), applicationId: harness.partner.applicationId, roles: ['engineer'] },
    // On no allow list.
    address: '203.0.113.9',
    operation,
    body: null,
    variables: {},
    ...changes,
  })
}

test('200 for a collect without credentials, as a new payment each time, recorded with the person and in the list of calls', async () => {
  const [first, second] = [must(await run('collect')), must(await run('collect'))]
  assert.deepEqual([first.status, second.status, first.transactionIds.length], [200, 200, 1])
  assert.match(first.customerPage ?? '', /^\/pay\/[0-9a-f-]{36}$/)
  assert.notEqual(first.transactionIds[0], second.transactionIds[0])
  const { rows } = await harness.database.pool.query('select source, external_id from transactions where transaction_id = any($1)', [
    [...first.transactionIds, ...second.transactionIds],
  ])
  assert.deepEqual(
    rows.map(({ source }) => source),
    ['api', 'api'],
  )
  const [entry] = await listAudit(harness.database.pool, harness.partner.applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.subject, entry?.actor.kind], ['sandbox.example_run', 'collect', 'person'])
  await harness.runtime.recentCalls?.close()
  const calls = await harness.database.pool.query(
    `select status, key_prefix, address, request_headers from api_requests where application_id = $1 and transaction_ids @> array[$2]::uuid[]`,
    [harness.partner.applicationId, first.transactionIds[0]],
  )
  assert.deepEqual([calls.rows[0]?.status, calls.rows[0]?.key_prefix, calls.rows[0]?.address], [200, null, '203.0.113.9'])
  assert.match(calls.rows[0]?.request_headers, /user-agent: API reference \(Run\)/)
})

test('200 or a refusal with a reason, never 401 or 500, for every example that a page may run', async () => {
  const deposit = must(await run('deposit'))
  assert.equal(deposit.customerPage, null)
  const made = deposit.transactionIds[0] ?? assert.fail('no transaction')
  const ran: string[] = []
  for (const [id, { run: example }] of readReference().operations) {
    if (!example) continue
    const { status, body } = must(await run(id, { variables: { TRANSACTION_ID: made, BATCH_ID: randomUUID() } }))
    assert.ok(status < 500 && status !== 401 && status !== 405, `${id}: ${status} ${body}`)
    assert.doesNotMatch(body, /is not valid JSON|\$[A-Z]/, id)
    if (status === 200) ran.push(id)
  }
  for (const id of ['collect', 'deposit', 'depositMultiple', 'createCollect', 'createBatch', 'transactionStatus', 'listOperators'])
    assert.ok(ran.includes(id), `${id} was refused`)
})

test('400 with the reason of the API for a body that was changed, and 200 for one with another number', async () => {
  const body = readReference().operations.get('collect')?.run?.body ?? assert.fail('no example')
  assert.match(must(await run('collect', { body: body.replace('5000', '-5') })).body, /amount must/)
  assert.equal(must(await run('collect', { body: '{' })).status, 400)
  assert.equal(must(await run('collect', { body: body.replace('237677209341', '237677209901') })).status, 200)
})

test('503 of the API as the answer of the run', async () => {
  const full = { ...harness.runtime, intake: { submit: () => Promise.reject(new OverloadedError(1)) } }
  const { status, retryAfter, transactionIds } = must(await run('collect', {}, full))
  assert.deepEqual([status, retryAfter, transactionIds], [503, '1', []])
})

for (const [expected, operation, changes] of [
  ['not_found', 'validateTransaction', {}],
  ['not_found', 'rejectTransaction', {}],
  ['not_found', 'accessToken', {}],
  ['not_found', '__proto__', {}],
  ['invalid', 'transactionStatus', {}],
  ['not_permitted', 'collect', { actor: { kind: 'person', id: randomUUID(), applicationId: randomUUID(), roles: ['engineer'] } }],
] as const)
  test(`${expected}, and nothing recorded: ${operation} ${JSON.stringify(changes).slice(0, 30)}`, async () => {
    const count = async () => (await listAudit(harness.database.pool, harness.partner.applicationId, { size: 100 })).length
    const before = await count()
    assert.deepEqual(await run(operation, changes), { ok: false, error: expected })
    assert.equal(await count(), before)
  })

test('not_permitted for a maker of the same application', async () => {
  const actor = { kind: 'person', id: randomUUID(), applicationId: harness.partner.applicationId, roles: ['maker'] } as const
  assert.deepEqual(await run('collect', { actor }), { ok: false, error: 'not_permitted' })
})

test('not_a_sandbox outside of a sandbox', async () => {
  const config = { ...harness.runtime.config, isSandbox: false }
  assert.deepEqual(await run('collect', {}, { ...harness.runtime, config }), { ok: false, error: 'not_a_sandbox' })
})

test('403 of the API where the application is disabled', async () => {
  const application = { ...applicationNow(), isEnabled: false }
  for (const operation of ['collect', 'listOperators']) assert.equal(must(await run(operation, { application })).status, 403, operation)
})

test('no_api_user where every API user is blocked', async () => {
  const application = { ...applicationNow(), blockedApiUserIds: new Set([harness.partner.apiUserId]) }
  assert.deepEqual(await run('collect', { application }), { ok: false, error: 'no_api_user' })
})
