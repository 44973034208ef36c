import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import type { Connectors } from '#server/operators/connector.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Asker, lockChecks } from './account-check-store.ts'
import { createAccountChecks, forgetAccountChecks, readKnownAccount, storeKnownAccount } from './check-account.ts'

const SECRET = 'a secret of the simulator'
let database: TestDatabase
let simulator: Simulator
let folder: string
let connectors: Connectors & { close(): Promise<void> }

function connect(baseUrl: string) {
  const settings = simulatedOperators(baseUrl, SECRET)
  const tokens = createAccessTokens(database.pool)
  return createConnectors({ settings, callbackBaseUrl: undefined, tokens, clock: systemClock, logger: createLogger('silent') })
}

before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-accounts-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET })
  connectors = connect(simulator.url)
})
after(async () => {
  await connectors.close()
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
  await database.drop()
})

const someone = (kind: Asker['kind'] = 'person'): Asker => ({ kind, id: crypto.randomUUID() })
let last = 0
/** Another number each time, that the simulator knows. */
const aNumber = () => `237677${String(++last).padStart(3, '0')}341`

/** An application of which one asker may check a quarter of `max`. */
async function scene(max = 400, through: Connectors = connectors) {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query('update applications set account_checks_max = $2 where application_id = $1', [applicationId, max])
  let nowMs = 0
  const checks = createAccountChecks({ pool: database.pool, connectors: through, nowMs: () => nowMs })
  const check = (phoneNumber: string, { operator = 'MOMOCM', asker = someone() }: { operator?: OperatorCode; asker?: Asker } = {}) =>
    checks.check({ applicationId, operator, phoneNumber, asker })
  const codeOf = async (...asked: Parameters<typeof check>) => {
    const result = await check(...asked)
    return result.ok ? result.value.answer : result.error.code === 'limited' ? `limited ${result.error.of}` : result.error.code
  }
  const count = async () =>
    (await database.pool.query('select 1 from account_checks where application_id = $1', [applicationId])).rowCount ?? 0
  return { applicationId, check, codeOf, count, passMs: (ms: number) => (nowMs += ms) }
}

for (const [operator, found, unregistered, other, barred] of [
  ['MOMOCM', '237677209341', '237677209905', '237677209916', undefined],
  ['UGAIRTEL', '256702209341', '256702209905', '256702209916', '256702209917'],
  ['OMCM', '237690209341', '237690209905', '237690209916', undefined],
  ['BJMOOV', '2290195209341', '2290195209905', '2290195209916', '2290195209917'],
] as const)
  test(`active with a masked name, not registered and barred, as ${operator} says it`, async () => {
    const { check, codeOf } = await scene()
    assert.match(must(await check(found, { operator })).holderName ?? '', /^[A-Z]+ [A-Z]\.$/)
    assert.match(must(await check(other, { operator })).holderName ?? '', /^[A-Z]+ [A-Z]\.$/)
    assert.equal(await codeOf(unregistered, { operator }), 'not_registered')
    if (barred) assert.equal(await codeOf(barred, { operator }), 'barred')
  })

for (const operator of ['SNWAVE', 'CIWAVE', 'SNOM', 'CIOM', 'BFOM', 'SNFREE'] as const)
  test(`not_offered, counted for nobody: ${operator} has no such call`, async () => {
    const { codeOf, count } = await scene()
    assert.equal(await codeOf('221771234567', { operator }), 'not_offered')
    assert.equal(await count(), 0)
  })

test('the answer of a colleague for 24 hours, and then a question again', async () => {
  const { applicationId, check, count } = await scene()
  const phoneNumber = aNumber()
  const first = must(await check(phoneNumber))
  assert.deepEqual(must(await check(phoneNumber)), first)
  assert.equal(await count(), 1)
  await database.pool.query(`update account_checks set asked_at = asked_at - interval '24 hours' where application_id = $1`, [
    applicationId,
  ])
  assert.notEqual(must(await check(phoneNumber)).checkedAt, first.checkedAt)
  assert.equal(await count(), 2)
})

test('nothing of another application: neither the answer, nor by what it counts', async () => {
  const [asked, other] = [await scene(), await scene()]
  const phoneNumber = aNumber()
  must(await asked.check(phoneNumber))
  assert.equal(await readKnownAccount(database.pool, other.applicationId, { operator: 'MOMOCM', phoneNumber }), undefined)
  must(await other.check(phoneNumber))
  assert.deepEqual([await asked.count(), await other.count()], [1, 1])
})

test('limited from a quarter on, with when it is possible again; a second account of the application reaches the limit of all', async () => {
  const { applicationId, check, codeOf, passMs } = await scene(5)
  const [mallory, second, third] = [someone(), someone('api'), someone()]
  const known = aNumber()
  assert.deepEqual([await codeOf(known, { asker: mallory }), await codeOf(aNumber(), { asker: mallory })], ['active', 'active'])
  const refused = await check(aNumber(), { asker: mallory })
  assert.ok(!refused.ok && refused.error.code === 'limited' && refused.error.of === 'asker')
  const { rows } = await database.pool.query<{ at: Date }>('select min(asked_at) as at from account_checks where application_id = $1', [
    applicationId,
  ])
  assert.equal(refused.error.possibleAt.getTime(), (rows[0]?.at.getTime() ?? 0) + 86_400_000)
  // A known name is no new one.
  assert.equal(await codeOf(known, { asker: mallory }), 'active')
  passMs(60_000)
  assert.deepEqual([await codeOf(aNumber(), { asker: second }), await codeOf(aNumber(), { asker: second })], ['active', 'active'])
  assert.equal(await codeOf(aNumber(), { asker: third }), 'active')
  assert.equal(await codeOf(aNumber(), { asker: third }), 'limited application')
  await database.pool.query(`update account_checks set asked_at = asked_at - interval '24 hours' where application_id = $1`, [
    applicationId,
  ])
  assert.equal(await codeOf(aNumber(), { asker: mallory }), 'active')
})

test('limited at the last check for all but one of those who ask at the same moment', async () => {
  const { applicationId, codeOf, count } = await scene(1)
  // Each has read that one check is left, and waits for its turn to take it.
  const holder = await database.pool.connect()
  await holder.query('begin')
  await lockChecks(holder, applicationId)
  const asked = [1, 2, 3, 4].map(() => codeOf(aNumber()))
  await waitUntil('all four wait', async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
    return rowCount === 4
  })
  await holder.query('commit')
  holder.release()
  assert.deepEqual((await Promise.all(asked)).toSorted(), ['active', ...Array<string>(3).fill('limited application')])
  assert.equal(await count(), 1)
})

test('the answer that a colleague received while this one waited for its turn, and no second question', async () => {
  const { applicationId, check, count } = await scene()
  const account = { operator: 'MOMOCM', phoneNumber: aNumber() } as const
  const holder = await database.pool.connect()
  await holder.query('begin')
  await lockChecks(holder, applicationId)
  const waiting = check(account.phoneNumber)
  await waitUntil('it waits', async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
    return rowCount === 1
  })
  await storeKnownAccount(holder, { applicationId, asker: someone(), ...account }, { answer: 'active', holderName: 'ODILE T.' })
  await holder.query('commit')
  holder.release()
  assert.deepEqual([must(await waiting).holderName, await count()], ['ODILE T.', 1])
})

test('nothing of another operator about the same number', async () => {
  const { applicationId } = await scene()
  const phoneNumber = aNumber()
  await storeKnownAccount(
    database.pool,
    { applicationId, asker: someone(), operator: 'MOMOCM', phoneNumber },
    { answer: 'active', holderName: 'ODILE T.' },
  )
  assert.equal(await readKnownAccount(database.pool, applicationId, { operator: 'OMCM', phoneNumber }), undefined)
})

test('disabled where two people set no checks', async () => {
  const { codeOf, count } = await scene(0)
  assert.deepEqual([await codeOf(aNumber()), await count()], ['disabled', 0])
})

test('busy: all applications together ask one operator thirty times at once and then once a second; who is limited takes none of it', async () => {
  const { codeOf, passMs } = await scene(10_000)
  const asker = someone()
  for (let count = 0; count < 30; count++) assert.equal(await codeOf(aNumber(), { asker }), 'active')
  assert.equal(await codeOf(aNumber(), { asker }), 'busy')
  assert.equal(await codeOf('237690209341', { asker, operator: 'OMCM' }), 'active')
  passMs(1_000)
  assert.equal(await codeOf(aNumber(), { asker }), 'active')
})

test('the audit record says who asked about which number, and nothing that was answered; names are encrypted and removed after 24 hours', async () => {
  const { applicationId, check, count } = await scene()
  const asker = someone()
  const phoneNumber = aNumber()
  const { holderName } = must(await check(phoneNumber, { asker }))
  const { rows } = await database.pool.query(
    'select actor_id as id, action, subject, details from audit_entries where application_id = $1 order by sequence',
    [applicationId],
  )
  assert.deepEqual(rows, [{ id: asker.id, action: 'account.checked', subject: 'MOMOCM', details: { phoneNumber } }])
  const { rows: stored } = await database.pool.query<{ name: string }>(
    'select holder_name as name from account_checks where application_id = $1',
    [applicationId],
  )
  assert.match(stored[0]?.name ?? '', /^sealed:/)
  assert.ok(holderName && !JSON.stringify(stored).includes(holderName.split(' ')[0] ?? ''))
  await forgetAccountChecks(database.pool)
  assert.equal(await count(), 1)
  await database.pool.query(`update account_checks set asked_at = asked_at - interval '24 hours' where application_id = $1`, [
    applicationId,
  ])
  await forgetAccountChecks(database.pool)
  assert.equal(await count(), 0)
})

const token = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"t","token_type":"access_token","expires_in":3600}')

/** An operator that issues tokens, and answers everything else as told. */
async function withOperator(say: (response: ServerResponse) => unknown, work: (through: Connectors) => Promise<void>): Promise<void> {
  const server: Server = createServer((request, response) => {
    request.resume()
    if (request.url?.endsWith('/token/')) token(response)
    else say(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const wrong = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await work(wrong)
  await wrong.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

for (const [what, say] of [
  ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Not found</html>')],
  ['5 MB', (response) => response.writeHead(200).end(`{"result":false,"x":"${'x'.repeat(5_000_000)}"}`)],
  ['another shape', (response) => response.writeHead(200).end('{"result":"false"}')],
  ['HTTP 404', (response) => response.writeHead(404).end('{"code":"RESOURCE_NOT_FOUND","message":"x"}')],
  ['HTTP 500', (response) => response.writeHead(500).end('{"code":"NOT_ALLOWED","message":"x"}')],
  ['a lost connection', (response) => response.destroy()],
] satisfies [string, (response: ServerResponse) => unknown][])
  test(`unknown, counted, and asked again the next time: MTN answers ${what}`, async () => {
    await withOperator(say, async (through) => {
      const { codeOf, count } = await scene(400, through)
      const phoneNumber = aNumber()
      assert.deepEqual([await codeOf(phoneNumber), await codeOf(phoneNumber)], ['unknown', 'unknown'])
      assert.equal(await count(), 2)
    })
  })

test('active without a name where the name is unreadable, and the whole of a long name is neither shown nor stored', async () => {
  let name = 'not JSON'
  const isActive = (response: ServerResponse) =>
    response.writeHead(200).end(response.req.url?.endsWith('/active') ? '{"result":true}' : name)
  await withOperator(isActive, async (through) => {
    const { check } = await scene(400, through)
    assert.partialDeepStrictEqual(must(await check(aNumber())), { answer: 'active', holderName: null })
    name = JSON.stringify({ given_name: `${'X'.repeat(5_000)}<script>`, family_name: 'MBARGA '.repeat(200) })
    assert.equal(must(await check(aNumber())).holderName, `${'X'.repeat(40)} s. M. M. M. M.`)
  })
})
