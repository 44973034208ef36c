import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { createAccountChecks } from '#server/account-checks/check-account.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { createBatchSubmitter } from '#server/batches/rows/start-rows.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { createMetrics } from '#server/http/api/metrics.ts'
import { createRequestLimit, type RequestLimitOptions } from '#server/http/api/request-limit.ts'
import { createFrontDoor, type FrontDoor, type FrontDoorOptions } from '#server/http/door/front-door.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { createCallbackIntake } from '#server/operators/handle-callback.ts'
import { gatewaySettings } from '#server/operators/sandbox-protocol/sandbox-connector.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
import { createDispatcher, type Dispatcher } from '#server/operators/work/dispatch/dispatcher.ts'
import { createForcedEnquiries, type ForcedEnquiriesOptions } from '#server/operators/work/forced-enquiries.ts'
import { createTokens, type Tokens } from '#server/partner-auth/access-token.ts'
import { createCallerRecords } from '#server/partner-auth/caller-records.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, type TestPartner } from '#server/testing/partner.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { createSettler } from '#server/transactions/transition.ts'
import { UnansweredStarts } from '#server/transactions/unanswered-starts.ts'
import type { HttpRuntime } from '../api/endpoint.ts'

type HttpHarnessOptions = {
  frontDoor?: Partial<FrontDoorOptions>
  config?: Partial<HttpRuntime['config']>
  queueMax?: number
  /** Opens the pool of the service at this address; otherwise it uses that of the test. */
  openPool?(databaseUrl: string): Pool
  forcedEnquiries?: ForcedEnquiriesOptions['limits']
  requestLimit?: RequestLimitOptions
  /** Each operator speaks its own protocol, as in the sandbox; otherwise all of them speak the gateway protocol. */
  usesOwnProtocols?: boolean
  /** In place of the sandbox's settings, from the simulator's address and secret. */
  settings?: typeof simulatedOperators
  /** Besides how the operators are reached: the amounts that they take. */
  amounts?: readonly OperatorSettings[]
  /** How long the simulated operators take for the slow row of their table (914). */
  slowDelayMs?: number
}

/** A front door in this process, with a real database, a simulator of the operators and one partner. */
export type HttpHarness = {
  database: TestDatabase
  runtime: HttpRuntime
  frontDoor: FrontDoor
  dispatcher: Dispatcher
  simulatorUrl: string
  /** Stops all operators. */
  stopSimulator(): Promise<void>
  baseUrl: string
  port: number
  partner: TestPartner
  /** The three headers of the partner, and a content type. */
  headers: Record<string, string>
  directory: Directory
  close(): Promise<void>
}

/** Signs the access tokens of the harness. */
export const HARNESS_TOKEN_SECRET = 'a secret for the access tokens of this test'

/** Of the simulator of the harness. */
export const SIMULATOR_SECRET = 'a secret between the test and its operators'

const SIMULATOR = { port: 0, secret: SIMULATOR_SECRET, delayMs: 30 }

/** Opens a harness on a free port of 127.0.0.1. */
export async function openHttpHarness(options: HttpHarnessOptions = {}): Promise<HttpHarness> {
  const database = await createTestDatabase()
  const pool = options.openPool?.(database.url) ?? database.pool
  const { folder, simulator, stopSimulator } = await startOperators(options)
  const logger = createLogger('silent')
  const partner = await createTestPartner(database.pool)
  const directory = await createDirectory({ pool, pollIntervalMs: 50 })
  const tokens = createTokens({ clock: systemClock, secret: HARNESS_TOKEN_SECRET })
  const settler = createSettler({ pool })
  const connectors = connectTo(pool, simulator.url, options)
  const ownConnectors = connectTo(pool, simulator.url, options)
  const forcedEnquiries = createForcedEnquiries({ pool, settler, logger, connectors: ownConnectors, limits: options.forcedEnquiries })
  const dispatcher = createDispatcher({ pool, settler, connectors, logger, idlePollMs: 20 })
  const intake = createIntake({ pool, queueMax: options.queueMax, reserveSlots: dispatcher.reserveSlots })
  const batchSubmitter = createBatchSubmitter({ pool, intake, connectors, directory })
  const runtime: HttpRuntime = {
    config: { trustedProxies: [], metricsToken: undefined, isSandbox: false, ...options.config },
    pool,
    reportPool: pool,
    clock: systemClock,
    logger,
    directory,
    tokens,
    ...createCallerRecords({ pool, tokens, directory, isSandbox: options.config?.isSandbox ?? false }),
    ...{ settler, connectors, intake, batchSubmitter },
    unansweredStarts: new UnansweredStarts(),
    throttle: createSignInThrottle({ pool, clock: systemClock, secret: HARNESS_TOKEN_SECRET }),
    callbacks: createCallbackIntake({ pool, connectors, logger }),
    forcedEnquiries,
    accountChecks: createAccountChecks({ pool, connectors, nowMs: () => performance.now() }),
    wake: { operators: dispatcher.wake, webhooks: () => undefined },
    requestLimit: createRequestLimit(options.requestLimit),
    metrics: createMetrics(),
  }
  const frontDoor = createFrontDoor({ runtime, fallback: answerAsPage, ...options.frontDoor })
  const port = await frontDoor.listen({ host: '127.0.0.1', port: 0 })
  return {
    database,
    runtime,
    frontDoor,
    dispatcher,
    simulatorUrl: simulator.url,
    stopSimulator,
    partner,
    directory,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    headers: await headersOf(partner, tokens),
    async close() {
      await Promise.all([frontDoor.drain(100), batchSubmitter.drain()])
      await dispatcher.drain()
      await intake.drain()
      await forcedEnquiries.close()
      await settler.drain()
      await directory.close()
      await connectors.close()
      await stopSimulator()
      if (pool !== database.pool) await pool.end()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startOperators({ slowDelayMs = 400 }: HttpHarnessOptions) {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-http-'))
  const simulator = await startSimulator({ ...SIMULATOR, folder, slowDelayMs })
  return { folder, simulator, stopSimulator: closeOnce(simulator) }
}

/** A test may stop the operators before the harness closes. */
function closeOnce(simulator: { close(): Promise<void> }): () => Promise<void> {
  let end: Promise<void> | undefined
  return () => (end ??= simulator.close())
}

async function headersOf(partner: TestPartner, tokens: Tokens): Promise<Record<string, string>> {
  return {
    'content-type': 'application/json',
    apiKey: partner.apiKey,
    apiId: partner.apiId,
    authorization: `Bearer ${await tokens.sign(partner.apiUserId, partner.applicationId)}`,
  }
}

function connectTo(pool: Pool, simulatorUrl: string, options: HttpHarnessOptions): FollowingConnectors {
  const { usesOwnProtocols, settings, amounts = [] } = options
  const reached = usesOwnProtocols
    ? (settings ?? simulatedOperators)(simulatorUrl, SIMULATOR_SECRET)
    : gatewaySettings(OPERATOR_CODES, { baseUrl: simulatorUrl, secret: SIMULATOR_SECRET })
  return createConnectors({
    settings: [...reached, ...amounts],
    tokens: createAccessTokens(pool),
    callbackBaseUrl: usesOwnProtocols ? 'http://127.0.0.1:1' : undefined,
    clock: systemClock,
    logger: createLogger('silent'),
    submitTimeoutMs: 400,
    queryTimeoutMs: 400,
  })
}

/** Returns a valid body of collect with a new externalId. */
export function aCollect(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transferMethod: 'OMCM',
    customerName: 'Awa Ndiaye',
    externalId: randomUUID(),
    phoneNumber: '237699000111',
    amount: 5000,
    webhookUrl: 'https://partner.example/hooks',
    countryName: 'CAMEROON',
    ...overrides,
  }
}

/** Returns the same as JSON text. */
export function collectBody(overrides: Record<string, unknown> = {}): string {
  return JSON.stringify(aCollect(overrides))
}

/** Replaces Next and returns the request that reached it. */
function answerAsPage(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.setHeader('content-type', 'application/json')
  outgoing.end(JSON.stringify({ page: incoming.url, headers: incoming.headers }))
}
