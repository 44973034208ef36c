import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { type ClaimLimitsRow, claimDeliveries, type FreeSlots, returnDeliveries } from './delivery-store.ts'
import { addDeliveries } from './testing.ts'

let database: TestDatabase
const applicationId = randomUUID()
before(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.pool.query('delete from webhook_attempts; delete from webhook_resends; delete from webhook_deliveries'))
after(() => database.drop())

const MINUTE_MS = 60_000
/** Limits that limit nothing here; no walk. */
const LIMITS: ClaimLimitsRow = {
  rows_max: 100,
  each_max: 50,
  suspect_rows_max: 50,
  unlisted_each: 50,
  unlisted_rows_max: 50,
  targets: [],
  recent_ms: 10 * MINUTE_MS,
  cursor: '',
  walk_receivers_max: 0,
  lease_ms: 30_000,
  gaps_ms: [30_000, 120_000, 600_000],
}

/** Receivers `a`, `b` …, each with deliveries that were due this many minutes ago; negative: that will be due. */
async function add(receivers: Record<string, readonly number[]>): Promise<void> {
  for (const [name, minutes] of Object.entries(receivers)) {
    const items = await addDeliveries(database.pool, applicationId, Array<string>(minutes.length).fill(`https://${name}/hook?x=1`))
    for (const [place, { transactionId }] of items.entries())
      await database.pool.query(`update webhook_deliveries set next_at = now() - $2 * interval '1 minute' where transaction_id = $1`, [
        transactionId,
        minutes[place],
      ])
  }
}

/** Deliveries of a receiver whose last attempt has a lease until this many minutes from now. */
async function lease(name: string, minutes: number, dueMinutes: number): Promise<void> {
  await database.pool.query(
    `update webhook_deliveries set claimed_until = now() + $2 * interval '1 minute'
       where target = $1 and next_at = (select min(next_at) from webhook_deliveries where target = $1)`,
    [`https://${name}`, minutes],
  )
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome)
       select application_id, transaction_id, 1, now(), 1, 'timeout' from webhook_deliveries where target = $1 and claimed_until is not null`,
    [`https://${name}`],
  )
  await database.pool.query(
    `update webhook_deliveries set attempts = 1, next_at = now() - $2 * interval '1 minute' where target = $1 and claimed_until is not null`,
    [`https://${name}`, dueMinutes],
  )
}

async function addResend(name: string, minutes: number): Promise<void> {
  const [item] = await addDeliveries(database.pool, applicationId, [`https://${name}/hook`])
  await database.pool.query(
    `update webhook_deliveries set state = 'exhausted', attempts = 4, finished_at = now() where transaction_id = $1`,
    [item?.transactionId],
  )
  await database.pool.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, claims)
       values ($1, $2, 1, $3, $4, now(), now() - $5 * interval '1 minute', 0)`,
    [applicationId, item?.transactionId, `https://${name}`, randomUUID(), minutes],
  )
}

const targetsOf = (slots: Record<string, number>) =>
  Object.fromEntries(Object.entries(slots).map(([name, count]) => [`https://${name}`, count]))

/** Claims once. `taken`: each webhook as receiver and minutes that it was due for, `a 3`, in the order in which they are sent. */
async function claim(limits: Partial<ClaimLimitsRow> = {}, slots: Partial<FreeSlots> = {}) {
  const { free = {}, suspects = {} } = slots
  const claimed = await claimDeliveries(
    database.pool,
    { ...LIMITS, ...limits, targets: (limits.targets ?? []).map((name) => `https://${name}`) },
    { free: targetsOf(free), suspects: targetsOf(suspects) },
  )
  const taken = claimed.deliveries.map(({ target, dueAt, resendNumber }) => {
    const minutes = Math.round((claimed.claimedAt.getTime() - dueAt.getTime()) / MINUTE_MS)
    return `${target.replace('https://', '')} ${minutes}${resendNumber === null ? '' : ' resend'}`
  })
  return { ...claimed, taken }
}

const sorted = (taken: readonly string[]) => taken.toSorted()

for (const [title, receivers, limits, slots, expected] of [
  ['those that are due, the oldest first', { a: [1, 5, 3, -1] }, {}, {}, ['a 5', 'a 3', 'a 1']],
  ['as many as the receiver has free slots', { a: [5, 3, 1] }, {}, { free: { a: 2 } }, ['a 5', 'a 3']],
  ['none of a receiver without a free slot', { a: [5], b: [5] }, {}, { free: { a: 0 } }, ['b 5']],
  [
    'no more of each than one claim takes, of receivers with slots and without',
    { a: [5, 3], b: [5, 3] },
    { each_max: 1 },
    { free: { a: 9 } },
    ['a 5', 'b 5'],
  ],
  [
    'a few of a receiver that is not known',
    { a: [5, 3, 1], b: [5, 3, 1] },
    { unlisted_each: 2 },
    { free: { b: 9 } },
    ['a 5', 'a 3', 'b 5', 'b 3', 'b 1'],
  ],
  ['no more of all unknown receivers together', { a: [5, 3], b: [5, 3] }, { unlisted_rows_max: 3 }, {}, 3],
  ['no more in all', { a: [5, 3], b: [5, 3] }, { rows_max: 3 }, {}, 3],
  ['no more in all of receivers with slots', { a: [5, 3], b: [5, 3] }, { rows_max: 3 }, { free: { a: 9, b: 9 } }, 3],
  [
    'no more in all of receivers with slots and without',
    { a: [5, 3], b: [5, 3] },
    { rows_max: 3 },
    { free: { a: 9 } },
    ['a 5', 'a 3', 'b 5'],
  ],
  ['as many as a receiver whose last attempt timed out may have', { a: [5, 3, 1] }, {}, { suspects: { a: 2 } }, ['a 5', 'a 3']],
  ['none of such a receiver without a slot', { a: [5, 3, 1] }, {}, { suspects: { a: 0 } }, []],
  ['no more of all such receivers together', { a: [5, 3], b: [5, 3] }, { suspect_rows_max: 3 }, { suspects: { a: 9, b: 9 } }, 3],
  [
    'the limit of such receivers also where they are listed as free',
    { a: [5, 3, 1] },
    { suspect_rows_max: 1 },
    { suspects: { a: 9 }, free: { a: 9 } },
    ['a 5'],
  ],
  [
    'what one kind of receiver takes leaves the limits of the other',
    { a: [5, 3], b: [5, 3] },
    { suspect_rows_max: 2, unlisted_rows_max: 2 },
    { suspects: { a: 9 } },
    ['a 5', 'a 3', 'b 5', 'b 3'],
  ],
  ['none that became due before the time that is looked back', { a: [11], b: [9] }, {}, {}, ['b 9']],
  ['all of a receiver that is named, however long it has waited', { a: [11, 9], b: [11] }, { targets: ['a'] }, {}, ['a 11', 'a 9']],
  [
    'each once, though its receiver is named and found as well',
    { a: [9, 8] },
    { targets: ['a', 'a'], unlisted_each: 1, walk_receivers_max: 9 },
    {},
    ['a 9'],
  ],
  [
    'each once of a receiver with slots that the walk has found',
    { a: [9, 8] },
    { targets: ['a'], walk_receivers_max: 9 },
    { free: { a: 1 } },
    ['a 9'],
  ],
] as const) {
  test(`claimed: ${title}`, async () => {
    await add(receivers)
    const { taken } = await claim(limits as Partial<ClaimLimitsRow>, slots)
    if (typeof expected === 'number') assert.equal(taken.length, expected)
    else assert.deepEqual(sorted(taken), sorted(expected))
    for (const name of Object.keys(receivers)) {
      const minutes = taken.filter((each) => each.startsWith(`${name} `)).map((each) => Number(each.split(' ')[1]))
      assert.deepEqual(
        minutes,
        minutes.toSorted((one, other) => other - one),
      )
    }
  })
}

for (const [title, receivers, limits, expected] of [
  [
    'from the first receiver to the last one',
    { b: [20], a: [20], c: [20] },
    {},
    { taken: ['a 20', 'b 20', 'c 20'], cursor: 'c', isWhole: true },
  ],
  [
    'from the cursor on, and then from the first one',
    { a: [20], b: [20], c: [20] },
    { cursor: 'b' },
    { taken: ['c 20', 'a 20', 'b 20'], cursor: 'b', isWhole: true },
  ],
  [
    'as many receivers as it may, and no further',
    { a: [20], b: [20], c: [20] },
    { walk_receivers_max: 2 },
    { taken: ['a 20', 'b 20'], cursor: 'b', isWhole: false },
  ],
  [
    'no further than there is room in the claim',
    { a: [20], b: [20], c: [20] },
    { rows_max: 2 },
    { taken: ['a 20', 'b 20'], cursor: 'b', isWhole: false },
  ],
  [
    'over a receiver with nothing due, which counts',
    { a: [-9], b: [20], c: [20] },
    { walk_receivers_max: 2 },
    { taken: ['b 20'], cursor: 'b', isWhole: false },
  ],
  ['to nothing', {}, {}, { taken: [], cursor: '', isWhole: true }],
  ['to nothing behind the cursor', { a: [20] }, { cursor: 'z' }, { taken: ['a 20'], cursor: 'a', isWhole: true }],
] as const) {
  test(`the walk goes ${title}`, async () => {
    await add(receivers)
    const cursor = 'cursor' in limits ? `https://${limits.cursor}` : ''
    const walked = await claim({ walk_receivers_max: 9, recent_ms: 0, ...limits, cursor })
    assert.deepEqual({ taken: walked.taken, cursor: walked.cursor.replace('https://', ''), isWhole: walked.isWalkComplete }, expected)
  })
}

test('passed over by the walk: what another claim holds, until its lease is over', async () => {
  await add({ a: [20, 19], b: [20] })
  await lease('a', 1, 20)
  await lease('b', 1, 20)
  assert.deepEqual((await claim({ walk_receivers_max: 9, recent_ms: 0 })).taken, ['a 19'])
  await database.pool.query(`update webhook_deliveries set claimed_until = now() where target = 'https://b'`)
  assert.deepEqual((await claim({ walk_receivers_max: 9, recent_ms: 0 })).taken, ['b 20'])
})

for (const slots of [{ free: { a: 9 } }, {}])
  test(`held by one claim only, until its lease is over: of a receiver ${slots.free ? 'with slots' : 'that is not known'}`, async () => {
    await add({ a: [5, 3] })
    await lease('a', 1, 5)
    assert.deepEqual((await claim({}, slots)).taken, ['a 3'])
    assert.deepEqual((await claim({}, slots)).taken, [])
    await database.pool.query("update webhook_deliveries set claimed_until = now() where next_at < now() - interval '4 minutes'")
    assert.deepEqual((await claim({}, slots)).taken, ['a 5'])
  })

for (const [title, slots, isResent] of [
  ['with slots', { free: { a: 9 } }, false],
  ['that is not known', {}, false],
  ['with a resend', {}, true],
] as const)
  test(`taken without waiting: what no other transaction has locked, of a receiver ${title}`, async () => {
    await add({ a: [5, 3] })
    if (isResent) {
      await addResend('a', 4)
      await addResend('a', 2)
    }
    const other = await database.pool.connect()
    try {
      await other.query('begin')
      await other.query(`select from webhook_deliveries where state = 'due' order by next_at limit 1 for update`)
      await other.query('select from webhook_resends order by next_at limit 1 for update')
      assert.deepEqual((await claim({}, slots)).taken, isResent ? ['a 3', 'a 2 resend'] : ['a 3'])
    } finally {
      await other.query('rollback')
      other.release()
    }
  })

test('first, with the deliveries of the same receiver: the resends that people requested, within the limits of the receiver', async () => {
  await add({ a: [30], b: [9, 7, 5] })
  await addResend('b', 8)
  await addResend('b', -8)
  assert.deepEqual((await claim({ rows_max: 3, targets: ['a'], each_max: 2, walk_receivers_max: 9 })).taken, ['b 9', 'b 8 resend', 'a 30'])
  assert.deepEqual((await claim({}, { free: { b: 9 } })).taken, ['b 7', 'b 5'])
})

test('not at all: the resends of a receiver without a free slot, and those whose next try is not due', async () => {
  await addResend('a', 8)
  await addResend('b', -8)
  assert.deepEqual((await claim({}, { free: { a: 0 } })).taken, [])
  assert.deepEqual((await claim()).taken, ['a 8 resend'])
})

test('the time until the next delivery that is not due, for any receiver; null if there is none', async () => {
  await add({ a: [5], b: [-3, -2] })
  const first = await claim({}, { free: { a: 0 } })
  assert.ok(first.nextDueMs !== null && first.nextDueMs > 1.9 * MINUTE_MS && first.nextDueMs <= 2 * MINUTE_MS, String(first.nextDueMs))
  await database.pool.query(`update webhook_deliveries set next_at = now() + interval '100 years' where target = 'https://b'`)
  assert.equal((await claim()).nextDueMs, 2_147_483_647)
  await database.pool.query(`delete from webhook_deliveries where target = 'https://b'`)
  assert.equal((await claim()).nextDueMs, null)
})

test('what is sent, as the payment is stored; returned, it is due where it was', async () => {
  const [item] = await addDeliveries(database.pool, applicationId, ['https://Partner.example:8443/hook?x=1'], {
    amountMinor: 9_007_199_254_740_993n,
    message: 'Échec',
  })
  await database.pool.query(`update transactions set final_at = '2026-03-01T10:00:00.123Z' where transaction_id = $1`, [
    item?.transactionId,
  ])
  const { deliveries } = await claim()
  const [{ dueAt, ...delivery } = assert.fail('it is claimed')] = deliveries
  assert.deepEqual(delivery, {
    ...{ applicationId, transactionId: item?.transactionId, resendNumber: null, number: 1 },
    ...{ target: 'https://partner.example:8443', url: 'https://Partner.example:8443/hook?x=1', externalId: item?.externalId },
    ...{ status: 'SUCCESS', amountMinor: 9_007_199_254_740_993n, phoneNumber: '237670000001', operator: 'MOMOCM' },
    ...{ message: 'Échec', finalAt: '2026-03-01T10:00:00.123Z' },
  })
  await returnDeliveries(database.pool, deliveries)
  const again = (await claim()).deliveries
  assert.deepEqual([again[0]?.number, again[0]?.dueAt], [1, dueAt])
})

test('due at once and at its old place: a resend that is returned', async () => {
  await addResend('a', 5)
  const { deliveries } = await claim()
  assert.deepEqual((await claim()).taken, [])
  await returnDeliveries(database.pool, deliveries)
  assert.deepEqual((await claim()).taken, ['a 5 resend'])
})
