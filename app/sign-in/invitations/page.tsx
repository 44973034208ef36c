import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { paths } from '#lib/paths.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listOwnInvitations } from '#server/people/invitation-queries.ts'
import { signOut } from '../../actions/session.ts'
import { JoinedInvitation } from '../_components/joined-invitation.tsx'
import { OfferedInvitation } from '../_components/offered-invitation.tsx'
import { RefreshUntilActive } from '../_components/refresh-until-active.tsx'

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
