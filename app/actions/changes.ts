'use server'

import { z } from 'zod'
import { CHANGE_KINDS, type ChangeKindName, type CollectedSecret } from '#lib/approvals/proposed-change.ts'
import { invitationLink } from '#lib/pages/paths.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import {
  collectSecret as collect,
  confirmChange as confirm,
  refuseChange as refuse,
  withdrawChange as withdraw,
} from '#server/changes/decide-change.ts'
import { readRolesChange } from '#server/changes/list-changes.ts'
import { proposeChange as propose } from '#server/changes/propose-change.ts'
import { leavesAnything } from '#server/reports/blocked-items/read-left-behind.ts'

/** The person was told that items would be left that nobody can decide. */
const acknowledged = z.boolean().default(false)
const proposal = z.object({ kind: z.enum(CHANGE_KINDS), input: z.record(z.string(), z.unknown()), acknowledged })
const oneChange = z.object({ changeId: z.uuid() })
const code = z.string().trim().max(64).optional()
const collection = oneChange.extend({ code })
const confirmation = oneChange.extend({ acknowledged, code })
const refusal = z.object({ changeId: z.uuid(), reason: z.string().trim().min(1).max(500) })

/** Refusals that the person can do something about. */
const KIND_REFUSALS = ['already_member', 'already_invited', 'works_elsewhere', 'combined_roles'] as const
type KindRefusal = (typeof KIND_REFUSALS)[number]
type ProposeCode =
  | 'not_permitted'
  | 'unknown_application'
  | 'about_you'
  | 'no_second_person'
  | 'already_proposed'
  | 'no_difference'
  | 'refused'
  | 'invalid'
  | 'items_waiting'
  | KindRefusal
type DecideCode = 'not_found' | 'not_permitted' | 'not_open' | 'own_proposal' | 'about_you'

/** Proposes a change that another administrator has to confirm. The schema of its kind reads `input`. */
export async function proposeChange(
  application: string,
  input: { kind: ChangeKindName; input: Record<string, unknown>; acknowledged?: boolean },
): Promise<ActionResult<null, ProposeCode>> {
  return runAction({ schema: proposal, permission: 'change:propose', application, input }, async (actor, change) => {
    const { pool } = backOfficeRuntime()
    const { applicationId } = actor
    if (!change.acknowledged && (await leavesAnything(pool, { applicationId, ...change }))) return err('items_waiting')
    const result = await propose(pool, { applicationId, kind: change.kind, input: change.input, actor })
    if (result.ok) return ok(null)
    if (typeof result.error === 'string') return err(result.error)
    return err(kindRefusal(result.error.reason))
  })
}

/** Confirms a change that somebody else proposed; it takes effect at once. The link of an invitation is returned this once. */
export async function confirmChange(
  application: string,
  input: { changeId: string; acknowledged?: boolean; code?: string },
): Promise<
  ActionResult<{ link: string | null }, DecideCode | 'changed_meanwhile' | 'proposer_gone' | 'refused' | 'items_waiting' | KindRefusal>
> {
  return runAction({ schema: confirmation, permission: 'change:propose', application, input }, async (actor, given) => {
    const { pool, clock, config } = backOfficeRuntime()
    const { applicationId } = actor
    const { changeId, code } = given
    if (!given.acknowledged) {
      const roles = await readRolesChange(pool, applicationId, changeId)
      if (roles && (await leavesAnything(pool, { applicationId, kind: 'person.roles', input: roles }))) return err('items_waiting')
    }
    const result = await confirm({ pool, clock }, { applicationId, changeId, code, actor })
    if (!result.ok) return err(typeof result.error === 'string' ? result.error : kindRefusal(result.error.reason))
    const { secret } = result.value
    return ok({ link: secret === null ? null : invitationLink(config.publicUrl, secret) })
  })
}

/** Makes the secret of an own proposal that somebody else confirmed. This response is the only place where it ever appears. */
export async function collectSecret(
  application: string,
  input: { changeId: string; code?: string },
): Promise<ActionResult<CollectedSecret, 'not_found' | 'not_permitted' | 'not_collectable' | 'confirmation_ended' | 'refused'>> {
  return runAction({ schema: collection, permission: 'change:propose', application, input }, async (actor, given) => {
    const result = await collect(backOfficeRuntime(), { applicationId: actor.applicationId, ...given, actor })
    if (result.ok) return result
    return err(typeof result.error === 'string' ? result.error : result.error.code)
  })
}

/** Refuses a change that somebody else proposed. */
export async function refuseChange(
  application: string,
  input: { changeId: string; reason: string },
): Promise<ActionResult<null, DecideCode | 'invalid_reason'>> {
  return runAction({ schema: refusal, permission: 'change:propose', application, input }, async (actor, { changeId, reason }) => {
    const result = await refuse(backOfficeRuntime().pool, { applicationId: actor.applicationId, changeId, reason, actor })
    return result.ok ? ok(null) : err(result.error)
  })
}

/** Takes back an own proposal. */
export async function withdrawChange(
  application: string,
  input: { changeId: string },
): Promise<ActionResult<null, 'not_found' | 'not_open'>> {
  return runAction({ schema: oneChange, permission: 'change:propose', application, input }, async (actor, { changeId }) => {
    const result = await withdraw(backOfficeRuntime().pool, { applicationId: actor.applicationId, changeId, actor })
    return result.ok ? ok(null) : err(result.error)
  })
}

function kindRefusal(reason: string): KindRefusal | 'refused' {
  return KIND_REFUSALS.find((each) => each === reason) ?? 'refused'
}
