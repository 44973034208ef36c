import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Button } from '#components/ui/button.tsx'
import { Facts } from '#components/ui/display/card.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { Role } from '#lib/people/permissions.ts'
import { deviceWords } from '#lib/people/sign-in.ts'
import { THEMES, type Theme } from '#lib/people/viewer.ts'
import { zoneWords } from '#lib/time/format-time.ts'
import { listTimeZones } from '#lib/time/time-zones.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT, readLocale, readTheme } from '#server/back-office/preferences.ts'
import { offersPasskeys } from '#server/back-office/session/passkeys.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listBrowsers } from '#server/notices/browsers/browser-store.ts'
import { pushKeys } from '#server/notices/browsers/browsers.ts'
import { CHOSEN_CAUSES, DELIVERIES } from '#server/notices/notice-preferences.ts'
import { readPreferences, readTimes } from '#server/notices/notice-store.ts'
import { listPasskeys } from '#server/people/passkeys/passkey-store.ts'
import { readOwnSecondFactor } from '#server/people/person-store.ts'
import { setTheme, signOutEverywhere } from '../../../actions/session.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { DeputySection } from '../_components/deputies/deputy-section.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { Browsers } from './_components/browser-settings.tsx'
import { NoticesForm } from './_components/notices-form.tsx'
import { Passkeys } from './_components/passkey-settings.tsx'
import { PreferencesForm } from './_components/preferences-form.tsx'
import { PasswordButton, SecondFactor } from './_components/sign-in-settings.tsx'

export const generateMetadata = titled('settings.title')

/** The settings of the person, the same in every application. */
export default async function SettingsPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'own-settings:change')
  const { pool, clock, config } = backOfficeRuntime()
  const [t, locale, theme, person, secondFactor, passkeys, { changes }, notices, times, browsers, { publicKey }] = await Promise.all([
    getT(),
    readLocale(),
    readTheme(),
    currentPerson(),
    readOwnSecondFactor(pool, actor.id),
    listPasskeys(pool, actor.id),
    listChanges(pool, { applicationId: actor.applicationId, kinds: ['person.deputy'], actor }),
    readPreferences(pool, actor.id),
    readTimes(pool, actor.id),
    listBrowsers(pool, actor.id),
    pushKeys(pool),
  ])
  if (!person) notFound()
  const timeZone = actor.timeZone ?? actor.businessZone
  return (
    <PageContent words={['settings.', 'enrol.', 'signIn.code', 'signIn.continue', 'signIn.recovery', 'deputy.', 'change.', 'role.']}>
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
        <SettingsSection id="notices" title={t('settings.notices')} lead={t('settings.noticesLead', { zone: zoneWords(t, timeZone) })}>
          <NoticesForm
            application={application}
            causes={CHOSEN_CAUSES.map((cause) => ({
              cause,
              label: t(`mails.cause.${cause}`),
              ...(notices[cause] ?? { delivery: 'at_once', inBrowser: true }),
            }))}
            times={times}
            deliveries={DELIVERIES.map((delivery) => ({ delivery, label: t(`settings.notices.${delivery}`) }))}
          />
        </SettingsSection>
        <SettingsSection id="browsers" title={t('settings.browsers')} lead={t('settings.browsersLead')}>
          {config.isSandbox && <p className="mb-3 text-quiet">{t('settings.browsersSandbox')}</p>}
          <Browsers application={application} browsers={browsers} publicKey={publicKey} />
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
        <SettingsSection id="passkeys" title={t('settings.passkeys')} lead={t('settings.passkeysLead')}>
          <Passkeys
            application={application}
            passkeys={passkeys.map(({ createdAt, lastUsedAt, ...passkey }) => ({
              ...passkey,
              createdAt: createdAt.toISOString(),
              lastUsedAt: lastUsedAt?.toISOString() ?? null,
            }))}
            email={person.email}
            hasSecondFactor={secondFactor.enabledAt !== null}
            device={deviceWords((await headers()).get('user-agent') ?? '')}
            unavailableAt={offersPasskeys() ? null : backOfficeRuntime().config.publicUrl}
          />
        </SettingsSection>
        {(actor.roles.includes('checker') || actor.deputyFor.length > 0) && (
          <SettingsSection id="deputies" title={t('deputy.ownTitle')} lead={t('deputy.lead')}>
            <DeputySection t={t} actor={actor} isOwn />
            <ChangeList
              t={t}
              locale={locale}
              application={application}
              changes={changes.filter((each) => each.proposedBy.personId === actor.id)}
            />
          </SettingsSection>
        )}
        <SettingsSection id="sessions" title={t('settings.sessions')} lead={t('settings.sessionsLead')}>
          <ActionForm action={signOutEverywhere}>
            <Button type="submit" variant="danger">
              {t('frame.signOutEverywhere')}
            </Button>
          </ActionForm>
        </SettingsSection>
      </div>
    </PageContent>
  )
}

type Membership = { slug: string; name: string; roles: readonly Role[] }
type ProfileFactsProps = { t: Translate; application: string; person: { name: string; email: string; memberships: readonly Membership[] } }

/** Name, e-mail and roles. Only administrators change them. */
function ProfileFacts({ t, application, person }: ProfileFactsProps) {
  const rolesOf = (membership: Membership) => membership.roles.map((role) => t(`role.${role}`)).join(', ')
  const here = person.memberships.find((membership) => membership.slug === application)
  const others = person.memberships.filter((membership) => membership !== here)
  return (
    <Facts
      nameClass="w-28 sm:w-36"
      facts={[
        { name: t('settings.name'), value: <bdi>{person.name}</bdi> },
        { name: t('signIn.email'), value: person.email },
        ...(here ? [{ name: t('settings.rolesHere'), value: `${rolesOf(here)} · ${here.name}` }] : []),
        {
          name: t('settings.elsewhere'),
          value:
            others.length === 0 ? (
              <span className="text-quiet">{t('settings.nowhereElse')}</span>
            ) : (
              <ul className="grid gap-1">
                {others.map((membership) => (
                  <li key={membership.slug}>
                    <Link href={paths.settings(membership.slug)} className="text-accent hover:underline">
                      {membership.name}
                    </Link>
                    <span className="text-quiet"> · {rolesOf(membership)}</span>
                  </li>
                ))}
              </ul>
            ),
        },
      ]}
    />
  )
}

/** One section of the settings: the title on the left, the form on the right; one above the other on a phone. */
function SettingsSection({ id, title, lead, children }: { id: string; title: string; lead?: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid gap-x-10 gap-y-3 border-t border-line py-6 lg:grid-cols-[260px_minmax(0,1fr)]">
      <div>
        <h2 id={id}>{title}</h2>
        {lead && <p className="mt-0.5 text-second text-quiet">{lead}</p>}
      </div>
      <div className="min-w-0 max-w-lg">{children}</div>
    </section>
  )
}

/** Three buttons, one of them pressed. Works without script. */
function ThemeForm({ t, theme, action }: { t: Translate; theme: Theme; action: (form: FormData) => Promise<void> }) {
  const words = { system: t('frame.themeSystem'), light: t('frame.themeLight'), dark: t('frame.themeDark') }
  return (
    <ActionForm action={action} className="grid max-w-sm grid-cols-3 gap-1.5">
      {THEMES.map((choice) => (
        <button
          key={choice}
          type="submit"
          name="theme"
          value={choice}
          aria-pressed={choice === theme}
          className="h-8 rounded-sm border border-line-2 px-2 text-ink-2 hover:bg-sunken aria-pressed:border-accent aria-pressed:font-strong aria-pressed:text-ink touch-target"
        >
          {words[choice]}
        </button>
      ))}
    </ActionForm>
  )
}
