import { z } from 'zod'
import { isCleanInput } from '#lib/clean-text.ts'
import type { Invitation, InvitationRefusal } from '#lib/invitation.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { acceptInvitation } from '#server/people/accept-invitation.ts'
import { findInvitation } from '#server/people/find-invitation.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
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

function isThrottled(): boolean {
  const limit = processWide('invitationLimit', () =>
    createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }),
  )
  return limit.take(peerAddress()) !== undefined
}

/** What the link of an invitation is for. */
export async function readInvitation(input: unknown): Promise<Result<Invitation, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? tokenSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('unknown')
  if (isThrottled()) return err('throttled')
  const found = await findInvitation(backOfficeRuntime().pool, parsed.data.token, { locks: false })
  if (!found.ok) return found
  const { applicationName, email, name, isKnown, requiresSecondFactor } = found.value
  return ok({ applicationName, email, name: isKnown ? '' : name, isKnown, requiresSecondFactor })
}

/** `isSignedIn`: a new person, in this browser. Who had an account already signs in with its password. */
type Joined = { slug: string; isSignedIn: boolean; setsUpSecondFactor: boolean }

/** Uses the link of an invitation. A new person is signed in: they have just chosen the password. For server actions only. */
export async function joinWithInvitation(input: unknown): Promise<Result<Joined, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? acceptanceSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('invalid')
  if (isThrottled()) return err('throttled')
  const accepted = await acceptInvitation(backOfficeRuntime().pool, parsed.data)
  if (!accepted.ok) return accepted
  const { personId, email, slug, isNew, requiresSecondFactor } = accepted.value
  if (isNew) {
    await markDevice(email)
    await beginSession({ personId, epoch: 1 }, 'password')
  }
  return ok({ slug, isSignedIn: isNew, setsUpSecondFactor: isNew && (requiresSecondFactor || parsed.data.wantsSecondFactor) })
}
