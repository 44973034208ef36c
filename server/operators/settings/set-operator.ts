import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { mergeDocuments, type SettingsDocument, withoutSecrets } from './operator-settings.ts'
import { lockSettings, putSettings, removeSettings } from './operator-settings-store.ts'
import { findProtocol } from './protocols.ts'

type SetOperator = {
  operator: OperatorCode
  protocol: string
  /** Fields to change; null removes one, and what is left out stays. Undefined: the settings are removed. */
  changes: SettingsDocument | undefined
  actor: CommandActor
}

export type SetOperatorFailure =
  | 'not_permitted'
  | 'unknown_protocol'
  | 'not_set'
  /** One sentence per field. */
  | { code: 'invalid_settings'; problems: string[] }

/**
 * Changes how an operator is reached, in every process within a second. Only the machine's administrator may: an operator account belongs
 * to the installation. The audit entry holds both versions without their secrets, and the names of the secrets that changed.
 */
export async function setOperator(pool: Pool, command: SetOperator): Promise<Result<void, SetOperatorFailure>> {
  const { operator, changes, actor } = command
  if (actor.kind !== 'system') return err('not_permitted')
  const protocol = findProtocol(command.protocol)
  if (!protocol?.operators.includes(operator)) return err('unknown_protocol')
  return withTransaction<void, SetOperatorFailure>(pool, async (trx) => {
    const before = (await lockSettings(trx, operator, protocol.name))?.document
    if (before === undefined && changes === undefined) return err('not_set')
    const after = changes && mergeDocuments(before ?? {}, changes)
    if (after) {
      const checked = protocol.check(after)
      if (!checked.ok) return err({ code: 'invalid_settings', problems: checked.error })
      await putSettings(trx, { operator, protocol: protocol.name, document: after })
    } else await removeSettings(trx, operator, protocol.name)
    await appendAudit(trx, {
      applicationId: SERVICE_WIDE,
      actor,
      action: after ? 'operator.set' : 'operator.removed',
      subject: `${operator} ${protocol.name}`,
      details: detailsOf(before, after, protocol.secretFields),
    })
    return ok(undefined)
  })
}

function detailsOf(
  before: SettingsDocument | undefined,
  after: SettingsDocument | undefined,
  secretFields: ReadonlySet<string>,
): AuditDetails {
  const [old, current] = [before, after].map((document) => document && withoutSecrets(document, secretFields))
  const secrets = new Set([...(old?.secretsSet ?? []), ...(current?.secretsSet ?? [])])
  return {
    // As text: the fields of a protocol are not ours to name.
    before: old ? JSON.stringify(old.shown) : null,
    after: current ? JSON.stringify(current.shown) : null,
    changedSecrets: [...secrets].filter((path) => valueAt(before, path) !== valueAt(after, path)).toSorted(),
  }
}

function valueAt(document: SettingsDocument | undefined, path: string): unknown {
  let value: unknown = document
  for (const name of path.split('.')) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return value
}
