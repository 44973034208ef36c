import { err, ok } from '#lib/result.ts'
import { policyActivationSchema } from '#lib/schemas/proposed-change.ts'
import { type ChangeKind, defineKind } from '#server/changes/change-kind.ts'
import { activatePolicy } from '#server/policy/activate-policy.ts'
import { listPolicies } from '#server/policy/list-policies.ts'

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

export const POLICY_KINDS = { 'policy.activate': activation }
