import { err, type Result } from '#lib/result.ts'
import { operatorSettingsChangeSchema } from '#lib/schemas/proposal.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { readSettingsChange, setOperator } from '#server/operators/settings/set-operator.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

/** How one operator is reached, for all applications: only in the application that runs the installation. */
const settings: ChangeKind = defineKind({
  schema: operatorSettingsChangeSchema,
  holdsSecrets: true,
  subjectOf: ({ operator, protocol }) => `${operator} ${protocol}`,
  async read(queryable, applicationId, { changes, ...about }) {
    if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
    return withFields(await readSettingsChange(queryable, { ...about, changes: changes ?? undefined }, { locks: true }))
  },
  async apply(trx, { payload: { changes, ...about }, actor }) {
    return withFields(await setOperator(trx, { ...about, changes: changes ?? undefined, actor }))
  },
})

type SettingsFailure = string | { code: string; problems: readonly { path: string; problem: string }[] }

/** The refusal with the first problem of each field. It never repeats a value. */
function withFields<Value>(
  result: Result<Value, SettingsFailure>,
): Result<Value, string | { code: string; fields: Record<string, string> }> {
  if (result.ok) return result
  if (typeof result.error === 'string') return err(result.error)
  const { code, problems } = result.error
  return err({ code, fields: Object.fromEntries(problems.toReversed().map(({ path, problem }) => [path, problem])) })
}

export const OPERATOR_KINDS = { 'operator.set': settings }
