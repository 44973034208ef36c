import type { FeeSchedule } from '#lib/fees.ts'
import { AMOUNT_MINOR_MAX } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { upsertFees } from './application-store.ts'
import { readFees } from './terms-queries.ts'

type SetFeeSchedule = {
  applicationId: string
  operator: OperatorCode
  type: TransactionType
  fees: FeeSchedule
  actor: CommandActor
}

/**
 * Sets the fees of one operator and direction. Transactions keep those they were made under. The administrators of an application
 * set its own part; the service's part is its income, and only the machine's administrator may change it.
 */
export async function setFeeSchedule(
  database: Database,
  command: SetFeeSchedule,
): Promise<Result<void, 'not_permitted' | 'unknown_application' | 'invalid_fees'>> {
  const { applicationId, operator, type, fees, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const isRate = (ppm: number): boolean => Number.isInteger(ppm) && ppm >= 0 && ppm <= 1_000_000
  const isFixed = (minor: bigint): boolean => minor >= 0n && minor <= AMOUNT_MINOR_MAX
  // Both rates together must leave something of a collect.
  const areSensible = isRate(fees.systemRatePpm) && isRate(fees.appRatePpm) && fees.systemRatePpm + fees.appRatePpm < 1_000_000
  if (!areSensible || !isFixed(fees.systemFixedMinor) || !isFixed(fees.appFixedMinor)) return err('invalid_fees')
  return withTransaction(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const before = await readFees(trx, applicationId, operator, type)
    if (actor.kind !== 'system' && !keepsSystemPart(before, fees)) return err('not_permitted')
    await upsertFees(trx, applicationId, operator, type, fees)
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'fees.set',
      subject: `${operator} ${type}`,
      details: { ...detailsOf(fees), before: detailsOf(before) },
    })
    return ok(undefined)
  })
}

function detailsOf({ systemRatePpm, systemFixedMinor, appRatePpm, appFixedMinor }: FeeSchedule) {
  return { systemRatePpm, systemFixedMinor: String(systemFixedMinor), appRatePpm, appFixedMinor: String(appFixedMinor) }
}

function keepsSystemPart(present: FeeSchedule, next: FeeSchedule): boolean {
  return present.systemRatePpm === next.systemRatePpm && present.systemFixedMinor === next.systemFixedMinor
}
