import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listOwnInvitations, type OwnInvitation } from '#server/people/invitation-store.ts'
import { signOut } from '../../actions/session.ts'
import { RefreshUntilActive } from '../_components/refresh-until-active.tsx'
import { answerInvitation } from '../actions.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('invitation.ownTitle') }
}

/** The invitations of the person who is signed in: to answer, or with the code that they tell the person who proposed them. */
export default async function InvitationsPage() {
  const [t, person] = await Promise.all([getT(), currentPerson()])
  if (!person) redirect(paths.signIn(paths.invitations()))
  const invitations = await listOwnInvitations(backOfficeRuntime().pool, person.personId)
  const home = person.memberships[0]
  const isWaiting = invitations.some(({ code }) => code !== null)
  return (
    <>
      <h1>{t(isWaiting ? 'invitation.joinedTitle' : 'invitation.ownTitle')}</h1>
      {invitations.length === 0 && (
        <p className="mt-4 text-ink-2">{home ? t('invitation.noneLeft') : t('invitation.noneOwn', { email: person.email })}</p>
      )}
      <ul className="mt-4 grid gap-6">
        {invitations.map(({ code, ...invitation }) => (
          <li key={invitation.invitationId} className="border-line not-first:border-t not-first:pt-6">
            {code === null ? (
              <OfferedInvitation t={t} invitation={invitation} />
            ) : (
              <JoinedInvitation t={t} invitation={{ ...invitation, code }} />
            )}
          </li>
        ))}
      </ul>
      {isWaiting && <RefreshUntilActive />}
      <div className="mt-6 flex flex-wrap gap-2 border-t border-line pt-4">
        {home && (
          <ButtonLink variant={invitations.length === 0 ? 'primary' : 'quiet'} href={paths.overview(home.slug)}>
            {t('invitation.toApplication', { application: home.name })}
          </ButtonLink>
        )}
        <ActionForm action={signOut}>
          <Button type="submit">{t('frame.signOut')}</Button>
        </ActionForm>
      </div>
    </>
  )
}

/** The code of a person who has joined, and whom they tell it. */
function JoinedInvitation({ t, invitation }: { t: Translate; invitation: OwnInvitation & { code: string } }) {
  const { invitationId, applicationName, proposerName, linkHolderNames, code, endsAt } = invitation
  const half = code.length / 2
  return (
    <section aria-labelledby={`invitation-${invitationId}`}>
      <h2 id={`invitation-${invitationId}`} className="wrap-anywhere">
        {applicationName}
      </h2>
      <p className="mt-1">
        {proposerName === null
          ? t('invitation.tellAnother', { application: applicationName, names: linkHolderNames.join(', ') })
          : t('invitation.tell', { name: proposerName })}
      </p>
      <p className="mt-3 rounded-md bg-sunken px-3 py-4 text-center text-[27px] leading-[34px] font-strong tabular" translate="no">
        <output aria-label={t('invitation.code')}>
          {code.slice(0, half)}-{code.slice(half)}
        </output>
      </p>
      <p className="mt-3 text-second text-quiet">
        {t('invitation.tellWhy', { application: applicationName })} {t('invitation.validUntil')} <RelativeTime at={endsAt.toISOString()} />
      </p>
    </section>
  )
}

/** An invitation that a person has not answered: which application, with which roles, who agreed on it. */
function OfferedInvitation({ t, invitation }: { t: Translate; invitation: Omit<OwnInvitation, 'code'> }) {
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
