import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { err, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { removeThreshold, upsertThreshold } from './ledger-store.ts'

type SetBalanceThreshold = {
  applicationId: string
  operator: OperatorCode
  /** Hundredths of the operator's currency, positive; null removes the warning. */
  thresholdMinor: bigint | null
  actor: CommandActor
}

/** Sets the deposit balance below which an operator is marked as low, with an audit entry. For finance and administrators. */
export async function setBalanceThreshold(pool: Pool, command: SetBalanceThreshold): Promise<Result<null, 'not_permitted'>> {
  const { applicationId, operator, thresholdMinor, actor } = command
  return runCommand<null, 'not_permitted'>(pool, command, 'balance:set-threshold', async (trx) => {
    if (actor.kind !== 'person') return err('not_permitted')
    if (thresholdMinor !== null && thresholdMinor <= 0n) throw new Error('A threshold is positive')
    if (thresholdMinor === null) await removeThreshold(trx, applicationId, operator)
    else await upsertThreshold(trx, { applicationId, operator, thresholdMinor, personId: actor.id })
    if (thresholdMinor === null) return done({ action: 'balance_threshold.removed', subject: operator }, null)
    const details = { threshold: formatMinor(thresholdMinor), currency: OPERATORS[operator].country.currency }
    return done({ action: 'balance_threshold.set', subject: operator, details }, null)
  })
}
