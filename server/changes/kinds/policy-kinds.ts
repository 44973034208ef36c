import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { checkActivation } from '#server/policy/check-activation.ts'
import { activatePolicy, listPolicies } from '#server/policy/policies.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

/**
 * A version of the approval rules that was saved becomes the active one. The page shows both versions; the facts are their numbers and how many
 * new gaps the proposer has accepted.
 */
const activation: ChangeKind = defineKind({
  schema: z.strictObject({ version: z.int().min(1), accepted: z.array(z.string().max(20_000)).max(200).optional() }),
  subjectOf: () => 'approval rules',
  async read(queryable, applicationId, { version, accepted = [] }) {
    const versions = await listPolicies(queryable, applicationId)
    const active = versions.find(({ activatedAt }) => activatedAt !== null)
    const wanted = versions.find((each) => each.version === version)
    if (!wanted) return err('unknown_version')
    if (wanted.activatedAt) return err('already_active')
    const checked = await checkActivation(queryable, { applicationId, version, accepted })
    if (!checked.ok) return checked
    const acceptedGaps = checked.value.length
    return ok({ before: { version: active?.version ?? 0 }, after: { version, ...(acceptedGaps > 0 && { acceptedGaps }) } })
  },
  apply: (trx, { applicationId, payload, actor }) => activatePolicy(trx, { applicationId, ...payload, actor }),
})

export const POLICY_KINDS = { 'policy.activate': activation }
