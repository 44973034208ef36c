import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import type { Connector, Connectors } from '#server/operators/connector.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import { type CallbackIntake, createCallbackIntake, handleCallback } from '#server/operators/handle-callback.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { createSettler, type Settler } from '#server/transactions/transition.ts'
import { CIRCUIT_RULES } from '../availability/submission-gate.ts'
import { gatewaySettings } from '../sandbox-protocol/sandbox-connector.ts'
import { createDispatcher, type Dispatcher, type DispatcherOptions } from '../work/dispatch/dispatcher.ts'
import { createForcedEnquiries, type ForcedEnquiries, type ForcedEnquiriesOptions } from '../work/forced-enquiries.ts'
import { compareBooks, countDenied, readBooks } from './compare-books.ts'
import { type CallbackServer, startCallbackServer } from './connectors/callback-server.ts'
import { startCustomers } from './customers.ts'
import { readAttempts, readWork } from './read-work.ts'

export const SECRET = 'a secret between the test and its operators'
/** Long enough that a busy machine alone does not make an answer late: a late submission would be sent twice, rightly. */
const CALL_TIMEOUT_MS = 1_000
/** Most of these tests make all calls fail on purpose; availability has tests of its own. */
const NEVER_CLOSED = { ...CIRCUIT_RULES, delayedAfter: Number.POSITIVE_INFINITY, closedAfter: Number.POSITIVE_INFINITY }
const SIMULATOR = { secret: SECRET, delayMs: 30, slowDelayMs: 400 }

type HarnessOptions = {
  /** Operators that have another address than the simulator. */
  elsewhere?: Partial<Record<OperatorCode, string>>
  /** The longest that a call may last; short, so that silence is soon an unknown outcome. */
  callTimeoutMs?: number
  givesTokens?: boolean
  /**
   * Each operator speaks its own protocol, as in the sandbox, and customers enter the codes that it wants; otherwise all of them speak the
   * gateway protocol.
   */
  usesOwnProtocols?: boolean
  /** Other settings of operators that speak their own protocol. */
  documents?: Partial<Record<OperatorCode, Record<string, unknown>>>
  /** No operator sends callbacks. */
  hasNoCallbacks?: boolean
  /** A proxy between the connectors and the simulator, and one between its callbacks and the handler. Each returns its own address. */
  proxy?: { calls(url: string): Promise<string>; callbacks(url: string): Promise<string> }
  dispatcher?: Partial<DispatcherOptions>
  forcedEnquiries?: ForcedEnquiriesOptions['limits']
  /** The time by which the allowances of forced enquiries refill. */
  nowMs?: () => number
}

/** A database, a simulator, an address for its callbacks, and everything between them, with short delays. */
export class OperatorHarness {
  readonly database: TestDatabase
  readonly settler: Settler
  readonly connectors: FollowingConnectors
  readonly callbackIntake: CallbackIntake
  readonly forcedEnquiries: ForcedEnquiries
  /** The outcomes of callbacks, in order. */
  readonly callbackOutcomes: string[] = []
  readonly applicationId: string
  readonly dispatchers: Dispatcher[] = []
  simulator: Simulator
  callbacks = 0
  readonly #options: HarnessOptions
  readonly #folder: string
  readonly #callbackServer: CallbackServer
  readonly #customers: { stop(): Promise<void> } | undefined

  private constructor(
    options: HarnessOptions,
    parts: {
      database: TestDatabase
      simulator: Simulator
      folder: string
      callbackServer: CallbackServer
      applicationId: string
      callsUrl: string
      callbacksUrl: string
    },
  ) {
    this.#options = options
    this.#folder = parts.folder
    this.#callbackServer = parts.callbackServer
    this.database = parts.database
    this.simulator = parts.simulator
    this.applicationId = parts.applicationId
    this.settler = createSettler({ pool: this.database.pool })
    const settings = options.usesOwnProtocols
      ? simulatedOperators(parts.callsUrl, SECRET).map((one) => ({
          ...one,
          document: { ...one.document, sendsCallbacks: !options.hasNoCallbacks, ...options.documents?.[one.operator] },
        }))
      : OPERATOR_CODES.flatMap((code) =>
          gatewaySettings([code], { baseUrl: options.elsewhere?.[code] ?? this.simulator.url, secret: SECRET }),
        )
    const logger = createLogger('silent')
    const connect = () =>
      createConnectors({
        settings,
        tokens: createAccessTokens(this.database.pool),
        callbackBaseUrl: parts.callbacksUrl,
        clock: systemClock,
        logger,
        submitTimeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
        queryTimeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
      })
    this.connectors = connect()
    this.forcedEnquiries = createForcedEnquiries({
      pool: this.database.pool,
      settler: this.settler,
      connectors: connect(),
      logger,
      limits: options.forcedEnquiries,
      nowMs: options.nowMs,
    })
    this.callbackIntake = createCallbackIntake({
      pool: this.database.pool,
      connectors: this.connectors,
      logger,
      onOutcome: (outcome) => this.callbackOutcomes.push(outcome),
      hintGapMs: 5,
      wake: () => this.dispatchers[0]?.wakeQueries(),
      settleByCallback: (callback) => this.dispatchers[0]?.settleByCallback(callback),
    })
    this.#customers = options.usesOwnProtocols
      ? startCustomers({
          pool: this.database.pool,
          connectors: this.connectors,
          simulatorUrl: () => this.simulator.url,
          onEntered: () => this.dispatchers[0]?.wake(),
        })
      : undefined
    parts.callbackServer.onCallback(async ({ operator, headers, body, search }) => {
      const result = await handleCallback(this.callbackIntake, operator, headers, body, search)
      this.callbacks++
      return result.ok
    })
  }

  static async open(options: HarnessOptions = {}): Promise<OperatorHarness> {
    const database = await createTestDatabase()
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-simulator-'))
    const callbackServer = await startCallbackServer()
    const callbacksUrl = (await options.proxy?.callbacks(callbackServer.url)) ?? callbackServer.url
    const webhookBaseUrl = options.hasNoCallbacks ? undefined : callbacksUrl
    const simulator = await startSimulator({ ...SIMULATOR, port: 0, folder, givesTokens: options.givesTokens, webhookBaseUrl })
    const callsUrl = (await options.proxy?.calls(simulator.url)) ?? simulator.url
    const applicationId = await makeApplication(database.pool)
    for (const code of OPERATOR_CODES) await fund(database.pool, applicationId, code, 100_000_000_00n)
    return new OperatorHarness(options, { database, simulator, folder, callbackServer, applicationId, callsUrl, callbacksUrl })
  }

  /** Restarts it with its books and its port. */
  async restartSimulator(): Promise<void> {
    this.simulator = await startSimulator({
      ...SIMULATOR,
      port: this.simulator.port,
      folder: this.#folder,
      givesTokens: this.#options.givesTokens,
      webhookBaseUrl: this.#options.hasNoCallbacks ? undefined : this.#callbackServer.url,
    })
  }

  createDispatcher(overrides: Partial<DispatcherOptions> = {}): Dispatcher {
    const dispatcher = createDispatcher({
      pool: this.database.pool,
      settler: this.settler,
      connectors: this.connectors,
      logger: createLogger('silent'),
      idlePollMs: 10,
      leaseMs: 5_000,
      pollDelaysMs: [60, 90, 120, 150],
      absenceMs: 100,
      acceptedAbsenceMs: 200,
      hintGapMs: 5,
      // The simulator refuses by the number of the customer.
      isSandbox: true,
      circuitRules: NEVER_CLOSED,
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
    if (!transaction) throw new Error('The transaction does not exist')
    return transaction
  }

  async untilFinal(item: IntakeItem): Promise<Transaction> {
    return waitUntil(`transaction ${item.transactionId} (${item.phoneNumber}) becomes final`, async () => {
      const transaction = await this.read(item)
      return transaction.finalAt ? transaction : undefined
    })
  }

  workOf(item: IntakeItem): Promise<Record<string, unknown> | undefined> {
    return readWork(this.database.pool, item)
  }

  /** The attempts of a transaction in order, each as `kind outcome`. */
  attemptsOf(item: IntakeItem): Promise<string[]> {
    return readAttempts(this.database.pool, item)
  }

  books(): Promise<Map<string, BookEntry>> {
    return readBooks(this.simulator.url)
  }

  /** Compares the simulator's books with the database (compare-books.ts). By default, what the operator denied may come again. */
  async compareBooks(causedRepetitions?: (entry: BookEntry) => number): Promise<void> {
    const { pool } = this.database
    await compareBooks(pool, await this.books(), causedRepetitions ?? (await countDenied(pool)))
  }

  async close(): Promise<void> {
    await this.#customers?.stop()
    await Promise.all(this.dispatchers.map((dispatcher) => dispatcher.drain()))
    await this.forcedEnquiries.close()
    await this.settler.drain()
    await this.connectors.close()
    await this.simulator.close()
    await this.#callbackServer.close()
    await this.database.drop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The connectors of a process that serves OMCM alone, through the harness's connector with these methods and terms in place of its own. */
export function connectorsWith(harness: OperatorHarness, overrides: Partial<Connector>): Connectors {
  const plain = harness.connectors.get('OMCM') ?? assert.fail()
  const connector = guardConnector('OMCM', { ...plain, ...overrides }, createLogger('silent'))
  return { get: () => connector, has: () => true, limitsOf: () => undefined, operators: () => ['OMCM'] }
}
