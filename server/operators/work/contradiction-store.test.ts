import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { openEndedPayments } from '../testing/ended-payments.ts'
import { readContradictions, readEndedQueries } from '../testing/recorded-contradictions.ts'
import {
  askAboutHints,
  type ContradictionQuery,
  claimContradictionQueries,
  endContradictionQuery,
  forgetEndedHints,
  scheduleSecondLooks,
  selectContradictingHints,
  storeContradictionAnswer,
  storeContradictions,
} from './contradiction-store.ts'

const { database, applicationId, ended, queue, record } = await openEndedPayments()

test('is_contradicted until an answer agrees with the stored result and none after the first report repeats the other one', async () => {
  const cases: [status: 'SUCCESS' | 'FAILED', said: string[], isContradicted: boolean][] = [
    ['FAILED', [], false],
    ['FAILED', ['succeeded'], true],
    ['FAILED', ['succeeded', 'unknown'], true],
    ['FAILED', ['succeeded', 'not_found'], true],
    ['FAILED', ['succeeded', 'failed'], false],
    ['FAILED', ['succeeded', 'unknown', 'failed'], false],
    ['FAILED', ['succeeded', 'succeeded', 'failed'], true],
    ['FAILED', ['succeeded', 'failed', 'succeeded'], true],
    ['SUCCESS', ['failed'], true],
    ['SUCCESS', ['failed', 'failed'], true],
    ['SUCCESS', ['failed', 'succeeded'], false],
    ['SUCCESS', ['failed', 'succeeded', 'failed'], true],
  ]
  for (const [status, said, expected] of cases) {
    const item = await ended(status)
    await record(item, status, ...said)
    const { rows } = await database.pool.query('select is_contradicted($1, $2) as is', [applicationId, item.transactionId])
    assert.equal(rows[0]?.is, expected, `${status} ${said}`)
  }
})

test('is_asked_about while a contradiction or a hint is queried, not for a look and not after the end', async () => {
  const asked = async (kind: ContradictionQuery['kind'], isEnded: boolean) => {
    const item = await ended('FAILED')
    await queue(item, kind, 0)
    if (isEnded) await database.pool.query('update contradiction_queries set ended_at = now()')
    const { rows } = await database.pool.query('select is_asked_about($1, $2) as is', [applicationId, item.transactionId])
    return rows[0]?.is
  }
  const kinds = ['contradiction', 'hint', 'hour_look', 'day_look'] as const
  for (const [isEnded, expected] of [
    [false, [true, true, false, false]],
    [true, [false, false, false, false]],
  ] as const)
    assert.deepEqual(await Array.fromAsync(kinds, (kind) => asked(kind, isEnded)), expected)
})

test('may_have_left unless each submission is known to have sent nothing or was refused for its code', async () => {
  const cases: [submissions: number, attempts: string[], mayHaveLeft: boolean][] = [
    [0, [], false],
    [1, [], true],
    [1, ['submit not_sent'], false],
    [1, ['submit wrong_code'], false],
    [2, ['submit wrong_code', 'submit not_sent'], false],
    [2, ['submit not_sent'], true],
    [1, ['query not_sent'], true],
    ...['interrupted', 'unknown', 'accepted', 'failed', 'succeeded'].map(
      (outcome) => [1, [`submit ${outcome}`], true] as [number, string[], boolean],
    ),
  ]
  for (const [submissions, attempts, expected] of cases) {
    const transactionId = randomUUID()
    for (const [number, attempt] of attempts.entries())
      await database.pool.query(
        `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, outcome) values ($1, $2, $3, $4, now(), $5)`,
        [applicationId, transactionId, number + 1, ...attempt.split(' ')],
      )
    const { rows } = await database.pool.query('select may_have_left($1, $2, $3) as may', [applicationId, transactionId, submissions])
    assert.equal(rows[0]?.may, expected, `${submissions} ${attempts}`)
  }
})

test('an unsigned callback counts if it reports the opposite of a final result of the same operator, and none was queried for a day', async () => {
  const [failed, paid, open] = [await ended('FAILED'), await ended('SUCCESS'), anIntakeItem(applicationId)]
  await takeIn(database.pool, [open])
  const hint = ({ transactionId }: IntakeItem, said: string, operator = 'MOMOCM') => ({
    applicationId,
    transactionId,
    operator: operator as 'MOMOCM',
    said,
    answer: 'x',
  })
  const hints = [
    hint(failed, 'succeeded'),
    hint(failed, 'failed'),
    hint(failed, 'pending'),
    hint(failed, 'succeeded', 'OMCM'),
    { ...hint(failed, 'succeeded'), applicationId: randomUUID() },
    hint(paid, 'failed'),
    hint(paid, 'succeeded'),
    hint(open, 'succeeded'),
    hint(open, 'failed'),
  ]
  const counting = async () => (await selectContradictingHints(database.pool, hints)).map((one) => hints.indexOf(one))
  assert.deepEqual(await counting(), [0, 5])
  await queue(failed, 'hint', 0)
  assert.deepEqual(await counting(), [5])
  // Another kind of query does not count against it.
  await queue(paid, 'hour_look', 0)
  assert.deepEqual(await counting(), [5])
  for (const [hours, expected] of [
    [23, [5]],
    [25, [0, 5]],
  ] as const) {
    await database.pool.query("update contradiction_queries set ended_at = now() - $1 * interval '1 hour' where kind = 'hint'", [hours])
    assert.deepEqual(await counting(), expected, `${hours} hours`)
    await askAboutHints(database.pool, [hint(failed, 'succeeded')])
    assert.equal((await readEndedQueries(database.pool, failed)).length, hours > 24 ? 1 : 0)
  }
  const { rows } = await database.pool.query(
    "select tries, said, answer, ended_at, next_at <= clock_timestamp() as is_due from contradiction_queries where kind = 'hint'",
  )
  assert.deepEqual(rows, [{ tries: 0, said: 'succeeded', answer: 'x', ended_at: null, is_due: true }])
})

test('a hint is forgotten a day after its end, and one that is open is kept', async () => {
  const left: number[] = []
  for (const hours of [null, 23, 25]) {
    await database.pool.query('delete from contradiction_queries')
    await queue(await ended('FAILED'), 'hint', 0)
    await database.pool.query("update contradiction_queries set ended_at = now() - $1::integer * interval '1 hour'", [hours])
    await forgetEndedHints(database.pool)
    left.push((await database.pool.query('select from contradiction_queries')).rowCount ?? 0)
  }
  assert.deepEqual(left, [1, 1, 0])
})

test('the first answer about a contradiction is stored whatever it says, then each final one that differs, nine entries at most', async () => {
  const item = await ended('FAILED')
  const { pool } = database
  const say = (said: string) =>
    storeContradictionAnswer(pool, { applicationId, transactionId: item.transactionId, said, httpStatus: 200, answer: 'x' })
  await say('succeeded')
  assert.deepEqual(await readContradictions(pool, item), [], 'nothing is contradicted')
  await record(item, 'FAILED', 'succeeded')
  for (const said of ['unknown', 'unknown', 'pending', 'not_found', 'failed', 'failed', 'pending', 'succeeded', 'succeeded', 'failed'])
    await say(said)
  const entries = await readContradictions(pool, item)
  assert.deepEqual(
    entries.map((entry) => entry.split(' ')[2]),
    ['succeeded', 'unknown', 'failed', 'succeeded', 'failed'],
  )
  for (const said of ['succeeded', 'failed', 'succeeded', 'failed', 'succeeded', 'failed']) await say(said)
  assert.equal((await readContradictions(pool, item)).length, 9)
})

test('a contradiction of a transaction that its operator never had is ignored, and the first of each is new', async () => {
  const [failed, paid] = [await ended('FAILED'), await ended('SUCCESS')]
  const row = ({ transactionId }: IntakeItem, said: 'succeeded' | 'failed', operator: 'MOMOCM' | 'OMCM' = 'MOMOCM') => ({
    item_index: 0,
    application_id: applicationId,
    transaction_id: transactionId,
    operator,
    source: 'callback' as const,
    said,
    answer: 'x',
  })
  const store = async (...rows: ReturnType<typeof row>[]) => [
    ...(await storeContradictions(
      database.pool,
      rows.map((one, index) => ({ ...one, item_index: index })),
    )),
  ]
  assert.deepEqual(await store(row(failed, 'succeeded', 'OMCM'), row(failed, 'failed'), row(paid, 'succeeded')), [])
  assert.deepEqual(await store(row(failed, 'succeeded'), row(paid, 'failed')), [
    [0, true],
    [1, true],
  ])
  assert.deepEqual(await store(row(failed, 'succeeded')), [[0, false]])
  const due = await claimContradictionQueries(database.pool, ['MOMOCM'], 10, 60_000)
  assert.deepEqual(due.map((query) => query.transactionId).sort(), [failed.transactionId, paid.transactionId].sort())
})

test('a look follows each failure of an operator in the order of failures, in slices, and a second scheduler misses none', async () => {
  const other = await makeApplication(database.pool)
  const items = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const item = anIntakeItem(other, { type: 'COLLECT' })
      await takeIn(database.pool, [item])
      await transition(database.pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
      return item
    }),
  )
  while ((await scheduleSecondLooks(database.pool, 2, 0)) > 0);
  for (const item of items) assert.deepEqual((await readEndedQueries(database.pool, item)).length, 1)
  const { rows } = await database.pool.query('select failed_sequence::integer as until from second_look_marks where application_id = $1', [
    other,
  ])
  assert.deepEqual(rows, [{ until: 5 }])
})

test('no look at a failure that was ended without a call', async () => {
  const item = anIntakeItem(applicationId)
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'system', id: null } }])
  await scheduleSecondLooks(database.pool, 1_000, 0)
  assert.deepEqual(await readEndedQueries(database.pool, item), [])
})

test('the mark of scheduled looks is never set back by a scheduler that read less', async () => {
  const other = await makeApplication(database.pool)
  const items = Array.from({ length: 5 }, () => anIntakeItem(other, { type: 'COLLECT' }))
  await takeIn(database.pool, items)
  await transition(
    database.pool,
    items.map((item) => ({ ...item, event: 'failed' as const, message: 'x', actor: { kind: 'operator' as const, id: null } })),
  )
  const ahead = await database.pool.connect()
  await ahead.query('begin')
  await scheduleSecondLooks(ahead, 5, 0)
  const behind = scheduleSecondLooks(database.pool, 2, 0)
  await waitUntil('the second one waits for the first', async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where wait_event = 'transactionid' and datname = current_database()",
    )
    return rowCount === 1
  })
  await ahead.query('commit')
  ahead.release()
  await behind
  const { rows } = await database.pool.query('select failed_sequence::integer as until from second_look_marks where application_id = $1', [
    other,
  ])
  assert.deepEqual(rows, [{ until: 5 }])
})

test('the look after a day is due a day after the failure, however late the look after an hour was', async () => {
  const item = await ended('FAILED')
  const { pool } = database
  await pool.query("update transactions set final_at = final_at - interval '5 hours' where transaction_id = $1", [item.transactionId])
  await queue(item, 'hour_look', 0)
  await endContradictionQuery(pool, { ...item, kind: 'hour_look' }, 0)
  const { rows } = await pool.query(
    `select q.kind, q.next_at = t.final_at + interval '24 hours' as is_day_after from contradiction_queries q join transactions t using (application_id, transaction_id)
      where transaction_id = $1`,
    [item.transactionId],
  )
  assert.deepEqual(rows, [{ kind: 'day_look', is_day_after: true }])
})

test('applications take turns: the newest query of one is claimed beside the oldest of another that has many', async () => {
  const { pool } = database
  const other = await makeApplication(pool)
  const many = await Promise.all([ended('FAILED'), ended('FAILED'), ended('FAILED')])
  for (const item of many) await queue(item, 'contradiction', 0)
  const alone = anIntakeItem(other)
  await takeIn(pool, [alone])
  await pool.query(
    "insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at) values ($1, $2, 'contradiction', 'MOMOCM', clock_timestamp())",
    [other, alone.transactionId],
  )
  const claimed = await claimContradictionQueries(pool, ['MOMOCM'], 2, 60_000)
  assert.deepEqual(claimed.map((each) => each.applicationId).toSorted(), [applicationId, other].toSorted())
})

test('an ended look leaves the queries of other kinds and other payments as they are', async () => {
  const [item, other] = [await ended('FAILED'), await ended('FAILED')]
  await scheduleSecondLooks(database.pool, 1_000, 0)
  await database.pool.query('delete from contradiction_queries')
  for (const kind of ['contradiction', 'hour_look'] as const) for (const one of [item, other]) await queue(one, kind, 0)
  await endContradictionQuery(database.pool, { ...item, kind: 'hour_look' }, 0)
  await endContradictionQuery(database.pool, { ...other, kind: 'contradiction' }, 0)
  const [ofItem, ofOther] = await Promise.all([item, other].map((one) => readEndedQueries(database.pool, one)))
  assert.deepEqual(ofItem, [
    { text: 'contradiction 0', inMinutes: -1 },
    { text: 'day_look 0', inMinutes: 24 * 60 },
  ])
  assert.deepEqual(
    ofOther?.map(({ text }) => text),
    ['hour_look 0'],
  )
})
