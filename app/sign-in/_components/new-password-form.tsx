'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import type { InvitationRefusal } from '#lib/people/sign-in.ts'
import { chooseNewPassword, openPasswordLink } from '../actions.ts'
import { RefusedLink } from './refused-link.tsx'
import { useLink } from './use-link.ts'

/** A new password, chosen with the link that a person received. */
export function NewPasswordForm() {
  const t = useT()
  const link = useLink(paths.newPassword(), openPasswordLink)
  return (
    // As high as the form, so that nothing moves when the answer arrives.
    <div className="min-h-[260px]">
      {link.kind === 'opening' && <p className="mt-4 text-quiet">{t('ui.loading')}</p>}
      {link.kind === 'refused' && <RefusedLink refusal={link.refusal} />}
      {link.kind === 'open' && <ChoiceForm token={link.token} email={link.content.email} />}
    </div>
  )
}

function ChoiceForm({ token, email }: { token: string; email: string }) {
  const t = useT()
  const [refusal, setRefusal] = useState<InvitationRefusal | 'offline' | null>(null)
  const [isPending, startTransition] = useTransition()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password') ?? '')
    startTransition(async () => {
      try {
        setRefusal((await chooseNewPassword({ token, password })).refusal)
      } catch (error) {
        // A redirect is not a failure.
        if (error instanceof Error && 'digest' in error) throw error
        setRefusal('offline')
      }
    })
  }
  const isOfPassword = refusal === 'password_too_short' || refusal === 'password_too_common'
  return (
    <form onSubmit={submit} className="mt-4 grid gap-4">
      {refusal && !isOfPassword && <Notice tone="bad">{t(`invitation.refusal.${refusal}`)}</Notice>}
      <p>{t('invitation.newPasswordLead', { email })}</p>
      {/* For password managers. */}
      <input type="email" name="email" autoComplete="username" readOnly hidden value={email} />
      <TextField
        id="password"
        name="password"
        type="password"
        label={t('invitation.newPassword')}
        hint={t('invitation.passwordHint')}
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={1024}
        error={isOfPassword ? t(`invitation.refusal.${refusal}`) : undefined}
      />
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('invitation.newPasswordSubmit')}
      </Button>
    </form>
  )
}
