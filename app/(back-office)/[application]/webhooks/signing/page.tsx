import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { SAMPLE_LANGUAGES, SAMPLE_TITLES } from '#lib/partner/reference.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import type { WebhookTestDto } from '#lib/webhooks/webhook-portal.ts'
import { readEventReceiver } from '#server/applications/event-receiver-store.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { listEvents } from '#server/notices/event-store.ts'
import { readLatestWebhookUrl } from '#server/webhooks/history-store.ts'
import { listWebhookTests } from '#server/webhooks/resend-webhook.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../../_components/changes/confirmation-notice.tsx'
import { CodeBlock } from '../../_components/code-block.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { diagnosisText } from '../_components/attempt-card.tsx'
import { WebhookTabs } from '../_components/delivery-table.tsx'
import { EventReceiver } from '../_components/event-receiver.tsx'
import { SecretSection } from '../_components/secret-section.tsx'
import { TestForm } from '../_components/webhook-buttons.tsx'

const EVENTS_SHOWN = 10

export const generateMetadata = titled('webhooks.signing')

/** The secrets that sign, how to verify a signature, test events, and where events of the application are sent. */
export default async function SigningPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'webhook:read')
  const { pool, directory, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, tests, latestUrl, { changes, ...confirmation }, eventsUrl, events] = await Promise.all([
    getT(),
    readLocale(),
    listWebhookTests(pool, applicationId),
    readLatestWebhookUrl(pool, applicationId),
    listChanges(pool, { applicationId, kinds: ['webhook_secret.rotate', 'event_receiver.set'], actor }),
    readEventReceiver(pool, applicationId),
    listEvents(pool, applicationId, EVENTS_SHOWN),
  ])
  const snapshot = directory.find(applicationId)
  const url = snapshot?.defaultWebhookUrl ?? latestUrl
  const secrets = (snapshot?.webhookSecrets ?? []).filter(({ expiresAt }) => !expiresAt || expiresAt > clock.now())
  return (
    <PageContent words={['webhooks.', 'change.', 'credentials.overlap', 'credentials.collect']}>
      <PageHeader title={t('webhooks.signing')} lead={t('webhooks.signingLead')} />
      <WebhookTabs t={t} application={application} current="signing" />
      <ConfirmationNotice t={t} alone="credentials.noSecondPerson" {...confirmation} />
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <SecretSection t={t} application={application} secrets={secrets} changes={changes} mayPropose={!confirmation.isAlone} />
      {/* An address that contains a secret is not offered: it would be shown. */}
      <TestEvents t={t} locale={locale} application={application} tests={tests} url={url !== null && hideSecrets(url) === url ? url : ''} />
      <EventReceiver t={t} application={application} url={eventsUrl} events={events} mayPropose={!confirmation.isAlone} />
      <section aria-labelledby="verify" className="mt-8">
        <h2 id="verify">{t('webhooks.verify')}</h2>
        <p className="max-w-3xl text-ink-2">{t('webhooks.verifyText')}</p>
        <div className="mt-3 grid grid-cols-1 gap-2">
          {SAMPLE_LANGUAGES.map((language, place) => (
            <details key={language} open={place === 0} className="rounded-lg border border-line bg-surface px-4 py-2">
              <summary className="cursor-pointer font-medium">{SAMPLE_TITLES[language]}</summary>
              <div className="mt-2 mb-1">
                <CodeBlock label={t('webhooks.exampleIn', { language: SAMPLE_TITLES[language] })} text={VERIFY_WEBHOOK[language]} />
              </div>
            </details>
          ))}
        </div>
      </section>
    </PageContent>
  )
}

type TestEventsProps = { t: Translate; locale: Locale; application: string; tests: readonly WebhookTestDto[]; url: string }

/** Sends a test event and shows how the newest ones ended. */
function TestEvents({ t, locale, application, tests, url }: TestEventsProps) {
  return (
    <section aria-labelledby="tests" className="mt-8">
      <h2 id="tests">{t('webhooks.test')}</h2>
      <p className="max-w-3xl text-ink-2">{t('webhooks.testText')}</p>
      <TestForm application={application} url={url} />
      <ul aria-label={t('webhooks.testResults')} className="mt-3 grid gap-2">
        {tests.map(({ testId, url: shown, requestedBy, requestedAt, result }) => (
          <li key={testId} className="rounded-lg border border-line bg-surface px-4 py-3">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Badge tone={result?.outcome === 'delivered' ? 'ok' : result ? 'bad' : 'run'} hasDot>
                {t(
                  result === null
                    ? 'webhooks.testInProgress'
                    : result.outcome === 'delivered'
                      ? 'webhooks.stateIs.delivered'
                      : 'webhooks.testFailed',
                )}
              </Badge>
              <span className="wrap-anywhere">{shown}</span>
            </div>
            {result && <p className="mt-1">{diagnosisText(t, locale, result)}</p>}
            {result?.responseStart && <p className="mt-1 text-second text-ink-2 wrap-anywhere">{result.responseStart}</p>}
            <p className="mt-1 text-second text-quiet">
              <bdi>{requestedBy}</bdi> · <TimeText at={requestedAt} />
              {result && ` · ${t('webhooks.total', { count: result.durationMs })}`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
