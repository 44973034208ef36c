'use server'

import { redirect } from 'next/navigation'
import { formField } from '#lib/form-field.ts'
import { paths } from '#lib/paths.ts'
import { answerInvitationOfPerson } from '#server/back-office/invitation.ts'

/** Accepts or declines an invitation. The page says what comes next; one that was withdrawn meanwhile is no longer on it. */
export async function answerInvitation(form: FormData): Promise<void> {
  const answered = await answerInvitationOfPerson({
    invitationId: formField(form, 'invitationId'),
    accepts: formField(form, 'answer') === 'accept',
  })
  if (!answered.ok && answered.error === 'unauthenticated') return redirect(paths.signIn(paths.invitations()))
  redirect(paths.invitations())
}
