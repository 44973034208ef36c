// A dispatcher in a process of its own, for tests that kill it: node dispatcher-process.ts <json of DispatcherProcessPlan>.
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { systemClock } from '#server/clock.ts'
import { createPool } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
import { createSettler } from '#server/transactions/transition.ts'
import { gatewaySettings } from '../sandbox-protocol/sandbox-connector.ts'
import { createDispatcher } from '../work/dispatch/dispatcher.ts'

export type DispatcherProcessPlan = { databaseUrl: string; simulatorUrl: string; secret: string }

const plan: DispatcherProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 6, applicationName: 'dispatcher' })
const dispatcher = createDispatcher({
  pool,
  settler: createSettler({ pool }),
  connectors: createConnectors({
    settings: gatewaySettings(OPERATOR_CODES, { baseUrl: plan.simulatorUrl, secret: plan.secret }),
    tokens: createAccessTokens(pool),
    callbackBaseUrl: undefined,
    clock: systemClock,
    logger: createLogger('silent'),
    submitTimeoutMs: 800,
    queryTimeoutMs: 800,
  }),
  logger: createLogger('silent'),
  queriesMax: 16,
  submissionsMax: 16,
  idlePollMs: 10,
  leaseMs: 2_000,
  pollDelaysMs: [60, 90, 120, 150],
  absenceMs: 500,
  acceptedAbsenceMs: 800,
  // A simulated refusal for lack of funds says nothing about the account, so it must not hold back the operator's other deposits.
  isSandbox: true,
})
dispatcher.start()
process.stdout.write('started\n')
