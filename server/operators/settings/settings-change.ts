import { FIELD_FACT, SECRET_FACT, type SecretState } from '#lib/operator-settings.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { ChangeFacts } from '#lib/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import { changedSecrets, fieldsIn, mergeDocuments, type SettingsDocument, valueAt, withoutSecrets } from './operator-settings.ts'
import { lockSettings, readSettings } from './operator-settings-store.ts'
import type { FieldProblem, Protocol } from './protocol.ts'
import { findProtocol } from './protocols.ts'

export type SettingsFailure = 'unknown_protocol' | 'not_set' | { code: 'invalid_settings'; problems: FieldProblem[] }

/** Fields to change; null removes one, and what is left out stays. Undefined: the settings are removed. */
type SettingsChange = { operator: OperatorCode; protocol: string; changes: SettingsDocument | undefined }

/** Returns the document that a change leaves: undefined if it removes the settings. */
export function checkChange({
  operator,
  changes,
  before,
  keepsSecretsAtNewAddress,
  ...change
}: SettingsChange & { before: SettingsDocument | undefined; keepsSecretsAtNewAddress: boolean }): Result<
  { protocol: Protocol; after: SettingsDocument | undefined },
  SettingsFailure
> {
  const protocol = findProtocol(change.protocol)
  if (!protocol?.operators.includes(operator)) return err('unknown_protocol')
  if (changes === undefined) return before === undefined ? err('not_set') : ok({ protocol, after: undefined })
  const after = mergeDocuments(before ?? {}, changes)
  const checked = protocol.check(after)
  const problems = [
    ...(checked.ok ? [] : checked.error),
    ...(keepsSecretsAtNewAddress || before === undefined ? [] : keptSecrets(protocol, before, after, changes)),
  ]
  return problems.length > 0 ? err({ code: 'invalid_settings', problems }) : ok({ protocol, after })
}

/**
 * Stored secrets that would be sent to another address, through another proxy, or to whom other authorities vouch for. Nobody may read them,
 * and a server of one's own could: after such a change they have to be entered again.
 */
function keptSecrets(protocol: Protocol, before: SettingsDocument, after: SettingsDocument, changes: SettingsDocument): FieldProblem[] {
  const addressOf = ({ baseUrl, httpProxy, caCertificate }: SettingsDocument) =>
    JSON.stringify([typeof baseUrl === 'string' ? baseUrl.replace(/\/+$/, '') : '', httpProxy ?? '', caCertificate ?? ''])
  if (addressOf(before) === addressOf(after)) return []
  return withoutSecrets(after, protocol.secretFields)
    .secretsSet.filter((path) => valueAt(changes, path) === undefined)
    .map((path) => ({ path, problem: 'secret_again', message: 'has to be entered again, because the address changes' }))
}

/**
 * Returns the present and the proposed settings for the two people who decide. Of secrets, only that they are set and which ones change.
 * `locks`: nobody changes the settings until the transaction ends, so that what was compared is what is changed.
 */
export async function readSettingsChange(
  queryable: Queryable,
  change: SettingsChange,
  { locks }: { locks: boolean },
): Promise<Result<{ before: ChangeFacts; after: ChangeFacts }, SettingsFailure>> {
  const stored = await (locks ? lockSettings : readSettings)(queryable, change.operator, change.protocol)
  const checked = checkChange({ ...change, before: stored?.document, keepsSecretsAtNewAddress: false })
  if (!checked.ok) return checked
  const { protocol, after } = checked.value
  const about = { operator: change.operator, protocol: protocol.name }
  const before = { ...about, ...factsOf(protocol, stored?.document, []), version: stored ? Number(stored.version) : null }
  if (JSON.stringify(stored?.document) === JSON.stringify(after)) return ok({ before, after: before })
  // The number is a part of what both people see: a change in between, even of a secret alone, makes the proposal outdated.
  const version = after === undefined ? null : (before.version ?? 0) + 1
  const changed = changedSecrets(stored?.document, after, protocol.secretFields)
  return ok({ before, after: { ...about, ...factsOf(protocol, after, changed), version } })
}

function factsOf(protocol: Protocol, document: SettingsDocument | undefined, changed: readonly string[]): ChangeFacts {
  if (document === undefined) return {}
  const { shown, secretsSet } = withoutSecrets(document, protocol.secretFields)
  const secretOf = (path: string): SecretState => (changed.includes(path) ? 'changed' : 'stored')
  return Object.fromEntries([
    ...fieldsIn(shown).map(([path, value]) => [FIELD_FACT + path, value] as const),
    ...secretsSet.map((path) => [SECRET_FACT + path, secretOf(path)] as const),
  ])
}
