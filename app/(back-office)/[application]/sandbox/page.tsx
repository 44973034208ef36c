import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { PageData } from '#components/frame/page-data.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { listRequests } from '#server/partner-auth/caller-records-store.ts'
import { readLatestWebhookUrl } from '#server/webhooks/history-store.ts'
import { RequestLog, TestTransactionForm } from './_components/sandbox-tools.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('sandbox.title') }
}

/** Test transactions with a chosen outcome, and the calls of the partner's program as they arrive. In a sandbox only. */
export default async function SandboxPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'sandbox:use')
  const { config, pool } = backOfficeRuntime()
  if (!config.isSandbox) return notFound()
  const queryClient = getQueryClient()
  const [t, locale, url] = await Promise.all([
    getT(),
    readLocale(),
    readLatestWebhookUrl(pool, actor.applicationId),
    queryClient.fetchQuery({ queryKey: queryKeys.apiRequests(application), queryFn: () => listRequests(pool, actor.applicationId) }),
  ])
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['sandbox.', 'credentials.cause.'])}>
        <PageHeader title={t('sandbox.title')} lead={t('sandbox.lead')} />
        <section aria-labelledby="test-transaction" className="mt-6">
          <h2 id="test-transaction">{t('sandbox.test')}</h2>
          <p className="max-w-3xl text-ink-2">{t('sandbox.testText')}</p>
          <TestTransactionForm application={application} webhookUrl={url !== null && hideSecrets(url) === url ? url : ''} />
        </section>
        <div className="mt-8">
          <h2 id="requests">{t('sandbox.requests')}</h2>
          <p className="max-w-3xl text-ink-2">{t('sandbox.requestsText')}</p>
          <RequestLog application={application} />
        </div>
      </PageMessages>
    </PageData>
  )
}
