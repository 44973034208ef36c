// Confirms a funding in a process of its own, for a test that kills it: node confirm-process.ts <json of ConfirmProcessPlan>.
import { systemClock } from '#server/clock.ts'
import { createPool } from '#server/database/pool.ts'
import { confirmFunding } from '../decide-funding.ts'

export type ConfirmProcessPlan = { databaseUrl: string; applicationId: string; fundingId: string; personId: string }

const plan: ConfirmProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const { applicationId, fundingId, personId } = plan
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 2, applicationName: 'confirm-process' })
const actor = { kind: 'person' as const, id: personId, applicationId, roles: ['administrator' as const] }
const confirmed = await confirmFunding({ pool, clock: systemClock }, { applicationId, fundingId, actor })
process.stdout.write(JSON.stringify(confirmed))
await pool.end()
