import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, type Result } from '#lib/result.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { listAvailability } from '../availability/availability-store.ts'
import { lockAllSettings, saveAgain } from './operator-settings-store.ts'
import { refuseActor } from './set-operator.ts'

export type ReopenFailure =
  | 'not_permitted'
  | 'not_the_installation'
  /** No direction is closed for a fault of ours, or somebody has opened it again. */
  | 'not_closed'
  /** Its settings are those of the environment. */
  | 'not_stored'

/**
 * Opens the directions of an operator that were closed because it refused our PIN, key or settings (`closesDirection`): the settings as they are
 * count as saved again, in every process within a second. One payment at a time is sent until the operator accepts one; another refusal closes
 * the direction again. One administrator may: nobody is paid who was not approved.
 */
export async function reopenOperator(
  pool: Pool,
  command: { operator: OperatorCode; actor: CommandActor },
): Promise<Result<void, ReopenFailure>> {
  const { operator, actor } = command
  return runRecorded<void, ReopenFailure>(pool, { applicationId: SERVICE_WIDE, actor }, async (trx) => {
    const refusal = await refuseActor(trx, actor)
    if (refusal) return err(refusal)
    await lockAllSettings(trx)
    const closed = (await listAvailability(trx)).filter((row) => row.operator === operator && row.fault !== null && !row.isReopened)
    if (closed.length === 0) return err('not_closed')
    if (!(await saveAgain(trx, operator))) return err('not_stored')
    const details = { closed: closed.map(({ type, fault, since }) => ({ type, fault, since: since.toISOString() })) }
    return done({ action: 'operator.reopened', subject: operator, details })
  })
}
