'use client'

import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import type { Invitation } from '#lib/people/sign-in.ts'
import { joinApplication, openInvitation } from '../actions.ts'
import { isOfPassword, NewPasswordField } from './new-password-field.tsx'
import { RefusedLink } from './refused-link.tsx'
import { useLink, useLinkForm } from './use-link.ts'

/** Name and password of a person who was invited, or the way to the sign-in page for one who has an account. */
export function InvitationForm() {
  const t = useT()
  const state = useLink(paths.invitation(), openInvitation)
  return (
    // As high as the form, so that nothing moves when the answer arrives: the card is in the middle of the page.
    <div className="min-h-[360px]">
      {state.kind === 'opening' && <p className="mt-4 text-quiet">{t('ui.loading')}</p>}
      {state.kind === 'refused' && <RefusedLink refusal={state.refusal} />}
      {state.kind === 'open' &&
        (state.content.isKnown ? (
          <KnownPerson invitation={state.content} />
        ) : (
          <AcceptForm token={state.token} invitation={state.content} />
        ))}
    </div>
  )
}

/** People with an account accept in their own session: a link can be in other hands. */
function KnownPerson({ invitation }: { invitation: Invitation }) {
  const t = useT()
  return (
    <div className="mt-4 grid justify-items-start gap-4">
      <p>{t('invitation.leadKnown', { application: invitation.applicationName, email: invitation.email })}</p>
      <ButtonLink variant="primary" href={paths.signIn(paths.invitations())}>
        {t('invitation.signInToAnswer')}
      </ButtonLink>
    </div>
  )
}

function AcceptForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const t = useT()
  const { applicationName, email, requiresSecondFactor } = invitation
  const { refusal, isPending, onSubmit } = useLinkForm((fields) => {
    const text = (name: string) => String(fields.get(name) ?? '')
    const wantsSecondFactor = fields.get('wantsSecondFactor') === 'on'
    return joinApplication({ token, name: text('name'), password: text('password'), wantsSecondFactor })
  })
  const isOfField = refusal === 'invalid_name' || isOfPassword(refusal)
  return (
    <form onSubmit={onSubmit} className="mt-4 grid gap-4">
      {refusal && !isOfField && <Notice tone="bad">{t(`invitation.refusal.${refusal}`)}</Notice>}
      <p>{t('invitation.lead', { application: applicationName })}</p>
      <TextField id="email" name="email" type="email" label={t('signIn.email')} autoComplete="username" readOnly value={email} />
      <TextField
        id="name"
        name="name"
        label={t('invitation.name')}
        autoComplete="name"
        required
        maxLength={200}
        defaultValue={invitation.name}
        error={refusal === 'invalid_name' ? t('invitation.refusal.invalid_name') : undefined}
      />
      <NewPasswordField label={t('invitation.password')} refusal={refusal} />
      {requiresSecondFactor ? (
        <p className="text-second text-quiet">{t('invitation.factorRequired')}</p>
      ) : (
        <Checkbox name="wantsSecondFactor" label={t('invitation.wantsFactor')} />
      )}
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('invitation.submit')}
      </Button>
    </form>
  )
}
