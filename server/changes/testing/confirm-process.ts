// Confirms a change or proposes what is scheduled, in a process of its own, for a test that kills it: node confirm-process.ts <json of ConfirmProcessPlan>.
import { systemClock } from '#server/clock.ts'
import { createPool } from '#server/database/pool.ts'
import { confirmChange } from '../decide-change.ts'
import { proposeScheduledWithdrawals } from '../scheduled-withdrawals.ts'

export type ConfirmProcessPlan = { databaseUrl: string } & (
  | { applicationId: string; changeId: string; personId: string }
  | { scheduledAt: string }
)

const plan: ConfirmProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 2, applicationName: 'confirm-process' })
if ('scheduledAt' in plan) {
  await proposeScheduledWithdrawals({ pool, clock: { now: () => new Date(plan.scheduledAt) } }, () => false)
} else {
  const { applicationId, changeId, personId } = plan
  const actor = { kind: 'person' as const, id: personId, applicationId, roles: ['administrator' as const] }
  process.stdout.write(JSON.stringify(await confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor })))
}
await pool.end()
