import type { ChangeFacts } from '#lib/approvals/proposed-change.ts'
import { FIELD_FACT, SECRET_FACT, type SecretState } from '#lib/operators/operator-settings.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Database, Queryable, TrxClient } from '#server/database/pool.ts'
import { changedSecrets, fieldsIn, mergeDocuments, type SettingsDocument, valueAt, withoutSecrets } from './operator-settings.ts'
import { lockSettings, putSettings, readSettings, removeSettings } from './operator-settings-store.ts'
import type { FieldProblem, SettingsKind } from './protocol.ts'
import { findSettingsKind } from './protocols.ts'

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
  return runRecorded<void, SetOperatorFailure>(database, { applicationId: SERVICE_WIDE, actor }, async (trx) => {
    const refusal = await refuseActor(trx, actor)
    if (refusal) return err(refusal)
    const before = (await lockSettings(trx, operator, command.protocol))?.document
    const checked = checkChange({ ...command, before, keepsSecretsAtNewAddress: actor.kind === 'system' })
    if (!checked.ok) return checked
    const { after, protocol } = checked.value
    if (after) await putSettings(trx, { operator, protocol: protocol.name, document: after }, before)
    else await removeSettings(trx, operator, protocol.name)
    const details = detailsOf(before, after, protocol.secretFields)
    return done({ action: changes ? 'operator.set' : 'operator.removed', subject: `${operator} ${protocol.name}`, details })
  })
}

/** An operator account belongs to the installation. */
export async function refuseActor(trx: TrxClient, actor: CommandActor): Promise<'not_permitted' | 'not_the_installation' | undefined> {
  if (actor.kind === 'system') return undefined
  if (!mayAct(actor, actor.applicationId, 'operator:configure')) return 'not_permitted'
  return (await runsInstallation(trx, actor.applicationId)) ? undefined : 'not_the_installation'
}

/** The two versions for the audit record, without their secrets. */
export function detailsOf(
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

export type SettingsFailure = 'unknown_protocol' | 'not_set' | { code: 'invalid_settings'; problems: FieldProblem[] }

/** Fields to change; null removes one, and what is left out stays. Undefined: the settings are removed. */
export type SettingsChange = { operator: OperatorCode; protocol: string; changes: SettingsDocument | undefined }

/** Returns the document that a change leaves: undefined if it removes the settings. */
export function checkChange({
  operator,
  changes,
  before,
  keepsSecretsAtNewAddress,
  ...change
}: SettingsChange & { before: SettingsDocument | undefined; keepsSecretsAtNewAddress: boolean }): Result<
  { protocol: SettingsKind; after: SettingsDocument | undefined },
  SettingsFailure
> {
  const protocol = findSettingsKind(change.protocol)
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
function keptSecrets(protocol: SettingsKind, before: SettingsDocument, after: SettingsDocument, changes: SettingsDocument): FieldProblem[] {
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

/** Returns the document that a proposed change would store, with its secrets, for a test of it; undefined if it would remove the settings. */
export async function readProposedSettings(
  queryable: Queryable,
  change: SettingsChange,
): Promise<Result<SettingsDocument | undefined, SettingsFailure>> {
  const stored = await readSettings(queryable, change.operator, change.protocol)
  const checked = checkChange({ ...change, before: stored?.document, keepsSecretsAtNewAddress: false })
  return checked.ok ? ok(checked.value.after) : checked
}

function factsOf(protocol: SettingsKind, document: SettingsDocument | undefined, changed: readonly string[]): ChangeFacts {
  if (document === undefined) return {}
  const { shown, secretsSet } = withoutSecrets(document, protocol.secretFields)
  const secretOf = (path: string): SecretState => (changed.includes(path) ? 'changed' : 'stored')
  return Object.fromEntries([
    ...fieldsIn(shown).map(([path, value]) => [FIELD_FACT + path, value] as const),
    ...secretsSet.map((path) => [SECRET_FACT + path, secretOf(path)] as const),
  ])
}
