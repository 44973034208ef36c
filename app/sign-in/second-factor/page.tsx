import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { paths } from '#lib/pages/paths.ts'
import { safeNext } from '#lib/people/sign-in.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readPendingSecondFactorSession } from '#server/back-office/session/session.ts'
import { CodeForm } from '../_components/sign-in-forms.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('signIn.codeTitle') }
}

export default async function SecondFactorPage({ searchParams }: { searchParams: Promise<{ next?: string; recovery?: string }> }) {
  const [t, query, half] = await Promise.all([getT(), searchParams, readPendingSecondFactorSession()])
  if (!half) redirect(paths.signIn(query.next))
  return (
    <>
      <h1>{t('signIn.codeTitle')}</h1>
      <CodeForm next={safeNext(query.next)} isRecovery={query.recovery === '1'} />
    </>
  )
}
