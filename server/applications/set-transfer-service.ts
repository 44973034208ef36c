import { AMOUNT_MINOR_MAX } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { upsertService } from './application-store.ts'
import type { TransferService } from './snapshot.ts'

type SetTransferService = {
  applicationId: string
  operator: OperatorCode
  type: TransactionType
  service: TransferService
  actor: CommandActor
}

/**
 * Switches one operator and direction on or off for an application, and puts amount limits (hundredths, both ends
 * allowed) in force there. Without limits of its own, `enforcesLimits` means the operator table's.
 */
export async function setTransferService(
  database: Database,
  command: SetTransferService,
): Promise<Result<void, 'not_permitted' | 'unknown_application' | 'invalid_limits'>> {
  const { applicationId, operator, type, service, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const [minimum, maximum] = [service.minimumMinor ?? 1n, service.maximumMinor ?? AMOUNT_MINOR_MAX]
  if (minimum < 1n || maximum < minimum || maximum > AMOUNT_MINOR_MAX) return err('invalid_limits')
  return withTransaction(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    await upsertService(trx, applicationId, operator, type, service)
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'service.set',
      subject: `${operator} ${type}`,
      details: {
        isEnabled: service.isEnabled,
        enforcesLimits: service.enforcesLimits,
        minimumMinor: service.minimumMinor === null ? null : String(service.minimumMinor),
        maximumMinor: service.maximumMinor === null ? null : String(service.maximumMinor),
      },
    })
    return ok(undefined)
  })
}
