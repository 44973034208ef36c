import { redirect } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { paths } from '#lib/pages/paths.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT } from '#server/back-office/preferences.ts'
import { signOut } from './actions/session.ts'

/** Redirects to the sign-in page, or to the first application of the signed-in person, or to their invitations. */
export default async function HomePage() {
  const person = await currentPerson()
  if (!person) redirect(paths.signIn())
  const first = person.memberships[0]
  if (first) redirect(paths.overview(first.slug))
  if (person.hasInvitations) redirect(paths.invitations())
  const t = await getT()
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <EmptyState
        icon="people"
        title={<h1>{t('state.noApplicationTitle')}</h1>}
        text={t('state.noApplicationText', { email: person.email })}
        action={
          <form action={signOut}>
            <Button type="submit">{t('frame.signOut')}</Button>
          </form>
        }
      />
    </main>
  )
}
