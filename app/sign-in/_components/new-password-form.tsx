'use client'

import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { chooseNewPassword, openPasswordLink } from '../actions.ts'
import { isOfPassword, NewPasswordField } from './new-password-field.tsx'
import { RefusedLink } from './refused-link.tsx'
import { useLink, useLinkForm } from './use-link.ts'

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
  const { refusal, isPending, onSubmit } = useLinkForm((fields) =>
    chooseNewPassword({ token, password: String(fields.get('password') ?? '') }),
  )
  return (
    <form onSubmit={onSubmit} className="mt-4 grid gap-4">
      {refusal && !isOfPassword(refusal) && <Notice tone="bad">{t(`invitation.refusal.${refusal}`)}</Notice>}
      <p>{t('invitation.newPasswordLead', { email })}</p>
      {/* For password managers. */}
      <input type="email" name="email" autoComplete="username" readOnly hidden value={email} />
      <NewPasswordField label={t('invitation.newPassword')} refusal={refusal} />
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('invitation.newPasswordSubmit')}
      </Button>
    </form>
  )
}
