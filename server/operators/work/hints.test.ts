import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { handleCallback } from '../handle-callback.ts'
import { OperatorHarness } from '../testing/operator-harness.ts'
import { readContradictions } from '../testing/recorded-contradictions.ts'
import { askAboutHints } from './contradiction-store.ts'
import { storeCallbacks } from './operator-work-store.ts'
import { queryContradictions } from './second-looks.ts'

/** Open at the operator for ever. */
const OPEN_NUMBER = '237677209912'

let harness: OperatorHarness
const lines: string[] = []
const logger = pino(
  { level: 'error' },
  new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  }),
)
before(async () => {
  harness = await OperatorHarness.open({ usesOwnProtocols: true, hasNoCallbacks: true, dispatcher: { pollDelaysMs: [600_000] } })
})
after(() => harness.close())

async function failed(applicationId = harness.applicationId): Promise<IntakeItem> {
  const item = await harness.make({ applicationId, type: 'COLLECT' })
  await transition(harness.database.pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
  return item
}

type About = Pick<IntakeItem, 'applicationId' | 'transactionId'>

/** As anybody can send it: MTN signs nothing. */
function forge({ applicationId, transactionId }: About, status = 'SUCCESSFUL', operator: OperatorCode = 'MOMOCM') {
  const body = { amount: '5000', currency: 'XAF', externalId: `${transactionId}.${applicationId}`, status, financialTransactionId: '1' }
  return handleCallback(harness.callbackIntake, operator, {}, Buffer.from(JSON.stringify(body)))
}

function ask(perOperatorMax?: number): Promise<number> {
  return queryContradictions({ pool: harness.database.pool, connectors: harness.connectors, logger, perOperatorMax, spreadMs: 0 })
}

async function hintsOf(applicationId: string): Promise<{ tries: number; isOpen: boolean }[]> {
  const { rows } = await harness.database.pool.query<{ tries: number; isOpen: boolean }>(
    `select tries, ended_at is null as "isOpen" from contradiction_queries where application_id = $1 and kind = 'hint'`,
    [applicationId],
  )
  return rows
}

async function forgetQueries(): Promise<void> {
  await harness.database.pool.query('delete from contradiction_queries')
}

test('a failed payment that an unsigned callback calls paid causes one query a day, and nothing is recorded if the operator denies it', async () => {
  const item = await failed()
  for (let time = 0; time < 3; time++) await forge(item)
  assert.equal(await ask(), 1)
  await forge(item)
  assert.equal(await ask(), 0, 'no second query on the same day')
  assert.deepEqual(await hintsOf(item.applicationId), [{ tries: 1, isOpen: false }])
  assert.deepEqual(await readContradictions(harness.database.pool, item), [])
  await harness.database.pool.query("update contradiction_queries set ended_at = ended_at - interval '25 hours'")
  await forge(item)
  assert.equal(await ask(), 1)
  // It has all of its tries again.
  assert.deepEqual(await hintsOf(item.applicationId), [{ tries: 1, isOpen: false }])
  await forgetQueries()
})

test('no second query on the same day for a hint that another process has stored since it was compared', async () => {
  const { pool } = harness.database
  const { applicationId, transactionId } = await failed(await makeApplication(pool))
  const hint = { applicationId, transactionId, operator: 'MOMOCM' as const, said: 'succeeded', answer: 'x' }
  await askAboutHints(pool, [hint])
  assert.equal(await ask(), 1)
  await askAboutHints(pool, [hint])
  assert.deepEqual([await ask(), await hintsOf(applicationId)], [0, [{ tries: 1, isOpen: false }]])
  await forgetQueries()
})

test('a callback about an ended payment that contradicts nothing causes no query', async () => {
  const applicationId = await makeApplication(harness.database.pool)
  const item = await failed(applicationId)
  await forge(item, 'FAILED')
  await forge(item, 'PENDING')
  await forge({ ...item, applicationId: harness.applicationId })
  await forge(item, 'SUCCESSFUL', 'UGMTN')
  assert.deepEqual(await hintsOf(applicationId), [])
})

test('four hundred unsigned callbacks about ended payments of one application cause twenty queries, and another application waits for none', async () => {
  const [noisy, quiet] = [await makeApplication(harness.database.pool), await makeApplication(harness.database.pool)]
  const items = Array.from({ length: 400 }, () => ({ applicationId: noisy, transactionId: randomUUID() }))
  const made = items.map((item) => harness.make({ ...item, type: 'COLLECT' }))
  const actor = { kind: 'operator' as const, id: null }
  await transition(
    harness.database.pool,
    (await Promise.all(made)).map((item) => ({ ...item, event: 'failed' as const, message: 'x', actor })),
  )
  await Promise.all(items.map((item) => forge(item)))
  assert.equal((await hintsOf(noisy)).length, 20)
  await forge(await failed(quiet))
  // Two queries are allowed in this run; the applications take turns.
  assert.equal(await ask(2), 2)
  assert.deepEqual(await hintsOf(quiet), [{ tries: 1, isOpen: false }])
  assert.equal(harness.callbackOutcomes.filter((outcome) => outcome === 'throttled').length, 380)
  await forgetQueries()
})

test('a hint that the operator could neither confirm nor deny is listed for finance after three tries, without a log line', async () => {
  const { pool } = harness.database
  const applicationId = await makeApplication(pool)
  const item = await failed(applicationId)
  await forge(item)
  await harness.simulator.close()
  lines.length = 0
  for (let tries = 1; tries <= 3; tries++) {
    assert.deepEqual(await readContradictions(pool, item), [])
    assert.equal(await ask(), 1)
    await pool.query("update contradiction_queries set next_at = clock_timestamp() where kind = 'hint'")
  }
  assert.equal(await ask(), 0)
  assert.deepEqual(await readContradictions(pool, item), ['1 hint succeeded FAILED', '2 query unknown FAILED'])
  assert.deepEqual(lines, [])
  const { finance } = await readOverview(
    pool,
    { applicationId, id: randomUUID(), hasSecondFactor: true, roles: ['finance'], businessZone: 'UTC' },
    30,
    new Date(),
  )
  assert.deepEqual(
    finance?.contradictions.newest.map((row) => row.transactionId),
    [item.transactionId],
  )
  const detail = await readTransactionDetail(pool, applicationId, item.transactionId)
  const { at: _, ...contradiction } = detail?.contradiction ?? assert.fail()
  assert.deepEqual(contradiction, { said: 'succeeded', isHint: true, state: 'unclear' })
  assert.deepEqual(
    detail?.attempts.map(({ kind, outcome }) => `${kind} ${outcome}`),
    ['callback succeeded', 'query unknown'],
  )
  await harness.restartSimulator()
})

test('a flood of unsigned callbacks about open payments costs one stored text and a few queries of each', async () => {
  harness.startDispatcher()
  const items = await Promise.all(Array.from({ length: 5 }, () => harness.make({ type: 'COLLECT', phoneNumber: OPEN_NUMBER })))
  for (const item of items) await waitUntil('the operator accepts', async () => (await harness.workOf(item))?.['state'] === 'submitted')
  const startedMs = performance.now()
  const queriesOf = async (item: IntakeItem) => (await harness.attemptsOf(item)).filter((attempt) => attempt.startsWith('query')).length
  for (let round = 0; round < 60; round++) await Promise.all(items.map((item) => forge(item)))
  await waitUntil('the first of each makes its query due at once', async () => {
    const counts = await Promise.all(items.map(queriesOf))
    return counts.every((count) => count >= 1)
  })
  const seconds = (performance.now() - startedMs) / 1_000
  for (const item of items) {
    const attempts = await harness.attemptsOf(item)
    assert.equal(attempts.filter((attempt) => attempt.startsWith('callback')).length, 1)
    // The second query follows the first after two seconds at the earliest, the third after four more.
    const queries = attempts.filter((attempt) => attempt.startsWith('query')).length
    assert.ok(queries <= 1 + Math.floor(seconds / 2), `${queries} queries in ${seconds} s`)
  }
})

test('each unsigned callback about an open payment makes the query due twice as late as the one before, and a signed one at once', async () => {
  const { pool } = harness.database
  const item = await harness.make({ type: 'COLLECT', phoneNumber: OPEN_NUMBER })
  await waitUntil('the operator accepts', async () => (await harness.workOf(item))?.['state'] === 'submitted')
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
  const callback = (isVerified: boolean) =>
    storeCallbacks(
      pool,
      [
        {
          item_index: 0,
          application_id: item.applicationId,
          transaction_id: item.transactionId,
          operator: 'MOMOCM',
          outcome: 'succeeded',
          answer: 'text',
          is_verified: isVerified,
        },
      ],
      250,
    )
  /** How long after the last claim the next query is due, in milliseconds. */
  const gapAfter = async (isVerified: boolean) => {
    // As after the claim of a query that was answered a moment ago.
    await pool.query(
      `update operator_work set claimed_at = clock_timestamp() + interval '1 minute', next_at = clock_timestamp() + interval '1 day',
         hinted_at = null, is_claimed = false where transaction_id = $1`,
      [item.transactionId],
    )
    assert.deepEqual(await callback(isVerified), ['taken'])
    const work = (await harness.workOf(item)) ?? {}
    const [nextAt, claimedAt] = [work['next_at'], work['claimed_at']]
    assert.ok(nextAt instanceof Date && claimedAt instanceof Date)
    return nextAt.getTime() - claimedAt.getTime()
  }
  const gaps: number[] = []
  for (let time = 0; time < 13; time++) gaps.push(await gapAfter(false))
  const second = 1_000
  assert.deepEqual(gaps, [250, ...[2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map((gap) => gap * second)])
  assert.equal(await gapAfter(true), 250)
  // A signed one counts even while an unsigned one is pending.
  await gapAfter(false)
  assert.deepEqual(await callback(false), ['idle'])
  assert.deepEqual(await callback(true), ['taken'])
  assert.ok((await harness.workOf(item))?.['accepted_at'] instanceof Date)
})
