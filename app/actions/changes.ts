'use server'

import { z } from 'zod'
import { type ChangeRefusal, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import { type ChangeKindName, type CollectedSecret, isChangeKind } from '#lib/approvals/proposed-change.ts'
import { invitationLink } from '#lib/pages/paths.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { type ActionError, type ActionResult, err, type FreshProofRefusal, ok } from '#lib/result.ts'
import { exceptionInputs } from '#lib/schemas/exceptions.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { bindProof, freshProofSchema } from '#server/back-office/session/fresh-proof.ts'
import { confirmTogether, proposeTogether } from '#server/changes/adjust-together.ts'
import { readProposal } from '#server/changes/change-store.ts'
import { collectSecret as collect } from '#server/changes/collect-secret.ts'
import { confirmChange as confirm, refuseChange as refuse, withdrawChange as withdraw } from '#server/changes/decide-change.ts'
import { proposeChange as propose } from '#server/changes/propose-change.ts'
import { mailsLinks } from '#server/config.ts'
import { leavesAnything } from '#server/reports/blocked-items/read-left-behind.ts'

/** The person was told that items would be left that nobody can decide. */
const acknowledged = z.boolean().default(false)
const kind = z.custom<ChangeKindName>((name) => typeof name === 'string' && isChangeKind(name))
const proposal = z.object({ kind, input: z.record(z.string(), z.unknown()), acknowledged })
const oneChange = z.object({ changeId: z.uuid() })
const proven = oneChange.extend({ proof: freshProofSchema })
/** The application that would change, if it is another one, which has nobody else to decide. */
const applicationId = z.uuid().optional()
const confirmation = proven.extend({ applicationId, acknowledged })
const batch = z.object({ batchId: z.uuid(), proof: freshProofSchema })
const refusal = oneChange.extend({ applicationId, reason: z.string().trim().min(1).max(500) })

/** Proposes a change that another person has to confirm. The schema of its kind reads `input`; `fields` of an error: what is wrong in it. */
export async function proposeChange(
  application: string,
  input: { kind: ChangeKindName; input: Record<string, unknown>; acknowledged?: boolean },
): Promise<ActionResult<null, ChangeRefusal>> {
  return runAction({ schema: proposal, permission: 'change:propose', application, input }, async (actor, change) => {
    const { pool } = backOfficeRuntime()
    const { applicationId } = actor
    if (!change.acknowledged && (await leavesAnything(pool, { applicationId, ...change }))) return err('items_waiting')
    const result = await propose(pool, { applicationId, kind: change.kind, input: change.input, actor })
    return result.ok ? ok(null) : refused(result.error)
  })
}

/** Confirms a change that somebody else proposed; it takes effect at once. The link of an invitation is returned this once, unless it is mailed. */
export async function confirmChange(
  application: string,
  input: { applicationId?: string; changeId: string; acknowledged?: boolean; proof?: ProofAnswer },
): Promise<ActionResult<{ link: string | null; isLinkMailed: boolean }, ChangeRefusal>> {
  return runAction({ schema: confirmation, permission: 'change:propose', application, input }, async (actor, given) => {
    const { pool, clock, config } = backOfficeRuntime()
    const { applicationId = actor.applicationId, changeId } = given
    const waiting = given.acknowledged ? undefined : await readProposal(pool, applicationId, changeId)
    if (waiting && (await leavesAnything(pool, { applicationId, ...waiting }))) return err('items_waiting')
    const result = await confirm({ pool, clock }, { applicationId, changeId, proof: await bindProof(given.proof), actor })
    if (!result.ok) return refused(result.error)
    const { secret } = result.value
    const isLinkMailed = secret !== null && mailsLinks(config)
    return ok({ link: secret === null || isLinkMailed ? null : invitationLink(config.publicUrl, secret), isLinkMailed })
  })
}

/** Proposes the same adjustment for several exceptions. A refusal names the one because of which nothing is proposed: `fields.exceptionId`. */
export async function proposeAdjustments(
  application: string,
  input: z.input<typeof exceptionInputs.adjust>,
): Promise<ActionResult<null, ChangeRefusal>> {
  return runAction({ schema: exceptionInputs.adjust, permission: 'change:propose', application, input }, async (actor, adjustments) => {
    const result = await proposeTogether(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, adjustments })
    if (result.ok) return ok(null)
    if (result.error === 'not_permitted') return refused(result.error)
    const { exceptionId, failure } = result.error
    return err({ ...refused(failure).error, fields: { exceptionId } })
  })
}

/** Confirms all changes of a batch that still wait. `refused`: why some of them still do. */
export async function confirmBatch(
  application: string,
  input: { batchId: string; proof?: ProofAnswer },
): Promise<ActionResult<{ confirmed: number; refused: ChangeRefusal | null }, ChangeRefusal>> {
  return runAction({ schema: batch, permission: 'change:propose', application, input }, async (actor, { batchId, proof }) => {
    const { pool, clock } = backOfficeRuntime()
    const { applicationId } = actor
    const result = await confirmTogether({ pool, clock }, { applicationId, batchId, actor, proof: await bindProof(proof) })
    if (!result.ok) return refused(result.error)
    const { confirmed, refused: failure } = result.value
    return ok({ confirmed, refused: failure === null ? null : codeOf(failure) })
  })
}

/** Makes the secret of an own proposal that somebody else confirmed. This response is the only place where it ever appears. */
export async function collectSecret(
  application: string,
  input: { changeId: string; proof?: ProofAnswer },
): Promise<ActionResult<CollectedSecret, ChangeRefusal>> {
  return runAction({ schema: proven, permission: 'change:propose', application, input }, async (actor, given) => {
    const { applicationId } = actor
    const proof = await bindProof(given.proof)
    const result = await collect(backOfficeRuntime(), { applicationId, changeId: given.changeId, proof, actor })
    return result.ok ? result : refused(result.error)
  })
}

/** Refuses a change that somebody else proposed. */
export async function refuseChange(
  application: string,
  input: { applicationId?: string; changeId: string; reason: string },
): Promise<ActionResult<null, ChangeRefusal>> {
  return runAction({ schema: refusal, permission: 'change:propose', application, input }, async (actor, given) => {
    const result = await refuse(backOfficeRuntime().pool, { ...given, applicationId: given.applicationId ?? actor.applicationId, actor })
    return result.ok ? ok(null) : refused(result.error)
  })
}

/** Takes back an own proposal. */
export async function withdrawChange(application: string, input: { changeId: string }): Promise<ActionResult<null, ChangeRefusal>> {
  return runAction({ schema: oneChange, permission: 'change:propose', application, input }, async (actor, { changeId }) => {
    const result = await withdraw(backOfficeRuntime().pool, { applicationId: actor.applicationId, changeId, actor })
    return result.ok ? ok(null) : refused(result.error)
  })
}

type Refused = { code: 'refused'; reason: string; fields?: Readonly<Record<string, string>> | undefined }

/** The refusal of a command, as one that has a message. */
function refused(failure: ChangeRefusal | FreshProofRefusal | Refused): {
  ok: false
  error: ActionError<ChangeRefusal>
} {
  if (typeof failure === 'string') return err({ code: failure })
  return err({ code: codeOf(failure), ...(failure.fields && { fields: failure.fields }) })
}

function codeOf(failure: ChangeRefusal | Refused): ChangeRefusal {
  if (typeof failure === 'string') return failure
  return isChangeRefusal(failure.reason) ? failure.reason : 'refused'
}
