import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Button } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { listTimeZones } from '#lib/time-zones.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT, readLocale, readTheme } from '#server/back-office/preferences.ts'
import { readOwnSecondFactor } from '#server/people/person-queries.ts'
import { setTheme } from '../../../actions/preferences.ts'
import { signOutEverywhere } from '../../../actions/session.ts'
import { PasswordButton } from './_components/password-button.tsx'
import { PreferencesForm } from './_components/preferences-form.tsx'
import { ProfileFacts } from './_components/profile-facts.tsx'
import { SecondFactor } from './_components/second-factor.tsx'
import { SettingsSection } from './_components/settings-section.tsx'
import { ThemeForm } from './_components/theme-form.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('settings.title') }
}

/** The settings of the person, the same in every application. */
export default async function SettingsPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'own-settings:change')
  const { pool, clock } = backOfficeRuntime()
  const [t, locale, theme, person, secondFactor] = await Promise.all([
    getT(),
    readLocale(),
    readTheme(),
    currentPerson(),
    readOwnSecondFactor(pool, actor.id),
  ])
  if (!person) notFound()
  const timeZone = actor.timeZone ?? actor.businessZone
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['settings.', 'enrol.', 'signIn.code', 'signIn.recovery'])}>
      <PageHeader title={t('settings.title')} />
      <div className="mt-5 max-w-4xl">
        <SettingsSection id="profile" title={t('settings.profile')}>
          <ProfileFacts t={t} person={person} application={application} />
        </SettingsSection>
        <SettingsSection id="look" title={t('settings.look')}>
          <PreferencesForm application={application} locale={locale} timeZone={timeZone} regions={listTimeZones(clock.now(), timeZone)} />
        </SettingsSection>
        <SettingsSection id="theme" title={t('frame.theme')} lead={t('settings.themeLead')}>
          <ThemeForm t={t} theme={theme} action={setTheme} />
        </SettingsSection>
        <SettingsSection id="password" title={t('settings.password')} lead={t('settings.passwordLead')}>
          <PasswordButton application={application} email={person.email} />
        </SettingsSection>
        <SettingsSection id="second-factor" title={t('settings.secondFactor')} lead={t('settings.secondFactorLead')}>
          <SecondFactor
            application={application}
            enabledAt={secondFactor.enabledAt?.toISOString() ?? null}
            codesLeft={secondFactor.recoveryCodesLeft}
            demandedBy={person.memberships.find((membership) => membership.requiresSecondFactor)?.name ?? null}
          />
        </SettingsSection>
        <SettingsSection id="sessions" title={t('settings.sessions')} lead={t('settings.sessionsLead')}>
          <ActionForm action={signOutEverywhere}>
            <Button type="submit" variant="danger">
              {t('frame.signOutEverywhere')}
            </Button>
          </ActionForm>
        </SettingsSection>
      </div>
    </PageMessages>
  )
}
