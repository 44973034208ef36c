import { z } from 'zod'
import { isCleanInput } from '#lib/clean-text.ts'
import type { Invitation, InvitationRefusal } from '#lib/invitation.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { acceptInvitation } from '#server/people/accept-invitation.ts'
import { answerOwnInvitation } from '#server/people/answer-own-invitation.ts'
import { findInvitation } from '#server/people/find-invitation.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentOrigin, currentPerson } from './current-person.ts'
import { markDevice } from './session.ts'
import { beginSession, peerAddress } from './sign-in.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How often each address may still try a link. */
    invitationLimit: RateLimit
  }
}

/** A token cannot be guessed; what is limited is the work that anybody can cause. */
const BURST = 20
const PER_SECOND = 1 / 6

const tokenSchema = z.object({ token: z.string().min(1).max(200) })
const acceptanceSchema = tokenSchema.extend({ name: z.string().max(200), password: z.string().max(1_024), wantsSecondFactor: z.boolean() })
const answerSchema = z.object({ invitationId: z.uuid(), accepts: z.boolean() })

function isThrottled(): boolean {
  const limit = processWide('invitationLimit', () =>
    createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }),
  )
  return limit.take(peerAddress()) !== undefined
}

/** Returns the invitation that a link belongs to. */
export async function readInvitation(input: unknown): Promise<Result<Invitation, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? tokenSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('unknown')
  if (isThrottled()) return err('throttled')
  const found = await findInvitation(backOfficeRuntime().pool, parsed.data.token, { locks: false })
  if (!found.ok) return found
  const { applicationName, email, name, isKnown, requiresSecondFactor } = found.value
  return ok({ applicationName, email, name: isKnown ? '' : name, isKnown, requiresSecondFactor })
}

/**
 * Uses the link of an invitation, and signs the new person in: they have just chosen the password. Their code is on the page that follows. For
 * server actions only.
 */
export async function joinWithInvitation(input: unknown): Promise<Result<{ setsUpSecondFactor: boolean }, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? acceptanceSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('invalid')
  if (isThrottled()) return err('throttled')
  const accepted = await acceptInvitation(backOfficeRuntime().pool, { ...parsed.data, origin: await currentOrigin() })
  if (!accepted.ok) return accepted
  const { personId, email, requiresSecondFactor } = accepted.value
  await markDevice(email)
  await beginSession({ personId, epoch: 1 }, 'password')
  return ok({ setsUpSecondFactor: requiresSecondFactor || parsed.data.wantsSecondFactor })
}

/** Accepts or declines an invitation of the person who is signed in. For server actions only. */
export async function answerInvitationOfPerson(input: unknown): Promise<Result<void, 'unauthenticated' | 'not_found'>> {
  const person = await currentPerson()
  if (!person) return err('unauthenticated')
  const parsed = isCleanInput(input) ? answerSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('not_found')
  const { pool } = backOfficeRuntime()
  return answerOwnInvitation(pool, { ...parsed.data, personId: person.personId, origin: await currentOrigin() })
}
