import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { paths } from '#lib/pages/paths.ts'
import { safeNext } from '#lib/people/sign-in.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT } from '#server/back-office/preferences.ts'
import { beginEnrolment } from '#server/back-office/session/sign-in.ts'
import { EnrolForm } from '../_components/enrol-form.tsx'
import { PasskeyButton } from '../_components/passkey-button.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('enrol.title') }
}

/** Sets up a second factor for a person whose application requires one. */
export default async function EnrolPage({ searchParams }: { searchParams: Promise<{ next?: string }> }) {
  const [t, query, person] = await Promise.all([getT(), searchParams, currentPerson()])
  const next = safeNext(query.next)
  if (!person) redirect(paths.signIn(next))
  const demanding = person.memberships.find((membership) => membership.requiresSecondFactor)
  // An app that somebody sets up with the password alone would take the place of the passkey.
  if (demanding && person.hasPasskey && !person.hasProvenSecondFactor) {
    return (
      <>
        <h1>{t('enrol.passkeyTitle')}</h1>
        <p className="mt-1 text-ink-2">{t('enrol.passkeyLead', { application: demanding.name })}</p>
        <PasskeyButton next={next} />
        <p className="mt-6 text-second text-quiet">{t('enrol.passkeyLost')}</p>
      </>
    )
  }
  const enrolment = await beginEnrolment(person.personId)
  return (
    <>
      <h1>{t('enrol.title')}</h1>
      {demanding && <p className="mt-1 text-ink-2">{t('enrol.demanded', { application: demanding.name })}</p>}
      {/* Rendered even if the second factor is on: the action that has just turned it on renders this page again, and the form
          then shows the recovery codes. */}
      <EnrolForm next={next} enrolment={enrolment.ok ? enrolment.value : null} />
    </>
  )
}
