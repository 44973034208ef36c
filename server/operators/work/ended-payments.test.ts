import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createLogger } from '#server/logger.ts'
import type { Connector, Connectors, QueryOutcome } from '../connector.ts'
import { guardConnector } from '../guard-connector.ts'
import { openEndedPayments } from '../testing/ended-payments.ts'
import { readContradictions, readEndedQueries } from '../testing/recorded-contradictions.ts'
import { type ContradictionQuery, claimContradictionQueries, scheduleSecondLooks } from './contradiction-store.ts'
import { queryContradictions } from './second-looks.ts'

const { database, ended, queue, record } = await openEndedPayments()

const exchange = { httpStatus: 200, answer: 'said' }
const OUTCOMES: Record<QueryOutcome['kind'], QueryOutcome> = {
  succeeded: { kind: 'succeeded', exchange },
  failed: { kind: 'failed', reason: 'x', exchange },
  pending: { kind: 'pending', exchange },
  not_found: { kind: 'not_found', exchange },
  unknown: { kind: 'unknown', detail: 'x', exchange },
}

/** An operator that answers every query in the same way. */
function operatorThatSays(outcome: QueryOutcome, terms: Partial<Connector> = {}): Connectors & { asked: string[] } {
  const asked: string[] = []
  const never = () => assert.fail('It is only queried')
  const connector: Connector = {
    terms: { routes: new Map(), callsMax: 1, submissionsPerSecondMax: undefined, submitTimeoutMs: 1_000 },
    submit: never,
    balance: never,
    parseCallback: never,
    close: async () => undefined,
    query: async ({ reference }) => {
      asked.push(reference)
      return outcome
    },
    ...terms,
  }
  const guarded = guardConnector('MOMOCM', connector, createLogger('silent'))
  return { asked, get: () => guarded, has: () => true, limitsOf: () => undefined, operators: () => ['MOMOCM'] }
}

const run = (connectors: Connectors) =>
  queryContradictions({ pool: database.pool, connectors, logger: createLogger('silent'), spreadMs: 0 })

/**
 * For each kind of query and each answer: how often it is made while the operator answers like this, what is recorded of a failure without a
 * contradiction, and which query follows. A contradiction has its first report already.
 */
const ANSWERS: [kind: ContradictionQuery['kind'], said: QueryOutcome['kind'], tries: number, recorded: string[], next: string[]][] = [
  ['contradiction', 'succeeded', 1, ['2 query succeeded FAILED'], []],
  ['contradiction', 'failed', 1, ['2 query failed FAILED'], []],
  ['contradiction', 'pending', 1, ['2 query pending FAILED'], []],
  ['contradiction', 'not_found', 1, ['2 query not_found FAILED'], []],
  ['contradiction', 'unknown', 3, ['2 query unknown FAILED'], []],
  ['hint', 'succeeded', 1, ['1 query succeeded FAILED'], ['contradiction 0']],
  ['hint', 'failed', 1, [], []],
  ['hint', 'pending', 3, ['1 hint succeeded FAILED', '2 query pending FAILED'], []],
  ['hint', 'not_found', 1, [], []],
  ['hint', 'unknown', 3, ['1 hint succeeded FAILED', '2 query unknown FAILED'], []],
  ['hour_look', 'succeeded', 1, ['1 query succeeded FAILED'], ['contradiction 0', 'day_look 0']],
  ['hour_look', 'failed', 1, [], ['day_look 0']],
  ['hour_look', 'pending', 5, [], ['day_look 0']],
  ['hour_look', 'not_found', 1, [], ['day_look 0']],
  ['hour_look', 'unknown', 5, [], ['day_look 0']],
  ['day_look', 'succeeded', 1, ['1 query succeeded FAILED'], ['contradiction 0']],
  ['day_look', 'failed', 1, [], []],
  ['day_look', 'pending', 5, [], []],
  ['day_look', 'not_found', 1, [], []],
  ['day_look', 'unknown', 5, [], []],
]
for (const [kind, said, tries, recorded, next] of ANSWERS) {
  test(`${tries} of a ${kind} answered with ${said}, then ${recorded.at(-1) ?? 'nothing recorded'}, and ${next.join(' and ') || 'no query'} follows`, async () => {
    await scheduleSecondLooks(database.pool, 1_000, 0)
    await database.pool.query('delete from contradiction_queries')
    const item = await ended('FAILED')
    await scheduleSecondLooks(database.pool, 1_000, 0)
    await database.pool.query('delete from contradiction_queries')
    const first = kind === 'contradiction' ? ['1 query succeeded FAILED'] : []
    if (kind === 'contradiction') await record(item, 'FAILED', 'succeeded')
    await queue(item, kind, 0)
    const operator = operatorThatSays(OUTCOMES[said])
    // The status after the contradiction is not asked for here.
    for (let time = 1; time <= tries; time++) {
      assert.deepEqual(
        (await readEndedQueries(database.pool, item)).map(({ text }) => text),
        [`${kind} ${time - 1}`],
      )
      await database.pool.query('update contradiction_queries set next_at = now() where ended_at is null')
      assert.equal(await oneQuery(operator), 1)
    }
    assert.deepEqual(
      operator.asked,
      Array.from({ length: tries }, () => item.transactionId),
    )
    assert.deepEqual(await readContradictions(database.pool, item), [...first, ...recorded])
    assert.deepEqual(
      (await readEndedQueries(database.pool, item)).map(({ text }) => text),
      next,
    )
    const { rows } = await database.pool.query(
      'select kind, ended_at is not null as "isEnded", answer from contradiction_queries where kind = $1',
      [kind],
    )
    assert.deepEqual(rows, kind === 'hint' ? [{ kind, isEnded: true, answer: null }] : [])
  })
}

/** Makes one query: the contradiction that it may find is queried by the next run. */
function oneQuery(connectors: Connectors): Promise<number> {
  return queryContradictions({ pool: database.pool, connectors, logger: createLogger('silent'), spreadMs: 0, perOperatorMax: 1 })
}

test('no query to an operator that answers none about collects: the looks end as if they had been made; a deposit is queried', async () => {
  const asked = async (type: TransactionType, kind: ContradictionQuery['kind']) => {
    await database.pool.query('delete from contradiction_queries')
    const item = await ended('FAILED', { type })
    await scheduleSecondLooks(database.pool, 1_000, 0)
    await database.pool.query('delete from contradiction_queries')
    await queue(item, kind, 0)
    const operator = operatorThatSays(OUTCOMES.failed, { hasNoQueries: true })
    await run(operator)
    return [operator.asked.length, ...(await readEndedQueries(database.pool, item)).map(({ text }) => text)]
  }
  assert.deepEqual(await asked('COLLECT', 'hour_look'), [0, 'day_look 0'])
  assert.deepEqual(await asked('COLLECT', 'day_look'), [0])
  assert.deepEqual(await asked('COLLECT', 'contradiction'), [1])
  assert.deepEqual(await asked('COLLECT', 'hint'), [1])
  assert.deepEqual(await asked('DEPOSIT', 'hour_look'), [1, 'day_look 0'])
})

test('the pause after each claim of a query is twice that of the one before', async () => {
  const item = await ended('FAILED')
  await queue(item, 'day_look', 0)
  const pauses: number[] = []
  for (let time = 0; time < 4; time++) {
    await claimContradictionQueries(database.pool, ['MOMOCM'], 1, 300_000)
    pauses.push(...(await readEndedQueries(database.pool, item)).map(({ inMinutes }) => inMinutes))
    await database.pool.query('update contradiction_queries set next_at = now()')
  }
  assert.deepEqual(pauses, [5, 10, 20, 40])
})

test('a query that another process is claiming at this moment is left to it, without waiting', async () => {
  const [held, free] = [await ended('FAILED'), await ended('FAILED')]
  for (const item of [held, free]) await queue(item, 'day_look', 0)
  const [other, own] = [await database.pool.connect(), await database.pool.connect()]
  try {
    await other.query('begin')
    await other.query('select from contradiction_queries where transaction_id = $1 for update', [held.transactionId])
    await own.query("begin; set local lock_timeout = '2s'")
    const claimed = await claimContradictionQueries(own, ['MOMOCM'], 10, 60_000)
    assert.deepEqual(
      claimed.map((query) => query.transactionId),
      [free.transactionId],
    )
  } finally {
    for (const client of [other, own]) {
      await client.query('rollback')
      client.release()
    }
  }
})

test('a hint that nobody confirms adds nothing to a contradiction that is recorded', async () => {
  const item = await ended('FAILED')
  await record(item, 'FAILED', 'succeeded')
  await queue(item, 'hint', 2)
  await run(operatorThatSays(OUTCOMES.unknown))
  assert.deepEqual(await readContradictions(database.pool, item), ['1 query succeeded FAILED'])
})
