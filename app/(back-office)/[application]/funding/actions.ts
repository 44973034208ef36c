'use server'

import { z } from 'zod'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { type FundingInput, fundingSchema } from '#lib/schemas/proposal.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { confirmFunding as confirm, refuseFunding as refuse, withdrawFunding as withdraw } from '#server/funding/decide-funding.ts'
import { proposeFunding as propose } from '#server/funding/propose-funding.ts'

const oneFunding = z.strictObject({ fundingId: z.uuid() })
const confirmation = oneFunding.extend({ code: z.string().trim().max(20).optional() })
const refusal = oneFunding.extend({ reason: z.string().trim().min(1).max(500) })

type ProposeCode =
  | 'not_permitted'
  | 'unknown_application'
  | 'no_second_person'
  | 'reference_waiting'
  | 'reference_booked'
  | 'balance_too_low'
type DecideCode = 'not_found' | 'not_permitted' | 'not_open' | 'own_proposal'

/** Proposes a funding that another person has to confirm. */
export async function proposeFunding(application: string, input: FundingInput): Promise<ActionResult<null, ProposeCode>> {
  return runAction({ schema: fundingSchema, permission: 'funding:propose', application, input }, async (actor, funding) => {
    const result = await propose(backOfficeRuntime().pool, { applicationId: actor.applicationId, funding, actor })
    return result.ok ? ok(null) : err(result.error)
  })
}

/** Confirms a funding that somebody else proposed; it is posted at once. */
export async function confirmFunding(
  application: string,
  input: { fundingId: string; code?: string },
): Promise<ActionResult<null, DecideCode | 'balance_too_low' | 'proposer_gone'>> {
  return runAction({ schema: confirmation, permission: 'funding:decide', application, input }, async (actor, command) => {
    const result = await confirm(backOfficeRuntime(), { applicationId: actor.applicationId, ...command, actor })
    return result.ok ? ok(null) : err(result.error)
  })
}

/** Refuses a funding that somebody else proposed. */
export async function refuseFunding(
  application: string,
  input: { fundingId: string; reason: string },
): Promise<ActionResult<null, DecideCode | 'invalid_reason'>> {
  return runAction({ schema: refusal, permission: 'funding:decide', application, input }, async (actor, { fundingId, reason }) => {
    const result = await refuse(backOfficeRuntime().pool, { applicationId: actor.applicationId, fundingId, reason, actor })
    return result.ok ? ok(null) : err(result.error)
  })
}

/** Takes back an own funding. */
export async function withdrawFunding(
  application: string,
  input: { fundingId: string },
): Promise<ActionResult<null, 'not_found' | 'not_open'>> {
  return runAction({ schema: oneFunding, permission: 'funding:propose', application, input }, async (actor, { fundingId }) => {
    const result = await withdraw(backOfficeRuntime().pool, { applicationId: actor.applicationId, fundingId, actor })
    return result.ok ? ok(null) : err(result.error)
  })
}
