import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import type { Connectors } from '#server/operators/connector.ts'
import { closeConnectors, createConnectors } from '#server/operators/create-connectors.ts'
import { createDispatcher, type Dispatcher, type DispatcherOptions } from '#server/operators/dispatcher.ts'
import { createForcedQueryDesk, type ForcedQueryDesk, type ForcedQueryDeskOptions } from '#server/operators/forced-query-desk.ts'
import { type CallbackIntake, createCallbackIntake, handleCallback } from '#server/operators/handle-callback.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { createSettler, type Settler } from '#server/transactions/settle.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { findTransaction } from '#server/transactions/transaction-queries.ts'

export const SECRET = 'a secret between the test and its operators'
/** Long enough that a busy machine alone does not make an answer late: a late submission would be sent twice, rightly. */
const CALL_TIMEOUT_MS = 1_000
const SIMULATOR = { secret: SECRET, delayMs: 30, slowDelayMs: 400 }

export type RoomOptions = {
  /** Operators that listen elsewhere than the simulator. */
  elsewhere?: Partial<Record<OperatorCode, string>>
  /** The longest that a call may last; short, so that silence is soon an unknown outcome. */
  callTimeoutMs?: number
  givesTokens?: boolean
  dispatcher?: Partial<DispatcherOptions>
  forcedQueries?: ForcedQueryDeskOptions['limits']
  /** The time by which the allowances of forced queries refill. */
  nowMs?: () => number
}

/** A database, a simulator, an address for its callbacks, and everything between them, with delays made short. */
export class OperatorHarness {
  readonly database: TestDatabase
  readonly settler: Settler
  readonly connectors: Connectors
  readonly desk: CallbackIntake
  readonly forcedQueries: ForcedQueryDesk
  /** The outcomes of callbacks, in order. */
  readonly callbackOutcomes: string[] = []
  readonly applicationId: string
  readonly dispatchers: Dispatcher[] = []
  simulator: Simulator
  /** How many callbacks came in. */
  callbacks = 0
  readonly #options: RoomOptions
  readonly #folder: string
  readonly #callbackServer: Server

  private constructor(
    options: RoomOptions,
    parts: { database: TestDatabase; simulator: Simulator; folder: string; callbackServer: Server; applicationId: string },
  ) {
    this.#options = options
    this.#folder = parts.folder
    this.#callbackServer = parts.callbackServer
    this.database = parts.database
    this.simulator = parts.simulator
    this.applicationId = parts.applicationId
    this.settler = createSettler({ pool: this.database.pool })
    const address = parts.callbackServer.address() as AddressInfo
    const place = (code: OperatorCode) => ({ baseUrl: options.elsewhere?.[code] ?? this.simulator.url, secret: SECRET })
    const logger = createLogger('silent')
    const connect = () =>
      createConnectors({
        operators: Object.fromEntries(OPERATOR_CODES.map((code) => [code, place(code)])),
        callbackBaseUrl: `http://127.0.0.1:${address.port}`,
        clock: systemClock,
        logger,
        submitTimeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
        queryTimeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
      })
    this.connectors = connect()
    this.forcedQueries = createForcedQueryDesk({
      pool: this.database.pool,
      settler: this.settler,
      connectors: connect(),
      logger,
      limits: options.forcedQueries,
      nowMs: options.nowMs,
    })
    this.desk = createCallbackIntake({
      pool: this.database.pool,
      connectors: this.connectors,
      logger,
      onOutcome: (outcome) => this.callbackOutcomes.push(outcome),
      hintGapMs: 5,
      wake: () => this.dispatchers[0]?.wake(),
    })
    this.#callbackServer.on('request', (incoming: IncomingMessage, response: ServerResponse) => void this.#takeCallback(incoming, response))
  }

  static async open(options: RoomOptions = {}): Promise<OperatorHarness> {
    const database = await createTestDatabase()
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-simulator-'))
    const simulator = await startSimulator({ ...SIMULATOR, port: 0, folder, givesTokens: options.givesTokens })
    const callbackServer = createServer().listen(0, '127.0.0.1')
    await once(callbackServer, 'listening')
    const applicationId = await makeApplication(database.pool)
    for (const code of OPERATOR_CODES) await fund(database.pool, applicationId, code, 100_000_000_00n)
    return new OperatorHarness(options, { database, simulator, folder, callbackServer, applicationId })
  }

  /** Starts it again on the books and the port that it had. */
  async restartSimulator(): Promise<void> {
    this.simulator = await startSimulator({
      ...SIMULATOR,
      port: this.simulator.port,
      folder: this.#folder,
      givesTokens: this.#options.givesTokens,
    })
  }

  async #takeCallback(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const code = incoming.url?.split('/').at(-1) ?? ''
    const result = await handleCallback(this.desk, code, incoming.headers, Buffer.concat(chunks))
    this.callbacks++
    response.writeHead(result.ok ? 200 : 400).end()
  }

  createDispatcher(overrides: Partial<DispatcherOptions> = {}): Dispatcher {
    const dispatcher = createDispatcher({
      pool: this.database.pool,
      settler: this.settler,
      connectors: this.connectors,
      logger: createLogger('silent'),
      idlePollMs: 10,
      callTimeoutMs: this.#options.callTimeoutMs ?? CALL_TIMEOUT_MS,
      leaseMs: 5_000,
      pollDelaysMs: [60, 90, 120, 150],
      absenceMs: 100,
      acceptedAbsenceMs: 200,
      hintGapMs: 5,
      ...this.#options.dispatcher,
      ...overrides,
    })
    this.dispatchers.push(dispatcher)
    return dispatcher
  }

  startDispatcher(overrides: Partial<DispatcherOptions> = {}): Dispatcher {
    const dispatcher = this.createDispatcher(overrides)
    dispatcher.start()
    return dispatcher
  }

  /** Takes a transaction in: a deposit of 5,000 at MOMOCM unless the overrides say otherwise. */
  async make(overrides: Partial<IntakeItem> = {}): Promise<IntakeItem> {
    const item = anIntakeItem(this.applicationId, overrides)
    await takeIn(this.database.pool, [item])
    return item
  }

  async read(item: IntakeItem): Promise<Transaction> {
    const transaction = await findTransaction(this.database.pool, item.applicationId, item.transactionId)
    if (!transaction) throw new Error('The transaction is not there')
    return transaction
  }

  async untilFinal(item: IntakeItem): Promise<Transaction> {
    return until(async () => {
      const transaction = await this.read(item)
      return transaction.finalAt ? transaction : undefined
    }, `transaction ${item.transactionId} (${item.phoneNumber}) becomes final`)
  }

  async workOf(item: IntakeItem): Promise<Record<string, unknown> | undefined> {
    const { rows } = await this.database.pool.query('select * from operator_work where application_id = $1 and transaction_id = $2', [
      item.applicationId,
      item.transactionId,
    ])
    return rows[0]
  }

  /** The attempts of a transaction in order, each as `kind outcome`. */
  async attemptsOf(item: IntakeItem): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ kind: string; outcome: string | null }>(
      'select kind, outcome from operator_attempts where application_id = $1 and transaction_id = $2 order by number',
      [item.applicationId, item.transactionId],
    )
    return rows.map((row) => `${row.kind} ${row.outcome}`)
  }

  async books(): Promise<Map<string, BookEntry>> {
    const answer = await request(`${this.simulator.url}/books`)
    const { entries } = (await answer.body.json()) as { entries: BookEntry[] }
    return new Map(entries.map((entry) => [entry.reference, entry]))
  }

  /**
   * Compares the simulator's books with ours and throws on the first difference: money moves once and only for what is
   * SUCCESS here, FAILED here is not executed there, amounts agree, and no reference came again while the operator had it.
   */
  async compareBooks(): Promise<void> {
    const books = await this.books()
    const { rows } = await this.database.pool.query<{ transaction_id: string; status: string; amount_minor: bigint; message: string }>(
      'select transaction_id, status, amount_minor, message from transactions',
    )
    for (const row of rows) {
      const entry = books.get(row.transaction_id)
      const name = `${row.transaction_id} ${row.status} ${row.message}`
      if (row.status === 'SUCCESS' && entry?.timesExecuted !== 1) throw new Error(`${name}: executed ${entry?.timesExecuted ?? 0} times`)
      if (row.status === 'FAILED' && entry && entry.timesExecuted !== 0) throw new Error(`${name}: executed although it failed`)
      if (entry && entry.timesExecuted > 1) throw new Error(`${name}: executed ${entry.timesExecuted} times`)
      if (entry && entry.duplicates > 0) throw new Error(`${name}: sent again ${entry.duplicates} times while the operator had it`)
      if (entry && BigInt(entry.amount) * 100n !== row.amount_minor) throw new Error(`${name}: the amounts differ`)
      books.delete(row.transaction_id)
    }
    if (books.size > 0) throw new Error(`The operator knows ${books.size} references that we do not`)
  }

  async close(): Promise<void> {
    await Promise.all(this.dispatchers.map((dispatcher) => dispatcher.drain()))
    await this.forcedQueries.close()
    await this.settler.drain()
    await closeConnectors(this.connectors)
    await this.simulator.close()
    this.#callbackServer.closeAllConnections()
    this.#callbackServer.close()
    await this.database.drop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Checks the condition until it returns a value; throws after 20 s and names what was waited for. */
export async function until<Value>(condition: () => Promise<Value | undefined | false>, what: string): Promise<Value> {
  const endsAtMs = performance.now() + 20_000
  while (performance.now() < endsAtMs) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    await delay(5)
  }
  throw new Error(`Waited 20 s in vain: ${what}`)
}
