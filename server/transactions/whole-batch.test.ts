import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from './intake.ts'
import { type TransitionItem, transition } from './transition.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** The rows that each batch leaves in each table that it may change, in a query each: a line of text per row. */
const TABLES = {
  transactions: `select concat_ws(' ', sequence, transaction_id, type, status, operator, amount_minor, 'held', held_minor, 'v' || version, message, operator_token,
      operator_reference, checker_id, case when final_at >= created_at then 'at once' end) from transactions where application_id = any ($1) order by application_id, sequence`,
  events: `select concat_ws(' ', transaction_id, version, from_status, to_status, event, actor_kind, actor_id, reason, 'final ' || final_sequence)
      from all_transaction_events where application_id = any ($1) order by 1`,
  postings: `select concat_ws(' ', subject_id, kind, operator, currency, collect_minor, deposit_minor, held_minor, fees_minor, clearing_minor, revenue_minor)
      from ledger_postings where application_id = any ($1) and kind <> 'fund' order by 1`,
  balances: `select concat_ws(' ', application_id, operator, collect_minor, deposit_minor, held_minor, fees_minor, clearing_minor, revenue_minor)
      from ledger_balances where application_id = any ($1) and operator in ('MOMOCM', 'OMCM') order by 1`,
  counters: `select concat_ws(' ', application_id, 'all', transaction_count, 'waiting', pending_approval_count, 'pending', pending_count, 'paid', success_count,
      'failed', failed_count, 'changes', change_number) from application_counters where application_id = any ($1) order by 1`,
  days: `select concat_ws(' ', application_id, operator, type, status, sum(transaction_count), sum(amount_minor))
      from (select application_id, operator, type, status, transaction_count, amount_minor from transaction_days
            union all
            select c.application_id, l.operator, l.type, l.status, l.transaction_count, l.amount_minor
              from application_counters c cross join late_transaction_days(c.application_id) l) d
      where application_id = any ($1) group by application_id, operator, type, status
      having sum(transaction_count) <> 0 or sum(amount_minor) <> 0 order by 1`,
  work: `select concat_ws(' ', transaction_id, operator, type, state, case when next_at = 'infinity' then 'never' when next_at <= now() then 'due' end)
      from operator_work where application_id = any ($1) order by 1`,
  attempts: `select concat_ws(' ', transaction_id, number, kind, coalesce(outcome, 'unanswered'), answer) from all_operator_attempts where application_id = any ($1) order by 1`,
  webhooks: `select concat_ws(' ', transaction_id, target) from webhook_deliveries where application_id = any ($1) order by 1`,
}
type Table = keyof typeof TABLES

/** The rows of these applications, with the names of `names` in place of ids. */
async function read(applicationIds: readonly string[], names: ReadonlyMap<string, string>): Promise<Record<Table, string[]>> {
  const found = {} as Record<Table, string[]>
  for (const [table, query] of Object.entries(TABLES) as [Table, string][]) {
    const { rows } = await database.pool.query<Record<string, string>>(query, [applicationIds])
    const lines = rows.map((row) =>
      Object.values(row)
        .join()
        .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}/g, (id) => names.get(id) ?? 'unknown'),
    )
    found[table] = table === 'transactions' ? lines : lines.sort()
  }
  return found
}

const STARTED: Record<Table, string[]> = {
  transactions: [
    '1 collected COLLECT PENDING MOMOCM 100000 held 0 v1',
    '2 covered DEPOSIT PENDING MOMOCM 500000 held 507500 v1',
    '3 uncovered DEPOSIT PENDING MOMOCM 500000 held 0 v1',
    '4 exact DEPOSIT PENDING MOMOCM 492500 held 492500 v1',
    '5 approved DEPOSIT PENDING_APPROVAL MOMOCM 500000 held 0 v1',
    '6 rejected COLLECT PENDING_APPROVAL MOMOCM 500000 held 0 v1',
    '7 sent COLLECT PENDING OMCM 500000 held 0 v1',
    '1 covered-two DEPOSIT PENDING MOMOCM 500000 held 507500 v1',
    '2 uncovered-two DEPOSIT PENDING MOMOCM 200000 held 0 v1',
  ],
  events: [
    'approved 1 PENDING_APPROVAL created person maker',
    'collected 1 PENDING created api',
    'covered 1 PENDING created api',
    'covered-two 1 PENDING created api',
    'exact 1 PENDING created api',
    'rejected 1 PENDING_APPROVAL created person maker',
    'sent 1 PENDING created api',
    'uncovered 1 PENDING created api',
    'uncovered-two 1 PENDING created api',
  ],
  postings: [
    'covered hold MOMOCM XAF 0 -507500 507500 0 0 0',
    'covered-two hold MOMOCM XAF 0 -507500 507500 0 0 0',
    'exact hold MOMOCM XAF 0 -492500 492500 0 0 0',
  ],
  balances: [
    'One MOMOCM 0 0 1000000 0 -1000000 0',
    'One OMCM 0 0 0 0 0 0',
    'Two MOMOCM 0 92500 507500 0 -600000 0',
    'Two OMCM 0 0 0 0 0 0',
  ],
  counters: ['One all 7 waiting 2 pending 5 paid 0 failed 0 changes 2', 'Two all 2 waiting 0 pending 2 paid 0 failed 0 changes 2'],
  days: [
    'One MOMOCM COLLECT PENDING 1 100000',
    'One MOMOCM COLLECT PENDING_APPROVAL 1 500000',
    'One MOMOCM DEPOSIT PENDING 3 1492500',
    'One MOMOCM DEPOSIT PENDING_APPROVAL 1 500000',
    'One OMCM COLLECT PENDING 1 500000',
    'Two MOMOCM DEPOSIT PENDING 2 700000',
  ],
  work: [
    'collected MOMOCM COLLECT queued due',
    'covered MOMOCM DEPOSIT queued due',
    'covered-two MOMOCM DEPOSIT queued due',
    'exact MOMOCM DEPOSIT queued due',
    'sent OMCM COLLECT queued due',
    'uncovered MOMOCM DEPOSIT unfunded due',
    'uncovered-two MOMOCM DEPOSIT unfunded due',
  ],
  attempts: [],
  webhooks: [],
}

const MOVED: Record<Table, string[]> = {
  transactions: [
    '1 collected COLLECT SUCCESS MOMOCM 100000 held 0 v2 Paid token REF1 at once',
    '2 covered DEPOSIT SUCCESS MOMOCM 500000 held 0 v2 at once',
    '3 uncovered DEPOSIT PENDING MOMOCM 500000 held 0 v1',
    '4 exact DEPOSIT FAILED MOMOCM 492500 held 0 v2 Refused at once',
    '5 approved DEPOSIT PENDING MOMOCM 500000 held 0 v2 checker',
    '6 rejected COLLECT FAILED MOMOCM 500000 held 0 v2 No checker at once',
    '7 sent COLLECT FAILED OMCM 500000 held 0 v2 at once',
    '1 covered-two DEPOSIT FAILED MOMOCM 500000 held 0 v2 at once',
    '2 uncovered-two DEPOSIT FAILED MOMOCM 200000 held 0 v2 at once',
  ],
  events: [
    'approved 1 PENDING_APPROVAL created person maker',
    'approved 2 PENDING_APPROVAL PENDING approved person checker',
    'collected 1 PENDING created api',
    'collected 2 PENDING SUCCESS succeeded operator final 1',
    'covered 1 PENDING created api',
    'covered 2 PENDING SUCCESS succeeded operator final 2',
    'covered-two 1 PENDING created api',
    'covered-two 2 PENDING FAILED failed operator final 1',
    'exact 1 PENDING created api',
    'exact 2 PENDING FAILED failed operator X1 final 1',
    'rejected 1 PENDING_APPROVAL created person maker',
    'rejected 2 PENDING_APPROVAL FAILED rejected person checker Twice final 2',
    'sent 1 PENDING created api',
    'sent 2 PENDING FAILED failed operator final 3',
    'uncovered 1 PENDING created api',
    'uncovered-two 1 PENDING created api',
    'uncovered-two 2 PENDING FAILED refused_for_funds operator final 2',
  ],
  postings: [
    'collected settle MOMOCM XAF 98500 0 0 500 -100000 1000',
    'covered hold MOMOCM XAF 0 -507500 507500 0 0 0',
    'covered settle MOMOCM XAF 0 0 -507500 2500 500000 5000',
    'covered-two hold MOMOCM XAF 0 -507500 507500 0 0 0',
    'covered-two release MOMOCM XAF 0 507500 -507500 0 0 0',
    'exact hold MOMOCM XAF 0 -492500 492500 0 0 0',
    'exact release MOMOCM XAF 0 492500 -492500 0 0 0',
  ],
  balances: [
    'One MOMOCM 98500 492500 0 3000 -600000 6000',
    'One OMCM 0 0 0 0 0 0',
    'Two MOMOCM 0 600000 0 0 -600000 0',
    'Two OMCM 0 0 0 0 0 0',
  ],
  counters: ['One all 7 waiting 0 pending 2 paid 2 failed 3 changes 3', 'Two all 2 waiting 0 pending 0 paid 0 failed 2 changes 3'],
  days: [
    'One MOMOCM COLLECT FAILED 1 500000',
    'One MOMOCM COLLECT SUCCESS 1 100000',
    'One MOMOCM DEPOSIT FAILED 1 492500',
    'One MOMOCM DEPOSIT PENDING 2 1000000',
    'One MOMOCM DEPOSIT SUCCESS 1 500000',
    'One OMCM COLLECT FAILED 1 500000',
    'Two MOMOCM DEPOSIT FAILED 2 700000',
  ],
  work: ['approved MOMOCM DEPOSIT unfunded due', 'uncovered MOMOCM DEPOSIT unfunded due'],
  attempts: ['collected 3 submit unknown', 'collected 5 query succeeded yes', 'sent 3 submit unanswered'],
  webhooks: [
    'collected https://partner.example',
    'covered https://partner.example',
    'covered-two https://partner.example',
    'exact https://partner.example',
    'rejected https://partner.example',
    'sent https://partner.example',
    'uncovered-two https://partner.example',
  ],
}

test('each row of each table is as expected after a batch that starts and one that moves; the same batches again change nothing', async () => {
  const { pool } = database
  const [one = '', two = ''] = [await makeApplication(pool), await makeApplication(pool)].sort()
  await fund(pool, one, 'MOMOCM', 1_000_000n)
  await fund(pool, two, 'MOMOCM', 600_000n)
  const [makerId, checkerId] = [await makePerson(pool, one, ['maker']), await makePerson(pool, one, ['checker'])]
  const names = new Map([
    [one, 'One'],
    [two, 'Two'],
    [makerId, 'maker'],
    [checkerId, 'checker'],
  ])
  const waiting = { source: 'person', makerId, actor: { kind: 'person', id: makerId }, bands: [aBand()] } as const
  const free = { feeSystemMinor: 0n, feeAppMinor: 0n }
  const plan: [name: string, applicationId: string, overrides: Partial<IntakeItem>][] = [
    ['collected', one, { type: 'COLLECT', amountMinor: 100_000n }],
    ['covered-two', two, {}],
    ['covered', one, {}],
    ['uncovered-two', two, { amountMinor: 200_000n }],
    ['uncovered', one, {}],
    ['exact', one, { amountMinor: 492_500n, ...free }],
    ['approved', one, { ...waiting, bands: [aBand()] }],
    ['rejected', one, { ...waiting, bands: [aBand()], type: 'COLLECT' }],
    ['sent', one, { type: 'COLLECT', operator: 'OMCM', webhookUrl: 'https://partner.example/a' }],
  ]
  const items = new Map(plan.map(([name, applicationId, overrides]) => [name, anIntakeItem(applicationId, overrides)]))
  for (const [name, { transactionId }] of items) names.set(transactionId, name)
  // The same ids in an application of its own, which no batch below names.
  const twin = await makeApplication(pool)
  names.set(twin, 'Twin')
  await fund(pool, twin, 'MOMOCM', 700_000n)
  await takeIn(
    pool,
    [...items.values()].map((each) => ({ ...each, applicationId: twin })),
  )
  const twinBefore = await read([twin], names)
  const outcomes = await takeIn(pool, [...items.values()])
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['created']))
  assert.deepEqual(await read([one, two], names), STARTED)
  const item = (name: string) => items.get(name) ?? assert.fail(name)
  await pool.query(
    `update operator_work set state = 'submitting', submit_number = 3, claimed_at = now() where application_id = $1 and transaction_id = any ($2)`,
    [one, [item('sent').transactionId, item('collected').transactionId]],
  )
  await pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, outcome) values ($1, $2, 3, 'submit', now(), 'unknown')`,
    [one, item('collected').transactionId],
  )
  const person = { kind: 'person', id: checkerId } as const
  const operator = { kind: 'operator', id: null } as const
  const moves: [name: string, move: Omit<TransitionItem, 'applicationId' | 'transactionId'>][] = [
    ['exact', { event: 'failed', message: 'Refused', reason: 'X1', actor: operator }],
    [
      'collected',
      {
        event: 'succeeded',
        message: 'Paid',
        operatorToken: 'token',
        operatorReference: 'REF1',
        actor: operator,
        answer: { number: 5, outcome: 'succeeded', httpStatus: 200, text: 'yes', durationMs: 3 },
      },
    ],
    ['approved', { event: 'approved', actor: person, checkerId }],
    ['covered-two', { event: 'failed', actor: operator }],
    ['covered', { event: 'succeeded', actor: operator }],
    ['rejected', { event: 'rejected', message: 'No', reason: 'Twice', actor: person, checkerId }],
    ['uncovered-two', { event: 'refused_for_funds', actor: operator }],
    ['sent', { event: 'failed', actor: operator }],
  ]
  const toItem = ([name, move]: (typeof moves)[number]): TransitionItem => ({
    ...move,
    applicationId: item(name).applicationId,
    transactionId: item(name).transactionId,
  })
  const describe = (outcomes: Awaited<ReturnType<typeof transition>>) =>
    outcomes.map((outcome) => [outcome?.isMoved ? 'moved' : 'stays', outcome?.status, outcome?.version].join(' '))
  const ends = ['FAILED 2', 'SUCCESS 2', 'PENDING 2', 'FAILED 2', 'SUCCESS 2', 'FAILED 2', 'FAILED 2', 'FAILED 2']
  assert.deepEqual(
    describe(await transition(pool, moves.map(toItem))),
    ends.map((end) => `moved ${end}`),
  )
  assert.deepEqual(await read([one, two], names), MOVED)
  assert.deepEqual(
    describe(await transition(pool, moves.map(toItem))),
    ends.map((end) => `stays ${end}`),
  )
  const repeated = await takeIn(
    pool,
    [...items.values()].map((each) => ({ ...each, transactionId: randomUUID() })),
  )
  assert.deepEqual(new Set(repeated.map(({ kind }) => kind)), new Set(['existing']))
  assert.deepEqual(await read([one, two], names), MOVED)
  assert.deepEqual(await read([twin], names), twinBefore)
})
