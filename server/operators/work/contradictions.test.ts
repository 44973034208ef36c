import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { aBand, makeApplication, makePerson } from '#server/testing/factories.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import type { Connector } from '../connector.ts'
import { handleCallback } from '../handle-callback.ts'
import { SIGNATURE_HEADER, signCallback } from '../sandbox-protocol/messages.ts'
import { connectorsWith, OperatorHarness, SECRET } from '../testing/operator-harness.ts'
import { makeEndedQueriesDue, readContradictions, readEndedQueries } from '../testing/recorded-contradictions.ts'
import { type ScriptedOperator, sayTransfer, startScriptedOperator } from '../testing/scripted-operator.ts'
import { scheduleSecondLooks } from './contradiction-store.ts'
import { queryContradictions, queryFailures } from './second-looks.ts'
import { settleFinalResult } from './settle-final-result.ts'

let operator: ScriptedOperator
let harness: OperatorHarness
before(async () => {
  operator = await startScriptedOperator({ submit: () => undefined, query: (asked) => sayTransfer(asked, 'SUCCESS') })
  harness = await OperatorHarness.open({ elsewhere: { OMCM: operator.url } })
})
after(async () => {
  await harness.close()
  await operator.close()
})

async function ended(status: 'SUCCESS' | 'FAILED'): Promise<IntakeItem> {
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  const event = status === 'SUCCESS' ? 'succeeded' : 'failed'
  await transition(harness.database.pool, [{ ...item, event, message: 'x', actor: SYSTEM_ACTOR }])
  return item
}

type CallbackOf = Pick<IntakeItem, 'applicationId' | 'transactionId'>

function callback(item: CallbackOf, status: 'SUCCESS' | 'FAILED' | 'PENDING', options: { secret?: string; operator?: string } = {}) {
  const body = JSON.stringify({ reference: item.transactionId, context: item.applicationId, status, operatorReference: 'OP1' })
  const headers = { [SIGNATURE_HEADER]: signCallback(options.secret ?? SECRET, body, new Date()) }
  return handleCallback(harness.callbackIntake, options.operator ?? 'OMCM', headers, Buffer.from(body))
}

function askAll(perOperatorMax?: number): Promise<number> {
  const logger = createLogger('silent')
  return queryContradictions({ pool: harness.database.pool, connectors: harness.connectors, logger, perOperatorMax, spreadMs: 0 })
}

const recordedOf = (item: CallbackOf) => readContradictions(harness.database.pool, item)

async function queueLength(): Promise<number> {
  const { rows } = await harness.database.pool.query<{ count: bigint }>('select count(*) from contradiction_queries')
  return Number(rows[0]?.count)
}

async function endTries(): Promise<void> {
  await harness.database.pool.query('update contradiction_queries set next_at = now()')
}

test('FAILED remains when a callback says SUCCESS, and the contradiction is stored with the answer to one query', async () => {
  const item = await ended('FAILED')
  assert.deepEqual(await callback(item, 'SUCCESS'), { ok: true, value: { isAwaited: false } })
  assert.equal(harness.callbackOutcomes.at(-1), 'contradicting')
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED'])
  assert.equal(await askAll(), 1)
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED', '2 query succeeded FAILED'])
  assert.equal(await askAll(), 0)
  assert.equal((await harness.read(item)).status, 'FAILED')
  assert.equal((await harness.read(item)).version, 2)
})

test('SUCCESS remains when a callback says FAILED', async () => {
  const item = await ended('SUCCESS')
  await callback(item, 'FAILED')
  await askAll()
  assert.deepEqual(await recordedOf(item), ['1 callback failed SUCCESS', '2 query succeeded SUCCESS'])
  assert.equal((await harness.read(item)).status, 'SUCCESS')
})

test('one row and one query for a contradiction that is repeated a thousand times', async () => {
  const item = await ended('FAILED')
  const asked = operator.queried.length
  await Promise.all(Array.from({ length: 1_000 }, () => callback(item, 'SUCCESS')))
  await askAll()
  await callback(item, 'SUCCESS')
  await askAll()
  assert.equal((await recordedOf(item)).length, 2)
  assert.equal(operator.queried.length - asked, 1)
})

test('nothing is stored for a callback that is forged, of another operator or application, or without a contradiction', async () => {
  const item = await ended('FAILED')
  assert.deepEqual(await callback(item, 'SUCCESS', { secret: 'forged' }), { ok: false, error: 'unverified' })
  await callback(item, 'SUCCESS', { operator: 'MOMOCM' })
  await callback({ applicationId: await makeApplication(harness.database.pool), transactionId: item.transactionId }, 'SUCCESS')
  await callback({ applicationId: item.applicationId, transactionId: randomUUID() }, 'SUCCESS')
  await callback(item, 'FAILED')
  await callback(item, 'PENDING')
  assert.deepEqual(await recordedOf(item), [])
  assert.equal(await queueLength(), 0)
})

test('ten queries per run, if no more are allowed, to an operator with many contradictions', async () => {
  const items = await Promise.all(Array.from({ length: 35 }, () => ended('FAILED')))
  await Promise.all(items.map((item) => callback(item, 'SUCCESS')))
  assert.deepEqual([await askAll(10), await askAll(10), await askAll(10), await askAll(10), await askAll(10)], [10, 10, 10, 5, 0])
})

test('no more queries once the process is ending; what is left is queried by the next run', async () => {
  const items = await Promise.all(Array.from({ length: 20 }, () => ended('FAILED')))
  await Promise.all(items.map((item) => callback(item, 'SUCCESS')))
  const { connectors, database } = harness
  const asked = operator.queried.length
  const isEnding = () => operator.queried.length > asked
  const deps = { pool: database.pool, connectors, logger: createLogger('silent'), spreadMs: 0 }
  assert.equal(await queryContradictions(deps, isEnding), 16)
  assert.equal(await askAll(), 4)
})

test('contradictions are queried before hints, and both before second looks, however long those have been due', async () => {
  const { pool } = harness.database
  const kinds = ['day_look', 'hour_look', 'hint', 'contradiction'] as const
  const items = await Promise.all(kinds.map(() => ended('FAILED')))
  for (const [place, kind] of kinds.entries())
    await pool.query(
      `insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at)
         values ($1, $2, $3, 'OMCM', now() - (4 - $4) * interval '1 hour')`,
      [items[place]?.applicationId, items[place]?.transactionId, kind, place],
    )
  operator.script.query = (asked) => sayTransfer(asked, 'FAILED', { message: 'x' })
  const asked = operator.queried.length
  for (const _ of kinds) assert.equal(await askAll(1), 1)
  assert.deepEqual(
    operator.queried.slice(asked),
    items.toReversed().map((item) => item.transactionId),
  )
  await pool.query('delete from contradiction_queries')
  operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
})

test('three queries, with pauses of five and ten minutes, to an operator that is silent', async () => {
  const item = await ended('FAILED')
  const pauses: number[] = []
  const notePause = async () => {
    const open = await readEndedQueries(harness.database.pool, item)
    pauses.push(...open.map(({ inMinutes }) => inMinutes))
  }
  operator.script.query = ({ response }) => response.destroy()
  await callback(item, 'SUCCESS')
  assert.equal(await askAll(), 1)
  await notePause()
  assert.equal(await askAll(), 0, 'not before the end of the pause')
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED'])
  for (let tries = 2; tries <= 3; tries++) {
    await endTries()
    assert.equal(await askAll(), 1)
    await notePause()
  }
  assert.deepEqual(pauses, [5, 10])
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED', '2 query unknown FAILED'])
  await endTries()
  assert.equal(await askAll(), 0)
  operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
})

test('a contradiction is stored if the answer to a query contradicts a final result', async () => {
  const item = await ended('FAILED')
  const deps = { pool: harness.database.pool, settler: harness.settler, logger: createLogger('silent') }
  const call = {
    applicationId: item.applicationId,
    transactionId: item.transactionId,
    operator: 'OMCM',
    operatorToken: null,
    operatorReference: null,
    operatorReferenceOther: null,
    source: 'query',
  } as const
  await settleFinalResult(deps, call, { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{}' } })
  assert.deepEqual(await recordedOf(item), ['1 query succeeded FAILED'])
  await settleFinalResult(deps, call, { kind: 'failed', reason: 'x', exchange: { httpStatus: 200, answer: '{}' } })
  assert.equal((await recordedOf(item)).length, 1)
  await askAll()
})

test('nothing reported when an operator repeats the result that is stored', async () => {
  const item = await ended('SUCCESS')
  let reported = 0
  const { pool } = harness.database
  const { settler } = harness
  const deps = { pool, settler, logger: createLogger('silent'), onContradiction: () => void reported++ }
  const identifiers = { operatorToken: null, operatorReference: null, operatorReferenceOther: null }
  const { applicationId, transactionId } = item
  const call = { applicationId, transactionId, operator: 'OMCM', source: 'query', ...identifiers } as const
  await settleFinalResult(deps, call, { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{}' } })
  assert.deepEqual([reported, await recordedOf(item)], [0, []])
})

test('the second look resolves a contradiction that the operator could not answer about, and finds one that it took back', async () => {
  const { pool } = harness.database
  const isContradicted = async ({ applicationId, transactionId }: CallbackOf) =>
    (await pool.query('select is_contradicted($1, $2) as is', [applicationId, transactionId])).rows[0]?.is
  const looked = async (answer: 'SUCCESS' | 'FAILED') => {
    operator.script.query = (asked) => sayTransfer(asked, answer, { message: 'x' })
    await makeEndedQueriesDue(pool)
    await askAll()
  }
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
  operator.script.query = ({ response }) => response.destroy()
  await callback(item, 'SUCCESS')
  for (let tries = 1; tries <= 3; tries++) {
    await endTries()
    await askAll()
  }
  assert.deepEqual(await recordedOf(item), ['1 callback succeeded FAILED', '2 query unknown FAILED'])
  assert.equal(await isContradicted(item), true)
  await looked('FAILED')
  assert.deepEqual((await recordedOf(item)).slice(2), ['3 query failed FAILED'])
  assert.equal(await isContradicted(item), false)
  await looked('SUCCESS')
  assert.deepEqual((await recordedOf(item)).slice(3), ['4 query succeeded FAILED'])
  assert.equal(await isContradicted(item), true)
})

test('a second look that is answered with pending is repeated, and finds what the operator executes later', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
  await askAll()
  for (const [answer, open] of [
    ['PENDING', 'hour_look 1'],
    ['SUCCESS', 'day_look 0'],
  ] as const) {
    operator.script.query = (asked) => sayTransfer(asked, answer)
    await makeEndedQueriesDue(pool)
    await askAll()
    assert.deepEqual(
      (await readEndedQueries(pool, item)).map(({ text }) => text),
      [open],
    )
  }
  assert.deepEqual(await recordedOf(item), ['1 query succeeded FAILED', '2 query succeeded FAILED'])
})

test('a contradiction at an operator that answers no queries about collects is recorded as unanswered after three tries, without a look', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
  await callback(item, 'SUCCESS')
  let queries = 0
  const query: Connector['query'] = async () => {
    queries++
    return { kind: 'unknown', detail: 'no queries', exchange: { httpStatus: null, answer: 'no queries' } }
  }
  const connectors = connectorsWith(harness, { hasNoQueries: true, query })
  for (let tries = 0; tries < 4; tries++) {
    await queryContradictions({ pool, connectors, logger: createLogger('silent'), spreadMs: 0 })
    await makeEndedQueriesDue(pool)
  }
  assert.deepEqual([queries, await recordedOf(item)], [3, ['1 callback succeeded FAILED', '2 query unknown FAILED']])
})

test('a contradiction with what the operator reports, if a second look at a failure finds a success of another amount', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
  const exchange = { httpStatus: 200, answer: '{"amount":2}' }
  const query: Connector['query'] = async () => ({ kind: 'succeeded', reported: { amountMinor: item.amountMinor * 2n }, exchange })
  const connectors = connectorsWith(harness, { query })
  const look = () => queryContradictions({ pool, connectors, logger: createLogger('silent'), spreadMs: 0 })
  await look()
  await makeEndedQueriesDue(pool)
  await look()
  assert.deepEqual(await recordedOf(item), ['1 query succeeded FAILED', '2 query unknown FAILED'])
  const { rows } = await pool.query(
    'select answer, is_contradicted(application_id, transaction_id) as "isContradicted" from operator_contradictions where transaction_id = $1 and number = 1',
    [item.transactionId],
  )
  assert.match(rows[0].answer, /^The operator reports another amount: .*\{"amount":2\}$/)
  assert.equal(rows[0].isContradicted, true)
  assert.equal((await harness.read(item)).status, 'FAILED')
  const paidAgain = await queryFailures({ ...harness.forcedEnquiries, connectors }, [
    { ...item, currency: 'XAF', operatorReference: null, operatorToken: null },
  ])
  assert.deepEqual([...paidAgain], [])
})

test('a hint against a SUCCESS stays one for people where the operator reports a success of another amount', async () => {
  const item = await ended('SUCCESS')
  const query: Connector['query'] = async () => ({
    kind: 'succeeded',
    reported: { amountMinor: item.amountMinor * 2n },
    exchange: { httpStatus: 200, answer: '{}' },
  })
  const { pool } = harness.database
  await pool.query(
    `insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at, said, answer)
       values ($1, $2, 'hint', 'OMCM', now(), 'failed', 'text')`,
    [item.applicationId, item.transactionId],
  )
  await queryContradictions({ pool, connectors: connectorsWith(harness, { query }), logger: createLogger('silent'), spreadMs: 0 })
  assert.deepEqual(await recordedOf(item), ['1 hint failed SUCCESS', '2 query unknown SUCCESS'])
})

test('no second look at what a checker rejected, which was never at an operator', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT', source: 'person', makerId: randomUUID(), bands: [aBand()] })
  const checkerId = await makePerson(pool, item.applicationId, ['checker'])
  const [moved] = await transition(pool, [
    { ...item, event: 'rejected', message: 'No', actor: { kind: 'person', id: checkerId }, checkerId },
  ])
  assert.equal(moved?.status, 'FAILED')
  await scheduleSecondLooks(pool, 1_000, 0)
  assert.deepEqual(await readEndedQueries(pool, item), [])
})

test('the look after a day is due a day after the end, even where the one after an hour was late', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
  await pool.query("update transactions set final_at = final_at - interval '5 hours' where transaction_id = $1", [item.transactionId])
  operator.script.query = (asked) => sayTransfer(asked, 'FAILED', { message: 'x' })
  await askAll()
  assert.deepEqual(await readEndedQueries(pool, item), [{ text: 'day_look 0', inMinutes: 19 * 60 }])
})

test('a second look at a failure of 29 days ago, after the tasks were down for a month, and none at one of 31 days', async () => {
  const { pool } = harness.database
  const looks: number[] = []
  for (const days of [29, 31]) {
    const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
    await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
    await pool.query("update transactions set final_at = final_at - $2 * interval '1 day' where transaction_id = $1", [
      item.transactionId,
      days,
    ])
    await scheduleSecondLooks(pool, 1_000, 0)
    looks.push((await readEndedQueries(pool, item)).length)
  }
  assert.deepEqual(looks, [1, 0])
})

test('an error for every change or removal of a stored contradiction', async () => {
  await assert.rejects(harness.database.pool.query("update operator_contradictions set said = 'failed'"), /never changed or removed/)
  await assert.rejects(harness.database.pool.query('delete from operator_contradictions'), /never changed or removed/)
})
