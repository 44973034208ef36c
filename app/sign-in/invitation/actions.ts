'use server'

import { redirect } from 'next/navigation'
import type { Invitation, InvitationRefusal } from '#lib/invitation.ts'
import { paths } from '#lib/paths.ts'
import type { Result } from '#lib/result.ts'
import { joinWithInvitation, readInvitation } from '#server/back-office/invitation.ts'

/** Says what the link of an invitation is for. The token arrives in the body: it is never a part of an address that a server sees. */
export async function openInvitation(input: { token: string }): Promise<Result<Invitation, InvitationRefusal>> {
  return readInvitation(input)
}

type Acceptance = { token: string; name: string; password: string; wantsSecondFactor: boolean }

/** Joins the application: a new person with the password that they chose, anybody else with the one they have. */
export async function joinApplication(input: Acceptance): Promise<{ refusal: InvitationRefusal }> {
  const joined = await joinWithInvitation(input)
  if (!joined.ok) return { refusal: joined.error }
  const { slug, isSignedIn, setsUpSecondFactor } = joined.value
  const home = paths.overview(slug)
  if (!isSignedIn) redirect(paths.signIn(home))
  // Not by way of the overview, which would redirect as well: after an action Next shows the last page under the address of the first.
  redirect(setsUpSecondFactor ? paths.enrol(home) : home)
}
