// Confirms a funding in a process of its own, for a test that kills it: node confirm-process.ts <json of ConfirmProcessPlan>.
import { systemClock } from '#server/clock.ts'
import { createPool } from '#server/database/pool.ts'
import { confirmChange } from '../decide-change.ts'

export type ConfirmProcessPlan = { databaseUrl: string; applicationId: string; changeId: string; personId: string }

const plan: ConfirmProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const { applicationId, changeId, personId } = plan
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 2, applicationName: 'confirm-process' })
const actor = { kind: 'person' as const, id: personId, applicationId, roles: ['administrator' as const] }
const confirmed = await confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor })
process.stdout.write(JSON.stringify(confirmed))
await pool.end()
