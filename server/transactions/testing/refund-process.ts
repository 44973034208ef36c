import { createDirectory } from '#server/applications/directory.ts'
import { createPool } from '#server/database/pool.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { createIntake } from '../intake.ts'
import { startRefund } from '../refunds.ts'
import { SYSTEM_ACTOR, transition } from '../transition.ts'

/** Refunds of 1,000 of one collect, all at once and each under its own externalId. Every third ends as FAILED. */
export type RefundProcessPlan = {
  databaseUrl: string
  secretsKey: string
  applicationId: string
  apiUserId: string
  collectId: string
  externalIds: readonly string[]
}

// Prints `started`, then `refunded <externalId> <transactionId>` for each refund that was answered, then `done`. It may be killed at any time.
const plan = JSON.parse(process.argv[2] ?? '{}') as RefundProcessPlan
const { applicationId, collectId } = plan
publishKeyring(createKeyring({ current: plan.secretsKey, previous: [] }))
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 4, applicationName: 'refund-process' })
const directory = await createDirectory({ pool })
const application = directory.find(applicationId)
if (!application) throw new Error('There is no such application')
const deps = {
  pool,
  intake: createIntake({ pool }),
  connectors: { has: () => true, limitsOf: () => undefined },
  confirmFailures: async (refunds: readonly { transactionId: string }[]) => new Set(refunds.map(({ transactionId }) => transactionId)),
}
const actor = { kind: 'api', id: plan.apiUserId } as const
const common = { application, collectId, amountMinor: 100_000n, reason: '', webhookUrl: null, source: 'api', actor } as const
process.stdout.write('started\n')
await Promise.all(
  plan.externalIds.map(async (externalId, index) => {
    const refunded = await startRefund(deps, { ...common, externalId })
    if (!refunded.ok) return
    const { transactionId } = refunded.value
    process.stdout.write(`refunded ${externalId} ${transactionId}\n`)
    const event = index % 3 === 0 ? 'failed' : 'succeeded'
    await transition(pool, [{ applicationId, transactionId, event, actor: SYSTEM_ACTOR }])
  }),
)
process.stdout.write('done\n')
process.exit(0)
