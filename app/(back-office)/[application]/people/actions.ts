'use server'

import { z } from 'zod'
import { isAnythingLeft } from '#lib/approvals/blocked-items.ts'
import { invitationLink } from '#lib/pages/paths.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { ROLES } from '#lib/people/permissions.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { bindProof, freshProofSchema } from '#server/back-office/session/fresh-proof.ts'
import { mailsLinks } from '#server/config.ts'
import { renewInvitation, withdrawInvitation } from '#server/people/invitations.ts'
import { activateMembership, suspendMember } from '#server/people/membership.ts'
import { endMemberSessions } from '#server/people/sign-in/sessions.ts'
import { readLeftBehind } from '#server/reports/blocked-items/read-left-behind.ts'

const PERMISSION = 'people:change'

const oneInvitation = z.object({ invitationId: z.uuid() })
const renewal = oneInvitation.extend({ proof: freshProofSchema })

/** Makes a new link for an invitation, and returns it this once; null if it is mailed. */
export async function renewLink(
  application: string,
  input: { invitationId: string; proof?: ProofAnswer },
): Promise<ActionResult<{ link: string | null }, 'not_permitted' | 'not_found' | 'own_proposal' | 'too_old' | 'needed_for_code'>> {
  return runAction({ schema: renewal, permission: PERMISSION, application, input }, async (actor, given) => {
    const { pool, clock, config } = backOfficeRuntime()
    const proof = await bindProof(given.proof)
    const renewed = await renewInvitation({ pool, clock }, { applicationId: actor.applicationId, ...given, proof, actor })
    return renewed.ok ? ok({ link: mailsLinks(config) ? null : invitationLink(config.publicUrl, renewed.value.token) }) : renewed
  })
}

/** Makes the link of an invitation worthless. */
export async function withdrawLink(
  application: string,
  input: { invitationId: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found'>> {
  return runAction({ schema: oneInvitation, permission: PERMISSION, application, input }, async (actor, { invitationId }) => {
    const withdrawn = await withdrawInvitation(backOfficeRuntime().pool, { applicationId: actor.applicationId, invitationId, actor })
    return withdrawn.ok ? ok(null) : withdrawn
  })
}

const activation = renewal.extend({ spokenCode: z.string().min(1).max(40) })
type ActivateCode =
  | 'not_permitted'
  | 'not_found'
  | 'too_old'
  | 'had_the_link'
  | 'proposer_only'
  | 'confirmation_ended'
  | 'wrong_spoken_code'
  | 'too_many_codes'
  | 'already_member'
  | 'combined_roles'

/** Makes a person who joined a member, with the code that they told the proposer of their invitation. */
export async function activateMember(
  application: string,
  input: { invitationId: string; spokenCode: string; proof?: ProofAnswer },
): Promise<ActionResult<null, ActivateCode>> {
  return runAction({ schema: activation, permission: PERMISSION, application, input }, async (actor, given) => {
    const proof = await bindProof(given.proof)
    const activated = await activateMembership(backOfficeRuntime(), { applicationId: actor.applicationId, ...given, proof, actor })
    return activated.ok ? ok(null) : activated
  })
}

const sessions = z.object({ personId: z.uuid(), sessionId: z.uuid().nullable() })

/** Ends one session of a member, or all of them (`sessionId`: null). */
export async function endSessions(
  application: string,
  input: { personId: string; sessionId: string | null },
): Promise<ActionResult<null, 'not_permitted' | 'not_found'>> {
  return runAction({ schema: sessions, permission: PERMISSION, application, input }, async (actor, { personId, sessionId }) => {
    const command = { applicationId: actor.applicationId, personId, sessionId: sessionId ?? undefined, actor }
    const ended = await endMemberSessions(backOfficeRuntime().pool, command)
    if (ended.ok) return ok(null)
    return err(ended.error === 'not_permitted' ? 'not_permitted' : 'not_found')
  })
}

type SuspendCode = 'not_permitted' | 'own_membership' | 'not_found' | 'items_waiting' | 'one_administrator_a_day'

const suspension = z.object({ personId: z.uuid(), acknowledged: z.boolean() })

/** Suspends a membership at once. `items_waiting`: something would wait for nobody afterwards, and that was not acknowledged. */
export async function suspendPerson(
  application: string,
  input: { personId: string; acknowledged: boolean },
): Promise<ActionResult<null, SuspendCode>> {
  const request = { schema: suspension, permission: PERMISSION, application, input } as const
  return runAction<typeof suspension, null, SuspendCode>(request, async (actor, { personId, acknowledged }) => {
    const { pool } = backOfficeRuntime()
    const { applicationId } = actor
    if (!acknowledged && isAnythingLeft(await readLeftBehind(pool, { applicationId, personId, lost: ROLES }))) return err('items_waiting')
    const suspended = await suspendMember(pool, { applicationId, personId, actor })
    if (suspended.ok) return ok(null)
    return err(suspended.error === 'not_a_member' ? 'not_found' : suspended.error)
  })
}
