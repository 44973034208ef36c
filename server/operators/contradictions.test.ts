import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { SIGNATURE_HEADER, signCallback } from '#server/operators/sandbox-protocol/signature.ts'
import { OperatorHarness, SECRET } from '#server/operators/testing/operator-harness.ts'
import { type ScriptedOperator, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { SYSTEM_ACTOR } from '#server/transactions/actor.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { handleCallback } from './handle-callback.ts'
import { queryContradictions } from './query-contradictions.ts'
import { settleFinalResult } from './settle-final-result.ts'

let operator: ScriptedOperator
let room: OperatorHarness
before(async () => {
  operator = await startScriptedOperator({ submit: () => undefined, query: (asked) => sayTransfer(asked, 'SUCCESS') })
  room = await OperatorHarness.open({ elsewhere: { OMCM: operator.url } })
})
after(async () => {
  await room.close()
  await operator.close()
})

async function ended(status: 'SUCCESS' | 'FAILED'): Promise<IntakeItem> {
  const item = await room.make({ operator: 'OMCM', type: 'COLLECT' })
  const event = status === 'SUCCESS' ? 'succeeded' : 'failed'
  await transition(room.database.pool, [{ ...item, event, message: 'x', actor: SYSTEM_ACTOR }])
  return item
}

type CallbackOf = Pick<IntakeItem, 'applicationId' | 'transactionId'>

function callback(item: CallbackOf, status: 'SUCCESS' | 'FAILED' | 'PENDING', options: { secret?: string; operator?: string } = {}) {
  const body = JSON.stringify({ reference: item.transactionId, context: item.applicationId, status, operatorReference: 'OP1' })
  const headers = { [SIGNATURE_HEADER]: signCallback(options.secret ?? SECRET, body, new Date()) }
  return handleCallback(room.desk, options.operator ?? 'OMCM', headers, Buffer.from(body))
}

function askAll(): Promise<number> {
  return queryContradictions({ pool: room.database.pool, connectors: room.connectors, logger: createLogger('silent') })
}

/** Everything recorded against a transaction, each as `number source said stored`. */
async function recordedOf(item: CallbackOf): Promise<string[]> {
  const { rows } = await room.database.pool.query<{ text: string }>(
    `select concat_ws(' ', number, source, said, stored_status) as text from operator_contradictions
       where application_id = $1 and transaction_id = $2 order by number`,
    [item.applicationId, item.transactionId],
  )
  return rows.map((row) => row.text)
}

async function queueLength(): Promise<number> {
  const { rows } = await room.database.pool.query<{ count: bigint }>('select count(*) from contradiction_queries')
  return Number(rows[0]?.count)
}

async function endTries(): Promise<void> {
  await room.database.pool.query('update contradiction_queries set next_at = now()')
}

test('FAILED stays FAILED when a callback says SUCCESS: it is recorded, the operator is asked once, its answer is recorded', async () => {
  const item = await ended('FAILED')
  assert.deepEqual(await callback(item, 'SUCCESS'), { ok: true, value: { isAwaited: false } })
  assert.equal(room.callbackOutcomes.at(-1), 'contradicting')
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED'])
  assert.equal(await askAll(), 1)
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED', '2 query succeeded FAILED'])
  assert.equal(await askAll(), 0)
  assert.equal((await room.read(item)).status, 'FAILED')
  assert.equal((await room.read(item)).version, 2)
})

test('SUCCESS stays SUCCESS when a callback says FAILED', async () => {
  const item = await ended('SUCCESS')
  await callback(item, 'FAILED')
  await askAll()
  assert.deepEqual(await recordedOf(item), ['1 callback failed SUCCESS', '2 query succeeded SUCCESS'])
  assert.equal((await room.read(item)).status, 'SUCCESS')
})

test('a contradiction that is repeated a thousand times is one row and one query', async () => {
  const item = await ended('FAILED')
  const asked = operator.queried.length
  await Promise.all(Array.from({ length: 1_000 }, () => callback(item, 'SUCCESS')))
  await askAll()
  await callback(item, 'SUCCESS')
  await askAll()
  assert.equal((await recordedOf(item)).length, 2)
  assert.equal(operator.queried.length - asked, 1)
})

test('nothing is recorded for a forged callback, one of another operator, of another application, or one that contradicts nothing', async () => {
  const item = await ended('FAILED')
  assert.deepEqual(await callback(item, 'SUCCESS', { secret: 'forged' }), { ok: false, error: 'unverified' })
  await callback(item, 'SUCCESS', { operator: 'MOMOCM' })
  await callback({ applicationId: await makeApplication(room.database.pool), transactionId: item.transactionId }, 'SUCCESS')
  await callback({ applicationId: item.applicationId, transactionId: randomUUID() }, 'SUCCESS')
  await callback(item, 'FAILED')
  await callback(item, 'PENDING')
  assert.deepEqual(await recordedOf(item), [])
  assert.equal(await queueLength(), 0)
})

test('contradictions by the hundred: ten queries per run to an operator', async () => {
  const items = await Promise.all(Array.from({ length: 35 }, () => ended('FAILED')))
  await Promise.all(items.map((item) => callback(item, 'SUCCESS')))
  assert.deepEqual([await askAll(), await askAll(), await askAll(), await askAll(), await askAll()], [10, 10, 10, 5, 0])
})

test('an operator that is silent is asked three times, with pauses, and then no more', async () => {
  const item = await ended('FAILED')
  operator.script.query = ({ response }) => response.destroy()
  await callback(item, 'SUCCESS')
  assert.equal(await askAll(), 1)
  assert.equal(await askAll(), 0, 'not before the pause is over')
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED'])
  for (let tries = 2; tries <= 3; tries++) {
    await endTries()
    assert.equal(await askAll(), 1)
  }
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED', '2 query unknown FAILED'])
  await endTries()
  assert.equal(await askAll(), 0)
  operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
})

test('the answer to a query that contradicts a final result is recorded too', async () => {
  const item = await ended('FAILED')
  const deps = { pool: room.database.pool, settler: room.settler, logger: createLogger('silent') }
  const call = {
    applicationId: item.applicationId,
    transactionId: item.transactionId,
    operator: 'OMCM',
    operatorToken: null,
    source: 'query',
  } as const
  await settleFinalResult(deps, call, { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{}' } })
  assert.deepEqual(await recordedOf(item), ['1 query succeeded FAILED'])
  await settleFinalResult(deps, call, { kind: 'failed', reason: 'x', exchange: { httpStatus: 200, answer: '{}' } })
  assert.equal((await recordedOf(item)).length, 1)
  await askAll()
})

test('what is recorded cannot be changed or removed', async () => {
  await assert.rejects(room.database.pool.query("update operator_contradictions set said = 'failed'"), /never changed or removed/)
  await assert.rejects(room.database.pool.query('delete from operator_contradictions'), /never changed or removed/)
})
