import { AMOUNT_MINOR_MAX } from '#lib/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { upsertService } from './application-store.ts'
import type { TransferService } from './snapshot.ts'
import { readService, readTerms } from './terms-queries.ts'

type SetTransferService = {
  applicationId: string
  operator: OperatorCode
  type: TransactionType
  service: TransferService
  actor: CommandActor
}

type SetFailure =
  | 'not_permitted'
  | 'unknown_application'
  | 'invalid_limits'
  /** The application does not work in the operator's country. */
  | 'outside_countries'

/**
 * Switches one operator and direction on or off for an application, and puts amount limits (hundredths, both ends
 * allowed) in force there. Without limits of its own, `enforcesLimits` means the operator table's.
 */
export async function setTransferService(database: Database, command: SetTransferService): Promise<Result<void, SetFailure>> {
  const { applicationId, operator, type, service, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const [minimum, maximum] = [service.minimumMinor ?? 1n, service.maximumMinor ?? AMOUNT_MINOR_MAX]
  if (minimum < 1n || maximum < minimum || maximum > AMOUNT_MINOR_MAX) return err('invalid_limits')
  return withTransaction<void, SetFailure>(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const terms = await readTerms(trx, applicationId)
    if (service.isEnabled && !terms?.countries.includes(OPERATORS[operator].country.name)) return err('outside_countries')
    const before = await readService(trx, applicationId, operator, type)
    await upsertService(trx, applicationId, operator, type, service)
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'service.set',
      subject: `${operator} ${type}`,
      details: { ...detailsOf(service), before: detailsOf(before) },
    })
    return ok(undefined)
  })
}

function detailsOf({ isEnabled, enforcesLimits, minimumMinor, maximumMinor }: TransferService) {
  return {
    isEnabled,
    enforcesLimits,
    minimumMinor: minimumMinor === null ? null : String(minimumMinor),
    maximumMinor: maximumMinor === null ? null : String(maximumMinor),
  }
}
