import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
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
  if (actor.kind !== 'person' || !mayAct(actor, applicationId, 'balance:set-threshold')) return err('not_permitted')
  if (thresholdMinor !== null && thresholdMinor <= 0n) throw new Error('A threshold is positive')
  return withTransaction(pool, async (trx) => {
    if (thresholdMinor === null) await removeThreshold(trx, applicationId, operator)
    else await upsertThreshold(trx, { applicationId, operator, thresholdMinor, personId: actor.id })
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: actor.id },
      action: thresholdMinor === null ? 'balance_threshold.removed' : 'balance_threshold.set',
      subject: operator,
      details: thresholdMinor === null ? {} : { threshold: formatMinor(thresholdMinor), currency: OPERATORS[operator].country.currency },
    })
    return ok(null)
  })
}
