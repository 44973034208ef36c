import { notFound } from 'next/navigation'
import { MerchantLogo } from '#components/domain/merchant-logo.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { DEFAULT_FEE_SCHEDULE, type ServiceTerms, type SettingsTerms } from '#lib/money/fees.ts'
import { effectiveLimits, limitsText } from '#lib/operators/amount-limits.ts'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { CustomerPageTerms } from '#lib/partner/customer-page.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { zoneWords } from '#lib/time/format-time.ts'
import { readCustomerPage } from '#server/applications/customer-page-store.ts'
import { OPEN_SERVICE } from '#server/applications/snapshot.ts'
import { listFees, listServices, readTerms, readTimeZone } from '#server/applications/terms-store.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../_components/changes/confirmation-notice.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { CustomerPageButton, SettingsButtons, TermsTable } from './_components/terms-table.tsx'

const KINDS = ['application.set', 'customer_page.set', 'time_zone.set', 'service.set', 'fees.set'] as const

export const generateMetadata = titled('terms.title')

/** The terms of an application: its settings, transfer services, limits and fees. Every change waits for a second administrator. */
export default async function ApplicationPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'access:change')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, terms, { changes, ...confirmation }] = await Promise.all([
    getT(),
    readLocale(),
    readPageTerms(applicationId),
    listChanges(pool, { applicationId, kinds: KINDS, actor }),
  ])
  return (
    <PageContent words={['terms.', 'change.']}>
      <PageHeader title={t('terms.title')} lead={t('terms.lead', { name: terms.settings.name })} />
      <ConfirmationNotice t={t} alone="terms.alone" {...confirmation} />
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <SettingsPart t={t} application={application} settings={terms.settings} zone={terms.zone} mayChange={!confirmation.isAlone} />
      <CustomerPagePart t={t} application={application} page={terms.page} mayChange={!confirmation.isAlone} />
      <TermsTable application={application} services={terms.services} mayChange={!confirmation.isAlone} />
    </PageContent>
  )
}

type PageTerms = {
  settings: SettingsTerms
  page: CustomerPageTerms
  zone: { timeZone: string; wantedTimeZone: string | null }
  services: ServiceTerms[]
}

/** Everything on the page, from the database: what was confirmed a moment ago is in it, also before this process works with it. */
async function readPageTerms(applicationId: string): Promise<PageTerms> {
  const { pool, connectors } = backOfficeRuntime()
  const [settings, page, zone, services, fees] = await Promise.all([
    readTerms(pool, applicationId),
    readCustomerPage(pool, applicationId),
    readTimeZone(pool, applicationId),
    listServices(pool, applicationId),
    listFees(pool, applicationId),
  ])
  if (!settings || !zone) notFound()
  const textOf = (minor: bigint | null) => (minor === null ? null : String(minor))
  return {
    settings,
    page,
    zone,
    services: OPERATOR_CODES.flatMap((operator) =>
      TRANSACTION_TYPES.map((type): ServiceTerms => {
        const isOwn = (row: { operator: string; type: string }) => row.operator === operator && row.type === type
        const service = services.find(isOwn) ?? OPEN_SERVICE
        const schedule = fees.find(isOwn) ?? DEFAULT_FEE_SCHEDULE
        const amounts = connectors.limitsOf(operator, type)
        const { limits, areBinding } = effectiveLimits({ operator, type }, service, amounts)
        return {
          operator,
          type,
          isInCountries: settings.countries.includes(OPERATORS[operator].country.name),
          isEnabled: service.isEnabled,
          enforcesLimits: service.enforcesLimits,
          minimumMinor: textOf(service.minimumMinor),
          maximumMinor: textOf(service.maximumMinor),
          effective: { ...limitsText(limits), areBinding },
          ofOperator: limitsText(effectiveLimits({ operator, type }, OPEN_SERVICE, amounts).limits),
          systemRatePpm: schedule.systemRatePpm,
          systemFixedMinor: String(schedule.systemFixedMinor),
          appRatePpm: schedule.appRatePpm,
          appFixedMinor: String(schedule.appFixedMinor),
        }
      }),
    ),
  }
}

type SettingsPartProps = {
  t: Translate
  application: string
  settings: SettingsTerms
  zone: { timeZone: string; wantedTimeZone: string | null }
  mayChange: boolean
}

/** The settings as they are. */
function SettingsPart({ t, application, settings, zone, mayChange }: SettingsPartProps) {
  const yesNo = (value: boolean) => t(value ? 'terms.yes' : 'terms.no')
  const countries = COUNTRY_NAMES.filter((name) => settings.countries.includes(name)).map((name) => t(`country.${name}`))
  const facts = [
    { name: t('terms.name'), value: settings.name },
    { name: t('terms.countries'), value: countries.join(', ') },
    {
      name: t('terms.zone'),
      value: (
        <>
          {zoneWords(t, zone.timeZone)}
          {zone.wantedTimeZone && (
            <span className="block text-second text-quiet">{t('terms.zoneWanted', { zone: zoneWords(t, zone.wantedTimeZone) })}</span>
          )}
        </>
      ),
    },
    { name: t('terms.webhookUrl'), value: settings.defaultWebhookUrl ?? t('terms.none') },
    { name: t('terms.floatWaitHours'), value: String(settings.floatWaitHours) },
    { name: t('terms.undoSeconds'), value: String(settings.undoSeconds) },
    { name: t('terms.accountChecksMax'), value: String(settings.accountChecksMax) },
    { name: t('terms.refundFeesFrom'), value: t(`terms.refundFeesFrom.${settings.refundFeesFrom}`) },
    { name: t('terms.paymentLinks'), value: yesNo(settings.allowsPaymentLinks) },
    { name: t('terms.secondFactor'), value: yesNo(settings.requiresSecondFactor) },
    { name: t('terms.statusCopy'), value: yesNo(settings.copiesWebhookStatus) },
    { name: t('terms.combinedRoles'), value: yesNo(settings.allowsCombinedRoles) },
  ]
  return (
    <section aria-labelledby="settings" className="mt-6">
      <h2 id="settings">{t('terms.settings')}</h2>
      <Card className="mt-2">
        <Facts facts={facts} nameClass="w-36 sm:w-60" />
        {mayChange && <SettingsButtons application={application} settings={settings} timeZone={zone.wantedTimeZone ?? zone.timeZone} />}
      </Card>
    </section>
  )
}

type CustomerPagePartProps = { t: Translate; application: string; page: CustomerPageTerms; mayChange: boolean }

/** The application as customers see it where they pay. */
function CustomerPagePart({ t, application, page, mayChange }: CustomerPagePartProps) {
  const facts = [
    {
      name: t('change.fact.logo'),
      value: page.logo === null ? t('terms.none') : <MerchantLogo logo={page.logo} label={t('change.fact.logo')} />,
    },
    { name: t('change.fact.support'), value: page.support ?? t('terms.none') },
    { name: t('change.fact.returnUrl'), value: page.returnUrl ?? t('terms.none') },
    { name: t('change.fact.offersRetry'), value: t(page.offersRetry ? 'terms.yes' : 'terms.no') },
  ]
  return (
    <section aria-labelledby="customer-page" className="mt-6">
      <h2 id="customer-page">{t('terms.page.title')}</h2>
      <p className="mt-1 text-second text-quiet">{t('terms.page.note')}</p>
      <Card className="mt-2">
        <Facts facts={facts} nameClass="w-36 sm:w-60" />
        {mayChange && <CustomerPageButton application={application} page={page} />}
      </Card>
    </section>
  )
}
