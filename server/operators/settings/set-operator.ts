import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-queries.ts'
import { appendAudit, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { changedSecrets, type SettingsDocument, withoutSecrets } from './operator-settings.ts'
import { lockSettings, putSettings, removeSettings } from './operator-settings-store.ts'
import { checkChange, type SettingsFailure } from './settings-change.ts'

type SetOperator = {
  operator: OperatorCode
  protocol: string
  /** Fields to change; null removes one, and what is left out stays. Undefined: the settings are removed. */
  changes: SettingsDocument | undefined
  actor: CommandActor
}

export type SetOperatorFailure = 'not_permitted' | 'not_the_installation' | SettingsFailure

/**
 * Changes how an operator is reached, in every process within a second. An operator account belongs to the installation: the machine's
 * administrator may, and people of the application that runs the installation, of whom two are needed (`changes/`). The audit entry holds
 * both versions without their secrets, and the names of the secrets that changed.
 */
export async function setOperator(database: Database, command: SetOperator): Promise<Result<void, SetOperatorFailure>> {
  const { operator, actor, changes } = command
  return withTransaction<void, SetOperatorFailure>(database, async (trx) => {
    const refusal = await refuseActor(trx, actor)
    if (refusal) return err(refusal)
    const before = (await lockSettings(trx, operator, command.protocol))?.document
    const checked = checkChange({ ...command, before, keepsSecretsAtNewAddress: actor.kind === 'system' })
    if (!checked.ok) return checked
    const { after, protocol } = checked.value
    if (after) await putSettings(trx, { operator, protocol: protocol.name, document: after })
    else await removeSettings(trx, operator, protocol.name)
    await appendAudit(trx, {
      applicationId: SERVICE_WIDE,
      actor,
      action: changes ? 'operator.set' : 'operator.removed',
      subject: `${operator} ${protocol.name}`,
      details: detailsOf(before, after, protocol.secretFields),
    })
    return ok(undefined)
  })
}

/** An operator account belongs to the installation. */
export async function refuseActor(trx: TrxClient, actor: CommandActor): Promise<'not_permitted' | 'not_the_installation' | undefined> {
  if (actor.kind === 'system') return undefined
  if (!mayAct(actor, actor.applicationId, 'operator:configure')) return 'not_permitted'
  return (await runsInstallation(trx, actor.applicationId)) ? undefined : 'not_the_installation'
}

function detailsOf(
  before: SettingsDocument | undefined,
  after: SettingsDocument | undefined,
  secretFields: ReadonlySet<string>,
): AuditDetails {
  const [old, current] = [before, after].map((document) => document && withoutSecrets(document, secretFields))
  return {
    // As text: the fields of a protocol are not ours to name.
    before: old ? JSON.stringify(old.shown) : null,
    after: current ? JSON.stringify(current.shown) : null,
    changedSecrets: changedSecrets(before, after, secretFields),
  }
}
