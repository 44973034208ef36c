import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, type Result } from '#lib/result.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { refuseActor } from '../settings/set-operator.ts'
import { listFloatWaits, releaseFloat } from './float-store.ts'

export type SendDespiteShortageFailure =
  | 'not_permitted'
  | 'not_the_installation'
  /** No deposit waits for float at this operator, or the wait has ended. */
  | 'not_waiting'

/**
 * Sends the deposits that wait for float at an operator, in order, because a person knows that its account was topped up. If it was not, the
 * operator refuses the first one, which then ends as FAILED, and the others wait again. One administrator may: nobody is paid who was not
 * approved.
 */
export async function sendDespiteShortage(
  pool: Pool,
  command: { operator: OperatorCode; actor: CommandActor },
): Promise<Result<void, SendDespiteShortageFailure>> {
  const { operator, actor } = command
  return runRecorded<void, SendDespiteShortageFailure>(pool, { applicationId: SERVICE_WIDE, actor }, async (trx) => {
    const refusal = await refuseActor(trx, actor)
    if (refusal) return err(refusal)
    const wait = (await listFloatWaits(trx)).find((each) => each.operator === operator)
    if (!wait || !(await releaseFloat(trx, operator))) return err('not_waiting')
    return done({
      action: 'operator.float_released',
      subject: operator,
      details: { since: wait.since.toISOString(), isRefused: wait.isRefused },
    })
  })
}
