// Confirms a change, proposes what is scheduled or says that a transfer has left, in a process of its own, for a test that kills it: node confirm-process.ts <json of ConfirmProcessPlan>.
import type { UtcDay } from '#lib/time/time.ts'
import { systemClock } from '#server/clock.ts'
import { createPool } from '#server/database/pool.ts'
import { markTransit } from '#server/reconciliation/treasury/mark-transit.ts'
import { confirmChange } from '../decide-change.ts'
import { proposeScheduledWithdrawals } from '../scheduled-withdrawals.ts'

export type ConfirmProcessPlan = { databaseUrl: string } & (
  | { applicationId: string; changeId: string; personId: string }
  | { scheduledAt: string }
  | { leftOn: UtcDay; applicationId: string; changeId: string; personId: string }
)

const plan: ConfirmProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 2, applicationName: 'confirm-process' })
if ('scheduledAt' in plan) {
  await proposeScheduledWithdrawals({ pool, clock: { now: () => new Date(plan.scheduledAt) } }, () => false)
} else if ('leftOn' in plan) {
  const { leftOn: day, applicationId, changeId, personId } = plan
  const actor = { kind: 'person' as const, id: personId, applicationId, roles: ['finance' as const] }
  await markTransit(pool, {
    applicationId,
    ledgerId: applicationId,
    changeId,
    actor,
    step: 'left',
    day,
    reference: 'OP 1',
    now: new Date(),
  })
} else {
  const { applicationId, changeId, personId } = plan
  const actor = { kind: 'person' as const, id: personId, applicationId, roles: ['administrator' as const] }
  process.stdout.write(JSON.stringify(await confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor })))
}
await pool.end()
