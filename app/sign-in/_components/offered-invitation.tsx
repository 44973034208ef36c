import { ActionForm } from '#components/ui/action-form.tsx'
import { Button } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { OwnInvitation } from '#server/people/invitation-queries.ts'
import { answerInvitation } from '../invitations/actions.ts'

/** An invitation that a person has not answered: which application, with which roles, who agreed on it. */
export function OfferedInvitation({ t, invitation }: { t: Translate; invitation: Omit<OwnInvitation, 'code'> }) {
  const { invitationId, applicationName, roles, linkHolderNames } = invitation
  return (
    <section aria-labelledby={`invitation-${invitationId}`}>
      <h2 id={`invitation-${invitationId}`} className="wrap-anywhere">
        {applicationName}
      </h2>
      <p className="mt-1">{roles.map((role) => t(`role.${role}`)).join(', ')}</p>
      <p className="mt-1 text-second text-quiet">{t('invitation.confirmedBy', { names: linkHolderNames.join(', ') })}</p>
      <p className="mt-3 text-ink-2">{t('invitation.offerText')}</p>
      <ActionForm action={answerInvitation}>
        <input type="hidden" name="invitationId" value={invitationId} />
        <div className="mt-4 flex flex-wrap gap-2">
          <Button type="submit" variant="primary" name="answer" value="accept">
            {t('invitation.accept')}
          </Button>
          <Button type="submit" variant="danger" name="answer" value="decline">
            {t('invitation.decline')}
          </Button>
        </div>
      </ActionForm>
    </section>
  )
}
