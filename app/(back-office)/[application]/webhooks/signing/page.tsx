import type { Metadata } from 'next'
import { TimeText } from '#components/domain/time-text.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { hideSecrets } from '#lib/hide-secrets.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { can } from '#lib/permissions.ts'
import { SAMPLE_LANGUAGES, SAMPLE_TITLES } from '#lib/reference.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { readLatestWebhookUrl } from '#server/webhooks/delivery-list-queries.ts'
import { listWebhookTests } from '#server/webhooks/send-test-webhook.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { CodeBlock } from '../_components/code-block.tsx'
import { RotateSecretButton } from '../_components/rotate-secret-button.tsx'
import { TestEvents } from '../_components/test-events.tsx'
import { WebhookTabs } from '../_components/webhook-tabs.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('webhooks.signing') }
}

/** The secrets that sign, how to verify a signature, and test events. */
export default async function SigningPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'webhook:read')
  const { pool, directory, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, tests, latestUrl, changes, members] = await Promise.all([
    getT(),
    readLocale(),
    listWebhookTests(pool, applicationId),
    readLatestWebhookUrl(pool, applicationId),
    listChanges(pool, { applicationId, kinds: ['webhook_secret.rotate'], actor }),
    listActiveMembers(pool, applicationId),
  ])
  const snapshot = directory.find(applicationId)
  const url = snapshot?.defaultWebhookUrl ?? latestUrl
  const secrets = (snapshot?.webhookSecrets ?? []).filter(({ expiresAt }) => !expiresAt || expiresAt > clock.now())
  const mayRotate = members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'access:change'))
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['webhooks.', 'change.', 'credentials.overlap', 'credentials.collect'])}>
      <PageHeader title={t('webhooks.signing')} lead={t('webhooks.signingLead')} />
      <WebhookTabs t={t} application={application} current="signing" />
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <section aria-labelledby="secrets" className="mt-6">
        <h2 id="secrets">{t('webhooks.secrets')}</h2>
        <p className="max-w-3xl text-ink-2">{t('webhooks.secretsText')}</p>
        <ul className="mt-2 grid gap-1">
          {secrets.map(({ createdAt, expiresAt }) => (
            <li key={createdAt.toISOString()}>
              {t('webhooks.secretSince')} <TimeText at={createdAt.toISOString()} />
              {expiresAt && (
                <>
                  {' · '}
                  {t('webhooks.secretUntil')} <TimeText at={expiresAt.toISOString()} />
                </>
              )}
            </li>
          ))}
        </ul>
        <div className="mt-3">{mayRotate && <RotateSecretButton application={application} />}</div>
      </section>
      {/* An address that contains a secret is not offered: it would be shown. */}
      <TestEvents t={t} locale={locale} application={application} tests={tests} url={url !== null && hideSecrets(url) === url ? url : ''} />
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
    </PageMessages>
  )
}
