import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { operatorSettingsChangeSchema, policyActivationSchema } from '#lib/schemas/proposal.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { readSettingsChange, setOperator } from '#server/operators/settings/set-operator.ts'
import { activatePolicy, listPolicies } from '#server/policy/policies.ts'
import { type ChangeKind, defineKind } from './change-kind.ts'
import { APPLICATION_KINDS } from './kinds/application-kinds.ts'
import { CREDENTIAL_KINDS } from './kinds/credential-kinds.ts'
import { PERSON_KINDS } from './kinds/person-kinds.ts'

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

const OPERATOR_KINDS = { 'operator.set': settings }

/** A version of the approval rules that was saved becomes the active one. The page shows both versions; the facts are their numbers. */
const activation: ChangeKind = defineKind({
  schema: policyActivationSchema,
  subjectOf: () => 'approval rules',
  async read(queryable, applicationId, { version }) {
    const versions = await listPolicies(queryable, applicationId)
    const active = versions.find(({ activatedAt }) => activatedAt !== null)
    const wanted = versions.find((each) => each.version === version)
    if (!wanted) return err('unknown_version')
    if (wanted.activatedAt) return err('already_active')
    return ok({ before: { version: active?.version ?? 0 }, after: { version } })
  },
  apply: (trx, { applicationId, payload, actor }) => activatePolicy(trx, { applicationId, ...payload, actor }),
})

const POLICY_KINDS = { 'policy.activate': activation }

/** Every kind of change that needs two administrators. */
export const KINDS: Readonly<Record<ChangeKindName, ChangeKind>> = {
  ...PERSON_KINDS,
  ...APPLICATION_KINDS,
  ...POLICY_KINDS,
  ...CREDENTIAL_KINDS,
  ...OPERATOR_KINDS,
}
