// A dispatcher in a process of its own, for tests that kill it: node dispatcher-process.ts <json of DispatcherProcessPlan>.
import { systemClock } from '#server/clock.ts'
import { createPool } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
import { createDispatcher } from '#server/operators/work/dispatch/dispatcher.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { TEST_SECRETS_KEY } from '#server/testing/database.ts'
import { createSettler } from '#server/transactions/transition.ts'

export type DispatcherProcessPlan = {
  databaseUrl: string
  settings: readonly OperatorSettings[]
  /** A refusal for lack of funds is one for lack of our own: the operator's other deposits wait. In a sandbox it says nothing about the account. */
  holdsForFloat?: boolean
}

// Operators' access tokens are sealed in the database.
publishKeyring(createKeyring({ current: TEST_SECRETS_KEY, previous: [] }))
const plan: DispatcherProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 6, applicationName: 'dispatcher' })
const dispatcher = createDispatcher({
  pool,
  settler: createSettler({ pool }),
  connectors: createConnectors({
    settings: plan.settings,
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
  isSandbox: !plan.holdsForFloat,
})
dispatcher.start()
process.stdout.write('started\n')
