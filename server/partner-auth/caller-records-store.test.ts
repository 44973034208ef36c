import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { RefusalCause } from '#lib/partner/partner-requests.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { createKeyUses } from './caller-records.ts'
import { type KeyUseRow, listKeyUses, listRefusals, type RefusalRow, storeKeyUses, storeRefusals } from './caller-records-store.ts'
import { aggregateRefusals, createRefusalLog, pruneRefusals } from './refusals.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const MINUTE_MS = 60_000
const START_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 3_600_000
const at = (second: number) => new Date(START_MS + second * 1_000)

test('the first use and the latest of a key at an address, though two processes store their uses in any order', async () => {
  const { pool } = database
  const { applicationId, apiKeyId } = await createTestPartner(pool)
  const use = (first: number, last: number): KeyUseRow => ({
    ...{ applicationId, apiKeyId, address: '192.0.2.1' },
    ...{ firstAt: at(first), lastAt: at(last) },
  })
  const stored = async () => (await listKeyUses(pool, applicationId)).map(({ firstAt, lastAt }) => [firstAt, lastAt])
  await storeKeyUses(pool, [use(1, 5)])
  await storeKeyUses(pool, [use(2, 9)])
  assert.deepEqual(await stored(), [[at(1), at(9)]])
  await storeKeyUses(pool, [use(3, 4)])
  assert.deepEqual(await stored(), [[at(1), at(9)]])
})

test('twenty addresses of each key that is written, the latest, and every address of a key that is not', async () => {
  const { pool } = database
  const { applicationId, apiKeyId } = await createTestPartner(pool)
  const other = await createTestPartner(pool)
  const uses = (of: { applicationId: string; apiKeyId: string }, from: number, count: number): KeyUseRow[] =>
    Array.from({ length: count }, (_, place) => ({
      ...{ applicationId: of.applicationId, apiKeyId: of.apiKeyId, address: `192.0.2.${from + place}` },
      ...{ firstAt: at(from + place), lastAt: at(from + place) },
    }))
  await storeKeyUses(pool, uses(other, 0, 3))
  await storeKeyUses(pool, [...uses({ applicationId, apiKeyId }, 0, 19), ...uses(other, 3, 1)])
  assert.equal((await listKeyUses(pool, applicationId)).length, 19)
  await storeKeyUses(pool, uses({ applicationId, apiKeyId }, 19, 3))
  assert.deepEqual(
    (await listKeyUses(pool, applicationId)).map(({ address }) => address),
    Array.from({ length: 20 }, (_, place) => `192.0.2.${21 - place}`),
  )
  assert.equal((await listKeyUses(pool, other.applicationId)).length, 4)
})

test('a row for a known address again after a minute and not a millisecond earlier, with the time of its last call', async () => {
  const { pool } = database
  const { applicationId, apiKeyId } = await createTestPartner(pool)
  const uses = createKeyUses(pool)
  const caller = { application: { applicationId }, apiKeyId } as Parameters<typeof uses.note>[0]
  const lastMs = async () => (await listKeyUses(pool, applicationId)).map(({ lastAt }) => lastAt.getTime() - START_MS)
  uses.note(caller, '192.0.2.1', START_MS)
  uses.note(caller, '192.0.2.1', START_MS + 10)
  await uses.close()
  assert.deepEqual(await lastMs(), [10])
  uses.note(caller, '192.0.2.1', START_MS + 10 + MINUTE_MS - 1)
  await uses.close()
  assert.deepEqual(await lastMs(), [10])
  uses.note(caller, '192.0.2.1', START_MS + 10 + MINUTE_MS)
  await uses.close()
  assert.deepEqual(await lastMs(), [10 + MINUTE_MS])
})

test('written without a further call half a second after a key was used and a call was refused', async () => {
  const { pool } = database
  const { applicationId, apiKeyId } = await createTestPartner(pool)
  const timers: { callback: () => void; delayMs: number }[] = []
  const { setTimeout: real } = globalThis
  globalThis.setTimeout = ((callback: () => void, delayMs: number) => {
    timers.push({ callback, delayMs })
    return real(() => undefined, 0)
  }) as typeof setTimeout
  const uses = createKeyUses(pool)
  const log = createRefusalLog({ pool, tokens: { explain: async () => undefined }, directory: NOBODY })
  try {
    uses.note({ application: { applicationId }, apiKeyId } as Parameters<typeof uses.note>[0], '192.0.2.1', START_MS)
    log.note({ applicationId, cause: 'user_blocked', address: '192.0.2.1' })
  } finally {
    globalThis.setTimeout = real
  }
  assert.deepEqual(
    timers.map(({ delayMs }) => delayMs),
    [500, 500],
  )
  for (const { callback } of timers) callback()
  await Promise.all([uses.close(), log.close()])
  assert.equal((await listKeyUses(pool, applicationId)).length, 1)
  assert.equal((await listRefusals(pool, applicationId)).length, 1)
})

const NOBODY = { findByApiId: () => undefined, find: () => undefined }

type Refusal = Parameters<typeof aggregateRefusals>[0][number]

function aRefusal(applicationId: string, changes: Partial<Refusal> = {}): Refusal {
  return { applicationId, cause: 'key_unknown', address: '192.0.2.1', subject: 'a key', at: at(0), ...changes }
}

test('one count for refusals of one minute that differ in nothing, with the time of the latest', () => {
  const applicationId = randomUUID()
  const same = [aRefusal(applicationId, { at: at(5) }), aRefusal(applicationId, { at: at(59.999) }), aRefusal(applicationId, { at: at(2) })]
  const others = [
    aRefusal(randomUUID()),
    aRefusal(applicationId, { cause: 'key_revoked' }),
    aRefusal(applicationId, { address: '192.0.2.2' }),
    aRefusal(applicationId, { subject: 'another key' }),
    aRefusal(applicationId, { at: at(60) }),
  ]
  const rows = aggregateRefusals([...same, ...others])
  assert.deepEqual(rows[0], {
    ...{ applicationId, cause: 'key_unknown', address: '192.0.2.1', subject: 'a key' },
    ...{ minute: at(0), count: 3, lastAt: at(59.999) },
  })
  assert.deepEqual(
    rows.slice(1).map(({ count, minute }) => [count, minute]),
    [...Array(4).fill([1, at(0)]), [1, at(60)]],
  )
  assert.deepEqual(
    aggregateRefusals([aRefusal(applicationId, { subject: 'x'.repeat(201) })]).map(({ subject }) => subject.length),
    [200],
  )
})

test('twenty rows for each cause of an application at once, and one without address and subject for all others', () => {
  const applicationId = randomUUID()
  const flood = Array.from({ length: 25 }, (_, place) => aRefusal(applicationId, { address: `192.0.2.${place}` }))
  const known = aRefusal(applicationId, { address: '192.0.2.0' })
  const other = aRefusal(applicationId, { cause: 'key_revoked', address: '192.0.2.99' })
  const rows = aggregateRefusals([...flood, known, other])
  assert.deepEqual(
    rows.map(({ cause, address, subject, count }) => [cause, address, subject, count]),
    [
      ...Array.from({ length: 20 }, (_, place) => ['key_unknown', `192.0.2.${place}`, 'a key', place === 0 ? 2 : 1]),
      ['key_unknown', '*', '', 5],
      ['key_revoked', '192.0.2.99', 'a key', 1],
    ],
  )
})

test('counts added to what is stored, up to two thousand million, with the latest time whichever comes last', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const row = (count: number, second: number): RefusalRow => ({
    ...{ applicationId, cause: 'key_unknown', address: '192.0.2.1', subject: '', minute: at(0) },
    ...{ count, lastAt: at(second) },
  })
  const stored = async () => {
    const [refusal] = await listRefusals(pool, applicationId)
    return [refusal?.count, refusal?.lastAt]
  }
  await storeRefusals(pool, [row(3, 9)])
  await storeRefusals(pool, [row(4, 5)])
  assert.deepEqual(await stored(), [7, at(9).toISOString()])
  await storeRefusals(pool, [row(1, 11)])
  assert.deepEqual(await stored(), [8, at(11).toISOString()])
  await storeRefusals(pool, [row(2_000_000_000, 12)])
  assert.deepEqual(await stored(), [2_000_000_000, at(12).toISOString()])
})

test('fifty rows of each cause that is written, the latest; other causes and applications keep theirs', async () => {
  const { pool } = database
  const [applicationId, other] = [await makeApplication(pool), await makeApplication(pool)]
  const rows = (of: string, cause: RefusalCause, from: number, count: number): RefusalRow[] =>
    Array.from({ length: count }, (_, place) => ({
      ...{ applicationId: of, cause, address: `192.0.2.${from + place}`, subject: '' },
      ...{ minute: at(0), count: 1, lastAt: at(from + place) },
    }))
  await storeRefusals(pool, [...rows(applicationId, 'key_revoked', 0, 2), ...rows(other, 'key_unknown', 0, 2)])
  await storeRefusals(pool, rows(applicationId, 'key_unknown', 0, 49))
  await storeRefusals(pool, rows(applicationId, 'key_unknown', 49, 3))
  const { rows: left } = await pool.query<{ key: string; places: number[] }>(
    `select application_id || ' ' || cause as key, array_agg(extract(epoch from last_at - $2)::integer order by last_at) as places
       from api_refusals where application_id = any ($1) group by 1`,
    [[applicationId, other], at(0)],
  )
  assert.deepEqual(Object.fromEntries(left.map(({ key, places }) => [key, places])), {
    [`${applicationId} key_unknown`]: Array.from({ length: 50 }, (_, place) => place + 2),
    [`${applicationId} key_revoked`]: [0, 1],
    [`${other} key_unknown`]: [0, 1],
  })
})

test('the latest cause first, with the sum of all its rows and the five addresses that were refused last', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const row = (cause: string, address: string, minute: number, second: number) => [
    ...[applicationId, cause, address, 'subject', at(minute * 60), 2, at(second)],
  ]
  for (const values of [
    ...Array.from({ length: 7 }, (_, place) => row('key_unknown', `192.0.2.${place}`, 0, place)),
    // The same address a minute later is the same row of the page.
    row('key_unknown', '192.0.2.0', 1, 100),
    row('user_blocked', '192.0.2.9', 0, 200),
    row('of a later release', '192.0.2.9', 0, 300),
  ])
    await pool.query(
      'insert into api_refusals (application_id, cause, address, subject, minute, count, last_at) values ($1, $2, $3, $4, $5, $6, $7)',
      values,
    )
  const shown = (address: string, count: number, second: number) => ({
    ...{ address, subject: 'subject', count, lastAt: at(second).toISOString() },
  })
  assert.deepEqual(await listRefusals(pool, applicationId), [
    { cause: 'user_blocked', status: 403, count: 2, lastAt: at(200).toISOString(), rows: [shown('192.0.2.9', 2, 200)] },
    {
      ...{ cause: 'key_unknown', status: 401, count: 16, lastAt: at(100).toISOString() },
      rows: [shown('192.0.2.0', 4, 100), ...[6, 5, 4, 3].map((place) => shown(`192.0.2.${place}`, 2, place))],
    },
  ])
})

test('removed once they are older than thirty days: refusals', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const row = (address: string, second: number): RefusalRow => ({
    ...{ applicationId, cause: 'key_unknown', address, subject: '', minute: at(0), count: 1, lastAt: at(second) },
  })
  await storeRefusals(pool, [row('192.0.2.1', 0), row('192.0.2.2', 1)])
  assert.ok((await pruneRefusals(pool, new Date(at(1).getTime() + 30 * 24 * 3_600_000))) >= 1)
  const { rows } = await pool.query('select address from api_refusals where application_id = $1', [applicationId])
  assert.deepEqual(rows, [{ address: '192.0.2.2' }])
})

test('fifty refusals of one address and five hundred in all until they are stored, and then again', async () => {
  const { pool } = database
  const applicationIds = [await makeApplication(pool), await makeApplication(pool)]
  const log = createRefusalLog({ pool, tokens: { explain: async () => undefined }, directory: NOBODY })
  const [first = '', second = ''] = applicationIds
  const countOf = async (applicationId: string) => (await listRefusals(pool, applicationId))[0]?.count
  for (let call = 0; call < 51; call++) log.note({ applicationId: first, cause: 'user_blocked', address: '192.0.2.1' })
  await log.close()
  assert.equal(await countOf(first), 50)
  log.note({ applicationId: first, cause: 'user_blocked', address: '192.0.2.1' })
  await log.close()
  assert.equal(await countOf(first), 51)
  for (let call = 0; call < 501; call++) log.note({ applicationId: second, cause: 'user_blocked', address: `198.51.100.${call}` })
  await log.close()
  assert.equal(await countOf(second), 500)
})
