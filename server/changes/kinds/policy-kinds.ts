import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { activatePolicy, listPolicies } from '#server/policy/policies.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

/** A version of the approval rules that was saved becomes the active one. The page shows both versions; the facts are their numbers. */
const activation: ChangeKind = defineKind({
  schema: z.strictObject({ version: z.int().min(1) }),
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
