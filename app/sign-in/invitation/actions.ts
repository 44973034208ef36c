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

/** Joins the application as a new person, with the password that they chose. Their code is on the next page. */
export async function joinApplication(input: Acceptance): Promise<{ refusal: InvitationRefusal }> {
  const joined = await joinWithInvitation(input)
  if (!joined.ok) return { refusal: joined.error }
  redirect(joined.value.setsUpSecondFactor ? paths.enrol(paths.invitations()) : paths.invitations())
}
