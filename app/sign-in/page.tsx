import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { buttonClass } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { paths } from '#lib/pages/paths.ts'
import { SIGN_ON_REFUSALS, safeNext } from '#lib/people/sign-in.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT } from '#server/back-office/preferences.ts'
import { offersPasskeys } from '#server/back-office/session/passkeys.ts'
import { readSession } from '#server/back-office/session/session.ts'
import { PasskeyButton } from './_components/passkey-button.tsx'
import { PasswordForm } from './_components/sign-in-forms.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('signIn.title') }
}

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string; ended?: string; guessed?: string; sso?: string }>
}) {
  const [t, query, person, session] = await Promise.all([getT(), searchParams, currentPerson(), readSession()])
  const next = safeNext(query.next)
  if (person) redirect(next)
  const notice = query.guessed ? 'signIn.guessed' : query.ended ? 'signIn.ended' : session ? 'signIn.over' : undefined
  const { config } = backOfficeRuntime()
  const provider = config.singleSignOn?.name
  const refusal = SIGN_ON_REFUSALS.find((each) => each === query.sso)
  return (
    <>
      <h1>{t('signIn.title')}</h1>
      {notice && (
        <div className="mt-4">
          <Notice>{t(notice)}</Notice>
        </div>
      )}
      {provider !== undefined && refusal && (
        <div className="mt-4">
          <Notice tone="bad">{t(`signIn.signOn.${refusal}`, { name: provider })}</Notice>
        </div>
      )}
      <PasswordForm next={next} />
      {offersPasskeys() && <PasskeyButton next={next} />}
      {provider !== undefined && (
        // Not a form: the policy of the page lets forms lead to this site only.
        <a href={paths.singleSignOn(next === '/' ? undefined : next)} className={buttonClass('quiet', 'medium', 'mt-3 h-9 w-full')}>
          {t('signIn.signOn', { name: provider })}
        </a>
      )}
      <p className="mt-6 border-t border-line pt-4 text-second">
        <a href={paths.docs()} className="text-accent hover:underline">
          {t('docs.signInLink')}
        </a>
      </p>
      {config.isSandbox && (
        <p className="mt-3 break-words text-second text-quiet">{t('signIn.sandbox', { file: `${config.dataDirectory}/sandbox.json` })}</p>
      )}
    </>
  )
}
