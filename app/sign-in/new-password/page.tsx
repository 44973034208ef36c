import type { Metadata } from 'next'
import { getT } from '#server/back-office/preferences.ts'
import { NewPasswordForm } from '../_components/new-password-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('invitation.newPasswordTitle'), robots: { index: false } }
}

/** The page of a link to choose a new password. Its token is in the fragment, as that of an invitation. */
export default async function NewPasswordPage() {
  const t = await getT()
  return (
    <>
      <h1>{t('invitation.newPasswordTitle')}</h1>
      <NewPasswordForm />
      <noscript>
        <p className="mt-4">{t('invitation.needsScript')}</p>
      </noscript>
    </>
  )
}
