import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'

const GAPS_MS = [30_000, 120_000, 600_000]
const LEASE_MS = 30_000
/** The instant at which every row below was due. */
const DUE = '2026-01-01T00:00:00.000Z'
const LEASED = '2099-01-01T00:00:00.000Z'

let database: TestDatabase
let applicationId = ''
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

/** A delivery in this state, as `state attempts`, under a lease if its last attempt is running; and a resend as `outcome claims`. */
async function make(delivery: string, { isLeased = false, resend }: { isLeased?: boolean; resend?: string } = {}): Promise<string> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event: 'succeeded', actor: { kind: 'operator', id: null } }])
  const [state, attempts] = delivery.split(' ')
  await database.pool.query(
    `update webhook_deliveries set state = $2, attempts = $3, next_at = $4, claimed_until = $5,
       finished_at = case $2 when 'due' then null else $4::timestamptz end where transaction_id = $1`,
    [item.transactionId, state, attempts, DUE, isLeased ? LEASED : null],
  )
  if (resend) {
    const [outcome, claims] = resend.split(' ')
    const isOpen = outcome === 'waiting'
    await database.pool.query(
      `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, claims, started_at, duration_ms, outcome)
         values ($1, $2, 1, 'https://x', $3, $4, $5, $6, $7, $8, $9)`,
      [
        applicationId,
        item.transactionId,
        randomUUID(),
        DUE,
        LEASED,
        claims,
        isOpen ? null : DUE,
        isOpen ? null : 0,
        isOpen ? null : outcome,
      ],
    )
  }
  return item.transactionId
}

/** `due 1, next in 30 s` or `due 1, next as before, leased`; of what ended, since when. */
async function stateOf(transactionId: string): Promise<string> {
  const { rows } = await database.pool.query<{ state: string; at: Date; lease: Date | null; finished: Date | null; now: Date }>(
    `select concat_ws(' ', state, attempts) as state, next_at as at, claimed_until as lease, finished_at as finished, clock_timestamp() as now
       from webhook_deliveries where transaction_id = $1`,
    [transactionId],
  )
  const row = rows[0] ?? assert.fail()
  const inSeconds = Math.round((row.at.getTime() - row.now.getTime()) / 1_000)
  const lease = row.lease?.toISOString() === LEASED ? ', leased' : row.lease ? ', newly leased' : ''
  if (row.finished) return `${row.state}, ended ${row.finished.toISOString() === DUE ? 'before' : 'now'}${lease}`
  return `${row.state}, next ${row.at.toISOString() === DUE ? 'as before' : `in ${inSeconds} s`}${lease}`
}

async function resendOf(transactionId: string): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ text: string }>(
    `select concat_ws(' ', coalesce(outcome, 'waiting'), claims) as text from webhook_resends where transaction_id = $1`,
    [transactionId],
  )
  return rows[0]?.text
}

/** The attempts that have a row of their own. */
const rowsOf = (transactionId: string) => attemptsOf(transactionId, 'webhook_attempts')

async function attemptsOf(transactionId: string, table = 'all_webhook_attempts'): Promise<string[]> {
  const { rows } = await database.pool.query<{ text: string }>(
    `select concat_ws(' ', number, outcome, detail) as text from ${table} where transaction_id = $1 order by number`,
    [transactionId],
  )
  return rows.map((row) => row.text.replace(/ The service stopped.*/, ''))
}

/** Records the ends of attempts, each as `number outcome`, or of a resend, whose number is that of its claim. */
async function record(transactionId: string, ends: string[], { ofResend = false, detail = '' } = {}): Promise<void> {
  const items = ends.map((end) => {
    const [number, outcome] = end.split(' ')
    return {
      application_id: applicationId,
      transaction_id: transactionId,
      resend_number: ofResend ? 1 : null,
      number: Number(number),
      started_at: DUE,
      duration_ms: 5,
      outcome,
      http_status: outcome === 'delivered' ? 200 : 500,
      detail: detail || null,
      waited_ms: 0,
      spread_ms: 5_000,
      first_byte_ms: 1,
      response_start: null,
    }
  })
  await database.pool.query('select record_webhook_outcomes($1, $2)', [JSON.stringify(items), GAPS_MS])
}

for (const [from, ends, to] of [
  ['due 1', ['1 bad_status'], 'due 1, next in 35 s'],
  ['due 2', ['2 bad_status'], 'due 2, next in 125 s'],
  ['due 3', ['3 timeout'], 'due 3, next in 605 s'],
  ['due 4', ['4 bad_status'], 'exhausted 4, ended now'],
  ['due 1', ['1 delivered'], 'delivered 1, ended now'],
  ['due 4', ['4 delivered'], 'delivered 4, ended now'],
  // The end of an earlier attempt arrives late.
  ['due 2', ['1 bad_status'], 'due 2, next as before, leased'],
  ['due 3', ['2 timeout'], 'due 3, next as before, leased'],
  ['due 2', ['1 delivered'], 'delivered 2, ended now'],
  ['exhausted 4', ['4 bad_status'], 'exhausted 4, ended before, leased'],
  ['exhausted 4', ['3 delivered'], 'delivered 4, ended now'],
  ['delivered 2', ['2 bad_status'], 'delivered 2, ended before, leased'],
  ['delivered 2', ['2 delivered'], 'delivered 2, ended before, leased'],
  // Together: the 200 decides.
  ['due 2', ['1 delivered', '2 bad_status'], 'delivered 2, ended now'],
  ['due 2', ['1 bad_status', '2 bad_status'], 'due 2, next in 125 s'],
] as const) {
  test(`${to} after ${ends.join(' and ')} of a delivery that is ${from}`, async () => {
    const id = await make(from, { isLeased: true })
    await record(id, [...ends])
    assert.equal(await stateOf(id), to)
    assert.deepEqual(await attemptsOf(id), ends)
  })
}

test('the first attempt that delivered in its delivery, listed once also if it is recorded twice or is in a row too', async () => {
  const id = await make('due 1', { isLeased: true })
  await record(id, ['1 delivered'])
  assert.deepEqual(await rowsOf(id), [])
  await record(id, ['1 delivered'])
  assert.deepEqual([await rowsOf(id), await attemptsOf(id)], [['1 delivered'], ['1 delivered']])
})

test('the first attempt that delivered in a row if it was interrupted, says more than the delivery can store, or lost to a resend', async () => {
  const interrupted = await make('due 1')
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome)
       values ($1, $2, 1, now(), 0, 'interrupted')`,
    [applicationId, interrupted],
  )
  const long = await make('due 1', { isLeased: true })
  const resent = await make('due 1', { isLeased: true, resend: 'waiting 1' })
  await record(interrupted, ['1 delivered'])
  await record(long, ['1 delivered'], { detail: 'The answer was longer.' })
  await record(resent, ['1 delivered'], { ofResend: true })
  await record(resent, ['1 delivered'])
  for (const [id, expected] of [
    [interrupted, '1 delivered'],
    [long, '1 delivered The answer was longer.'],
    [resent, '1 delivered'],
  ] as const)
    assert.deepEqual([await rowsOf(id), await attemptsOf(id)], [[expected], [expected]])
})

for (const [from, resend, end, to, resendTo] of [
  ['exhausted 4', 'waiting 1', '1 bad_status', 'exhausted 4, ended before', 'bad_status 1'],
  ['exhausted 4', 'waiting 1', '1 delivered', 'delivered 4, ended now', 'delivered 1'],
  ['delivered 2', 'waiting 1', '1 bad_status', 'delivered 2, ended before', 'bad_status 1'],
  ['due 1', 'waiting 1', '1 bad_status', 'due 1, next as before', 'bad_status 1'],
  ['due 1', 'waiting 1', '1 delivered', 'delivered 1, ended now', 'delivered 1'],
  // A later claim of the same resend is running, or it has ended.
  ['due 1', 'waiting 2', '1 bad_status', 'due 1, next as before', 'waiting 2'],
  ['due 1', 'waiting 2', '1 delivered', 'delivered 1, ended now', 'delivered 2'],
  ['exhausted 4', 'interrupted 4', '4 bad_status', 'exhausted 4, ended before', 'bad_status 4'],
  ['exhausted 4', 'interrupted 4', '3 bad_status', 'exhausted 4, ended before', 'interrupted 4'],
  ['exhausted 4', 'bad_status 1', '1 timeout', 'exhausted 4, ended before', 'bad_status 1'],
  ['delivered 4', 'delivered 1', '1 timeout', 'delivered 4, ended before', 'delivered 1'],
] as const) {
  test(`${resendTo} after ${end} of a resend that is ${resend}, and the delivery that was ${from} is ${to}`, async () => {
    const id = await make(from, { resend })
    await record(id, [end], { ofResend: true })
    assert.deepEqual([await stateOf(id), await resendOf(id), await attemptsOf(id)], [to, resendTo, []])
  })
}

test('an attempt that was recorded as interrupted is corrected by its end, and one that has an end keeps it', async () => {
  const id = await make('due 2')
  await record(id, ['1 interrupted'])
  await record(id, ['1 timeout'], { detail: 'late' })
  await record(id, ['1 delivered'])
  assert.deepEqual(await attemptsOf(id), ['1 timeout late'])
})

/** Claims a delivery, or its resend, whose lease is over at DUE. Returns how many webhooks are to be sent. */
async function start(transactionId: string, resendNumber: 0 | 1): Promise<string[]> {
  await database.pool.query('update webhook_deliveries set claimed_until = $2 where transaction_id = $1', [transactionId, DUE])
  await database.pool.query('update webhook_resends set next_at = $2 where transaction_id = $1', [transactionId, DUE])
  const { rows } = await database.pool.query<{ text: string }>(
    `select concat_ws(' ', resend_number, number, due_at) as text from start_webhook_attempts($1, $2, $3, $4, $5, $6)`,
    [[applicationId], [transactionId], [resendNumber], LEASED, LEASE_MS, GAPS_MS],
  )
  return rows.map((row) => row.text)
}

for (const [attempts, recorded, to, sent] of [
  [0, 0, 'due 1, next as before, newly leased', ['1 2026-01-01T00:00:00.000Z']],
  [1, 1, 'due 2, next as before, newly leased', ['2 2026-01-01T00:00:00.000Z']],
  [3, 3, 'due 4, next as before, newly leased', ['4 2026-01-01T00:00:00.000Z']],
  // The first pause is no longer than the lease that has passed.
  [1, 0, 'due 2, next as before, newly leased', ['2 2026-01-01T00:00:00.000Z']],
  [2, 1, 'due 2, next at 2026-01-01T00:01:30.000Z', []],
  [3, 2, 'due 3, next at 2026-01-01T00:09:30.000Z', []],
  [4, 3, 'exhausted 4, ended in 2099', []],
] as const) {
  test(`${to} when a delivery is claimed after ${attempts} attempts, of which ${recorded} have an end`, async () => {
    const id = await make(`due ${attempts}`)
    for (let number = 1; number <= recorded; number++)
      await database.pool.query(
        `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome) values ($1, $2, $3, now(), 1, 'timeout')`,
        [applicationId, id, number],
      )
    assert.deepEqual(await start(id, 0), sent)
    const { rows } = await database.pool.query<{ at: Date; lease: Date | null; finished: Date | null }>(
      'select next_at as at, claimed_until as lease, finished_at as finished from webhook_deliveries where transaction_id = $1',
      [id],
    )
    const row = rows[0] ?? assert.fail()
    const leasedUntil = row.lease?.getTime()
    assert.equal(leasedUntil, sent.length > 0 ? Date.parse(LEASED) + LEASE_MS : undefined)
    if (to.includes('next at')) assert.equal(to, `due ${attempts}, next at ${row.at.toISOString()}`)
    else if (to.includes('ended in'))
      assert.deepEqual([(await stateOf(id)).slice(0, 11), row.finished?.toISOString()], ['exhausted 4', LEASED])
    else assert.equal(await stateOf(id), to)
    const interrupted = Array.from({ length: attempts - recorded }, (_, index) => `${recorded + index + 1} interrupted`)
    assert.deepEqual((await attemptsOf(id)).slice(recorded), interrupted)
  })
}

for (const [claims, resendTo, sent] of [
  [0, 'waiting 1', ['1 1 2026-01-01T00:00:00.000Z']],
  [1, 'waiting 2', ['1 2 2026-01-01T00:00:00.000Z']],
  [3, 'waiting 4', ['1 4 2026-01-01T00:00:00.000Z']],
  [4, 'interrupted 4', []],
] as const) {
  test(`${resendTo} when a resend is claimed after ${claims} claims, and its delivery stays`, async () => {
    const id = await make('exhausted 4', { resend: `waiting ${claims}` })
    assert.deepEqual(await start(id, 1), sent)
    assert.deepEqual([await resendOf(id), await attemptsOf(id)], [resendTo, []])
    assert.match(await stateOf(id), /^exhausted 4, ended before/)
  })
}

for (const [from, number, to] of [
  ['due 2', 2, 'due 1, next as before'],
  ['due 1', 1, 'due 0, next as before'],
  // A later attempt holds it, or it has ended.
  ['due 2', 1, 'due 2, next as before, leased'],
  ['delivered 1', 1, 'delivered 1, ended before, leased'],
  ['exhausted 4', 4, 'exhausted 4, ended before, leased'],
] as const) {
  test(`${to} when attempt ${number} of a delivery that is ${from} is returned`, async () => {
    const id = await make(from, { isLeased: true, resend: `waiting ${number}` })
    const item = { application_id: applicationId, transaction_id: id, resend_number: null, number, due_at: DUE }
    await database.pool.query('select return_webhooks($1)', [JSON.stringify([item])])
    assert.deepEqual([await stateOf(id), await resendOf(id)], [to, `waiting ${number}`])
  })
}

for (const [resend, number, to] of [
  ['waiting 2', 2, 'waiting 1'],
  ['waiting 2', 1, 'waiting 2'],
  ['delivered 1', 1, 'delivered 1'],
] as const) {
  test(`${to} when claim ${number} of a resend that is ${resend} is returned, and its delivery stays`, async () => {
    const id = await make('due 1', { isLeased: true, resend })
    const item = { application_id: applicationId, transaction_id: id, resend_number: 1, number, due_at: DUE }
    await database.pool.query('select return_webhooks($1)', [JSON.stringify([item])])
    assert.deepEqual([await resendOf(id), await stateOf(id)], [to, 'due 1, next as before, leased'])
    const { rows } = await database.pool.query('select next_at from webhook_resends where transaction_id = $1', [id])
    assert.equal(rows[0]?.next_at.toISOString(), to === 'waiting 1' ? DUE : LEASED)
  })
}

test('deliveries and resends of a receiver are taken together in the order in which they are due, and no more than may be', async () => {
  const target = 'https://ordered.example'
  const ids = [await make('due 0'), await make('exhausted 4', { resend: 'waiting 0' }), await make('due 0'), await make('due 0')]
  const dueIn = ['3 hours', '2 hours', '1 hour', '4 hours']
  for (const [place, id] of ids.entries())
    for (const table of ['webhook_deliveries', 'webhook_resends'])
      await database.pool.query(`update ${table} set target = $2, next_at = $3::timestamptz + $4::interval where transaction_id = $1`, [
        id,
        target,
        DUE,
        dueIn[place],
      ])
  const { rows } = await database.pool.query<{ ids: string[]; resends: number[] }>(
    'select transactions as ids, resends from take_webhooks_with_resends($1, now(), 3)',
    [target],
  )
  assert.deepEqual(rows, [{ ids: [ids[2], ids[1], ids[0]], resends: [0, 1, 0] }])
})
