import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { createLogger } from '#server/logger.ts'
import type { Connectors } from '#server/operators/connector.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import type { BookLine } from '#server/operators/simulator/books.ts'
import { startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { waveAccountOf } from '#server/operators/simulator/wave/wave-messages.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import { waveSettingsSchema } from '#server/operators/wave/wave-client.ts'
import { createWaveConnector } from '#server/operators/wave/wave-connector.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { withdrawStatement } from './decide-statement.ts'
import { fetchStatements } from './fetch-statements.ts'
import { listStatementFiles } from './statement-store.ts'

const SECRET = 'a secret of the simulator'
const WALLET = 'SNWAVE'
/** Dakar keeps UTC: the 20th is over, and has been for more than an hour. */
const NIGHT = new Date('2026-11-21T02:05:00Z')
const DAY = '2026-11-20'

const ends: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of ends.toReversed()) await end()
})

let desk: Desk
beforeEach(async () => {
  const database = await createTestDatabase()
  ends.push(() => database.drop())
  desk = await createDesk(database.pool)
})

function connectTo(baseUrl: string, settings: object = {}): Connectors {
  const { apiKey } = waveAccountOf(SECRET, WALLET)
  const context = aConnectorContext({ operator: WALLET })
  const connector = createWaveConnector(context, waveSettingsSchema.parse({ baseUrl, apiKey, ...settings }))
  ends.push(() => connector.close())
  const guarded = guardConnector(WALLET, connector, createLogger('silent'))
  const get = (operator: string) => (operator === WALLET ? guarded : undefined)
  return { get, has: () => true, limitsOf: () => undefined, operators: () => [WALLET] }
}

const fetchAt = (connectors: Connectors, now = NIGHT) =>
  fetchStatements({ pool: desk.pool, connectors, clock: { now: () => now } }, () => false)

async function listFiles(): Promise<{ day: string | null; state: string; lines: number; uploader: string | null }[]> {
  const files = await listStatementFiles(desk.pool, desk.applicationId, 50)
  return files.map(({ firstDay, state, lineCount, uploader }) => ({ day: firstDay, state, lines: lineCount, uploader }))
}

/** An operator whose books hold collects of 500 with a fee of 5, and one deposit, all on DAY. */
async function startOperator(collects: number): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-wave-'))
  const startMs = Date.parse(`${DAY}T08:00:00Z`)
  const transfer = (direction: 'COLLECT' | 'DEPOSIT', amount: string, atMs: number): BookLine[] => {
    const reference = randomUUID()
    const order = { reference, direction, amount, currency: 'XOF', phoneNumber: '221772093341', customerName: '' }
    const context = `${randomUUID()}.${desk.applicationId}`
    const accepted = { what: 'accepted' as const, operator: WALLET, protocol: 'wave', dueAtMs: null, atMs }
    return [
      { ...accepted, request: { ...order, context } },
      { what: 'executed', reference, atMs, fee: direction === 'COLLECT' ? '5' : '8' },
    ]
  }
  const lines: BookLine[] = [
    { what: 'opening', operator: WALLET, collect: '100000', deposit: '0' },
    ...Array.from({ length: collects }, (_, index) => transfer('COLLECT', '500', startMs + index * 1_000)).flat(),
    ...transfer('DEPOSIT', '3000', startMs + collects * 1_000),
  ]
  await writeFile(path.join(folder, 'books.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const simulator = await startSimulator({ port: 0, folder, secret: SECRET })
  ends.push(
    () => rm(folder, { recursive: true, force: true }),
    () => simulator.close(),
  )
  return simulator.url
}

test('a day that was fetched is not read from the operator again', async () => {
  const connectors = connectTo(`${await startOperator(1)}/wave`)
  const read: string[] = []
  function get(operator: OperatorCode): ReturnType<Connectors['get']> {
    const connector = connectors.get(operator)
    const list = connector?.dayList
    if (!list) return connector
    const counted: typeof list.read = (day, page) => {
      read.push(day)
      return list.read(day, page)
    }
    return { ...connector, dayList: { ...list, read: counted } }
  }
  await fetchAt({ ...connectors, get })
  const first = read.filter((day) => day === DAY).length
  await fetchAt({ ...connectors, get })
  assert.deepEqual([first, read.filter((day) => day === DAY).length], [1, 1])
})

test('a checked file of every page of the day before, whose lines are those of the files that the operator prints', async () => {
  const url = await startOperator(205)
  await fetchAt(connectTo(`${url}/wave`))
  await desk.work()
  assert.deepEqual(await listFiles(), [{ day: DAY, state: 'ready', lines: 206, uploader: null }])
  const [file] = await listStatementFiles(desk.pool, desk.applicationId, 1)
  // 205 collects of 500 less 5; a deposit of 3,000 and 8.
  assert.deepEqual([file?.inMinor, file?.outMinor, file?.badCount], [10_147_500n, 300_800n, 0])
  await desk.import(file?.fileId ?? assert.fail())
  for (const [account, lines] of [['collect', 205] as const, ['deposit', 1] as const]) {
    const printed = await fetch(`${url}/statements/${WALLET}?day=${DAY}&account=${account}`)
    const { state, lineCount, knownCount } = await desk.bring(WALLET, await printed.text())
    assert.deepEqual([state, lineCount, knownCount], ['imported', lines, lines])
  }
})

test('one file of a day, however often and by however many processes it is fetched, and none of it again after it was withdrawn', async () => {
  const connectors = connectTo(`${await startOperator(3)}/wave`)
  await Promise.all([fetchAt(connectors), fetchAt(connectors)])
  await fetchAt(connectors)
  await desk.work()
  const [file] = await listStatementFiles(desk.pool, desk.applicationId, 9)
  const { applicationId, actor } = desk
  await withdrawStatement(desk.pool, { applicationId, actor, fileId: file?.fileId ?? assert.fail() })
  await fetchAt(connectors)
  assert.deepEqual(await listFiles(), [{ day: DAY, state: 'withdrawn', lines: 4, uploader: null }])
  const { rows } = await desk.pool.query(`select actor_kind from audit_entries where action = 'statement.fetched'`)
  assert.deepEqual(rows, [{ actor_kind: 'system' }])
})

test('nothing of a day that is not over for an hour, of a day without lines, or with a key that may not list', async () => {
  const url = await startOperator(1)
  await fetchAt(connectTo(`${url}/wave`), new Date('2026-11-21T00:59:00Z'))
  await fetchAt(connectTo(`${url}/wave`), new Date('2026-11-30T02:05:00Z'))
  await fetchAt(connectTo(`${url}/wave`, { listsDays: false }))
  assert.deepEqual(await listFiles(), [])
})

type Answer = { date?: string; items?: object[]; page_info?: object; status?: number }

/** An operator that answers the pages of DAY in this order, and days without lines otherwise. */
async function startScripted(pages: Answer[]): Promise<string> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const date = new URL(request.url ?? '/', 'http://operator').searchParams.get('date') ?? ''
    const { status = 200, ...page } = (date === DAY && pages.shift()) || {}
    const body = { date, items: [], page_info: { end_cursor: null, has_next_page: false }, ...page }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server: Server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  // Not a pipe: it listens on a host.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const item = (id: string, more: object = {}) => ({
  timestamp: `${DAY}T10:00:00Z`,
  transaction_id: id,
  transaction_type: 'merchant_payment',
  amount: '495',
  fee: '5',
  currency: 'XOF',
  ...more,
})
const more = { page_info: { end_cursor: 'c1', has_next_page: true } }

const BROKEN: readonly (readonly [string, Answer])[] = [
  ['a later page fails', { status: 503 }],
  ['a later page is of another day', { date: '2026-11-19', items: [item('T2')] }],
  ['a page says it goes on and not where', { items: [item('T2')], page_info: { end_cursor: null, has_next_page: true } }],
  ['a page has an item without an amount', { items: [{ ...item('T2'), amount: undefined }] }],
  ['a page leads to itself', { items: [item('T2')], ...more }],
  ['a page is longer than a megabyte', { items: Array.from({ length: 6_000 }, (_, index) => item(`T${index}${'x'.repeat(100)}`)) }],
]
for (const [name, broken] of BROKEN) {
  test(`nothing is stored and the task says why when ${name}; the next run fetches the whole day`, async () => {
    const connectors = connectTo(
      await startScripted([{ items: [item('T1')], ...more }, broken, { items: [item('T1')], ...more }, { items: [item('T2')] }]),
    )
    await assert.rejects(fetchAt(connectors), /Statements could not be fetched: SNWAVE 2026-11-20: (HTTP|The list|The answer)/)
    assert.deepEqual(await listFiles(), [])
    await fetchAt(connectors)
    await desk.work()
    assert.deepEqual(await listFiles(), [{ day: DAY, state: 'ready', lines: 2, uploader: null }])
  })
}

test('money out for a reversal, a text with a comma and a quote in its own cell, and a bad row where Wave writes no number', async () => {
  const items = [
    item('T1', { is_reversal: true, amount: '-495', transaction_type: 'merchant_payment' }),
    item('T2', { client_reference: 'a "quoted", text\nover two lines' }),
    item('T3', { amount: 'NaN' }),
  ]
  await fetchAt(connectTo(await startScripted([{ items }])))
  await desk.work()
  const [file] = await listStatementFiles(desk.pool, desk.applicationId, 1)
  assert.deepEqual([file?.lineCount, file?.badCount, file?.outMinor, file?.inMinor], [2, 1, 49_500n, 49_500n])
})
