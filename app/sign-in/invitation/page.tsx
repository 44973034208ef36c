import type { Metadata } from 'next'
import { getT } from '#server/back-office/preferences.ts'
import { InvitationForm } from '../_components/invitation-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('invitation.title'), robots: { index: false } }
}

/** The page of an invitation's link. Its token is in the fragment, which only the browser knows, so the form reads it there. */
export default async function InvitationPage() {
  const t = await getT()
  return (
    <>
      <h1>{t('invitation.title')}</h1>
      <InvitationForm />
      <noscript>
        <p className="mt-4">{t('invitation.needsScript')}</p>
      </noscript>
    </>
  )
}
