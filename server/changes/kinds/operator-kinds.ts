import { err, ok, type Result } from '#lib/result.ts'
import { operatorSettingsChangeSchema } from '#lib/schemas/proposed-change.ts'
import { runsInstallation } from '#server/applications/terms-queries.ts'
import { type ChangeKind, defineKind } from '#server/changes/change-kind.ts'
import { setOperator } from '#server/operators/settings/set-operator.ts'
import { readSettingsChange } from '#server/operators/settings/settings-change.ts'

/** How one operator is reached, for all applications: only in the application that runs the installation. */
const settings: ChangeKind = defineKind({
  schema: operatorSettingsChangeSchema,
  holdsSecrets: true,
  subjectOf: ({ operator, protocol }) => `${operator} ${protocol}`,
  async read(queryable, applicationId, { changes, ...about }) {
    if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
    return withCode(await readSettingsChange(queryable, { ...about, changes: changes ?? undefined }, { locks: true }))
  },
  async apply(trx, { payload: { changes, ...about }, actor }) {
    return withCode(await setOperator(trx, { ...about, changes: changes ?? undefined, actor }))
  },
})

function withCode<Value>(result: Result<Value, string | { code: string }>): Result<Value, string> {
  if (result.ok) return ok(result.value)
  return err(typeof result.error === 'string' ? result.error : result.error.code)
}

export const OPERATOR_KINDS = { 'operator.set': settings }
