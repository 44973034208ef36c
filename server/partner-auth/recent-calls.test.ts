import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { apiCallFilterSchema } from '#lib/schemas/page-address.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { createCallerRecords } from './caller-records.ts'
import { createRecentCalls, type NotedCall, pruneCalls } from './recent-calls.ts'
import { findCall, listCalls, listCallsAbout, storeCalls } from './recent-calls-store.ts'
import { aCallRow } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const NOBODY = { findByApiId: () => undefined, find: () => undefined }
const depsOf = () => ({ pool: database.pool, tokens: { explain: async () => undefined }, directory: NOBODY })

function aCall(applicationId: string, changes: Partial<NotedCall> = {}): NotedCall {
  return {
    ...{ owner: { applicationId, isProven: true }, method: 'POST', path: '/api/v1/transaction/collect', search: '' },
    ...{ header: () => undefined, body: new Uint8Array(), readsPasswords: false, status: 200, address: '127.0.0.1' },
    ...{ answer: { contentType: 'application/json', headers: {}, body: '{}' }, at: new Date(), durationMs: 1.4 },
    ...changes,
  }
}

/** The calls that match an address, as the page lists them. */
function list(applicationId: string, query: Record<string, string> = {}, pageSize = 1_000) {
  return listCalls(database.pool, { applicationId, filter: apiCallFilterSchema.parse(query), zone: 'Africa/Douala', pageSize })
}

test('the four hundred newest calls, and open pages learn of them', async () => {
  const applicationId = await makeApplication(database.pool)
  const other = await makeApplication(database.pool)
  const changeNumber = async () =>
    (await database.pool.query('select change_number from application_counters where application_id = $1', [applicationId])).rows[0]
      .change_number
  const before = await changeNumber()
  const calls = createRecentCalls(depsOf())
  calls.note(aCall(other))
  for (let round = 0; round < 5; round++) {
    for (let place = 0; place < 90; place++)
      calls.note(aCall(applicationId, { path: `/${round}/${place}`, at: new Date(Date.UTC(2026, 0, 1, 0, round, 0, place)) }))
    await calls.close()
  }
  const { rows, total } = await list(applicationId)
  assert.deepEqual([total, rows[0]?.path, rows.at(-1)?.path], [400, '/4/89', '/0/50'])
  assert.equal((await list(other)).total, 1)
  assert.ok((await changeNumber()) > before)
})

test('a hundred calls of others, which displace none of those who proved whose they are', async () => {
  const applicationId = await makeApplication(database.pool)
  const at = new Date(Date.UTC(2026, 0, 1))
  await storeCalls(database.pool, [aCallRow(applicationId, { at, path: '/proven' })])
  await storeCalls(
    database.pool,
    Array.from({ length: 150 }, () => aCallRow(applicationId, { isProven: false })),
  )
  const { rows, total } = await list(applicationId)
  assert.deepEqual([total, rows.at(-1)?.path], [101, '/proven'])
})

test('a hundred calls of others beside four hundred of those who proved, which were all earlier', async () => {
  const applicationId = await makeApplication(database.pool)
  const at = new Date(Date.UTC(2026, 0, 1))
  for (const [isProven, count] of [
    [true, 400],
    [false, 150],
  ] as const)
    await storeCalls(
      database.pool,
      Array.from({ length: count }, () => aCallRow(applicationId, isProven ? { at } : { isProven })),
    )
  assert.equal((await list(applicationId)).total, 500)
})

test('a hundred calls of an application and fifty unexplained ones of an address in one statement', async () => {
  const applicationId = await makeApplication(database.pool)
  const apiId = randomUUID()
  const found = { applicationId, apiUserEpochs: new Map() } as unknown as ReturnType<typeof NOBODY.find>
  const directory = { findByApiId: (id: string) => (id === apiId ? found : undefined), find: () => found }
  const calls = createRecentCalls({ ...depsOf(), directory })
  for (let place = 0; place < 120; place++) calls.note(aCall(applicationId, { path: `/${place}` }))
  await calls.close()
  assert.equal((await list(applicationId)).total, 100)
  const header = (name: string) => (name === 'apiid' ? apiId : undefined)
  for (let place = 0; place < 60; place++) calls.note(aCall(applicationId, { owner: undefined, header, path: '/forged', status: 401 }))
  calls.note(aCall(applicationId, { owner: undefined, header, path: '/forged', status: 401, address: '192.0.2.1' }))
  await calls.close()
  const { rows, total } = await list(applicationId, { path: 'forged' })
  assert.deepEqual([total, rows[0]?.cause], [51, 'key_missing'])
})

test('filtered by class of status, path, text of every kind, and days of the application', async () => {
  const applicationId = await makeApplication(database.pool)
  const externalId = randomUUID()
  await storeCalls(database.pool, [
    aCallRow(applicationId, { path: '/a', at: new Date('2026-03-01T22:59:59Z'), externalIds: [externalId] }),
    aCallRow(applicationId, { path: '/b_c', at: new Date('2026-03-01T23:00:00Z'), status: 404, message: 'Endpoint not found.' }),
    aCallRow(applicationId, { path: '/bxc', at: new Date('2026-03-02T23:00:00Z'), status: 503, requestBody: '{"note":"100 % wool"}' }),
  ])
  const paths = async (query: Record<string, string>) => (await list(applicationId, query)).rows.map(({ path }) => path)
  assert.deepEqual(await paths({}), ['/bxc', '/b_c', '/a'])
  assert.deepEqual(await paths({ status: '2' }), ['/a'])
  assert.deepEqual(await paths({ status: '4' }), ['/b_c'])
  assert.deepEqual(await paths({ path: 'B_C' }), ['/b_c'])
  assert.deepEqual(await paths({ q: 'ENDPOINT not' }), ['/b_c'])
  assert.deepEqual(await paths({ q: '100 % w' }), ['/bxc'])
  assert.deepEqual(await paths({ q: externalId.toUpperCase() }), ['/a'])
  // Days in Douala begin an hour before those of UTC.
  assert.deepEqual(await paths({ from: '2026-03-02', to: '2026-03-02' }), ['/b_c'])
  const second = await list(applicationId, { page: '2' }, 2)
  assert.deepEqual([second.total, second.rows.map(({ path }) => path)], [3, ['/a']])
})

test('found by either name of a transaction: the calls about it, the oldest first, and no list that names it', async () => {
  const applicationId = await makeApplication(database.pool)
  const [transactionId, externalId, another] = [randomUUID(), randomUUID(), randomUUID()]
  const calls = createRecentCalls(depsOf())
  const answering = (body: string) => ({ contentType: 'application/json', headers: {}, body })
  let second = 0
  const note = (path: string, changes: Partial<NotedCall>) =>
    calls.note(aCall(applicationId, { path, at: new Date(Date.UTC(2026, 0, 1, 0, 0, second++)), ...changes }))
  note('/start', { answer: answering(`{"transactionId": "${transactionId}"}`) })
  note('/again', { body: Buffer.from(`{"externalId":"${externalId.toUpperCase()}"}`), status: 400 })
  note('/status', { method: 'GET', search: `a=1&id=${transactionId}` })
  note(`/api/v2/transactions/${transactionId}/cancel`, {})
  note('/list', { method: 'GET', answer: answering(`[{"transactionId":"${transactionId}"}]`) })
  note('/other', { answer: answering(`{"transactionId":"${another}"}`) })
  await calls.close()
  const about = await listCallsAbout(database.pool, applicationId, { transactionId, externalId })
  assert.deepEqual(
    about.map(({ path }) => path),
    ['/start', '/again', '/status', `/api/v2/transactions/${transactionId}/cancel`],
  )
  assert.deepEqual(await listCallsAbout(database.pool, randomUUID(), { transactionId, externalId }), [])
})

test('the first sixteen kilobytes of a body with its whole length, and no character that cannot be stored', async () => {
  const applicationId = await makeApplication(database.pool)
  const calls = createRecentCalls(depsOf())
  calls.note(aCall(applicationId, { body: Buffer.from(`\0${'é'.repeat(10_000)}`), path: `/${'x'.repeat(5_000)}`, search: '\ud800' }))
  await calls.close()
  const [row] = (await list(applicationId)).rows
  const found = await findCall(database.pool, applicationId, row?.requestId ?? '')
  assert.deepEqual([found?.request.bytes, found?.request.isCut, found?.path.length, found?.query], [20_001, true, 200, '\ufffd'])
  assert.ok(found?.request.body.startsWith('\ufffdé') && found.request.body.length < 8_300)
  assert.equal(await findCall(database.pool, randomUUID(), row?.requestId ?? ''), undefined)
})

test('removed: calls older than a week', async () => {
  const applicationId = await makeApplication(database.pool)
  const now = new Date('2026-06-10T00:00:00Z')
  const aged = (days: number) => aCallRow(applicationId, { at: new Date(now.getTime() - days * 24 * 3_600_000), path: `/${days}` })
  await storeCalls(database.pool, [aged(6.9), aged(7.1)])
  await pruneCalls(database.pool, now)
  assert.deepEqual(
    (await list(applicationId)).rows.map(({ path }) => path),
    ['/6.9'],
  )
})

test('no calls are kept outside of a sandbox', () => {
  assert.equal(createCallerRecords({ ...depsOf(), isSandbox: false }).recentCalls, undefined)
  assert.notEqual(createCallerRecords({ ...depsOf(), isSandbox: true }).recentCalls, undefined)
})
