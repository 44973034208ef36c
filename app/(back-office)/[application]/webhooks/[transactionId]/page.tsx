import { notFound } from 'next/navigation'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readDelivery } from '#server/webhooks/history.ts'
import { CodeBlock } from '../../_components/code-block.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { AttemptCard } from '../_components/attempt-card.tsx'
import { DeliveryState } from '../_components/delivery-table.tsx'
import { ResendWebhookButton } from '../_components/webhook-buttons.tsx'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const generateMetadata = titled('webhooks.delivery')

/** One webhook: what was sent, what came back, how long it took, and what to change. */
export default async function DeliveryPage({ params }: PageProps<'transactionId'>) {
  const { application, transactionId } = await params
  const actor = await requireActor(application, 'webhook:read')
  const { pool, directory } = backOfficeRuntime()
  const { applicationId } = actor
  const copiesStatus = directory.find(applicationId)?.copiesWebhookStatus ?? false
  const delivery = UUID.test(transactionId) ? await readDelivery(pool, { applicationId, transactionId, copiesStatus }) : undefined
  if (delivery === undefined) return notFound()
  const [t, locale] = await Promise.all([getT(), readLocale()])
  if (delivery === null) {
    return (
      <>
        <PageHeader title={t('webhooks.delivery')} />
        <EmptyState title={t('webhooks.noneYet')} text={t('webhooks.noneText')} action={<AllWebhooks t={t} application={application} />} />
      </>
    )
  }
  const { request, history, obstacle } = delivery
  const headers = ['content-type: application/json', `webhook-id: ${request.webhookId}`, 'webhook-timestamp: …', 'webhook-signature: v1,…']
  return (
    <PageContent words={['webhooks.', 'transaction.resend']}>
      <p className="mb-2">
        <AllWebhooks t={t} application={application} />
      </p>
      <PageHeader
        title={t('webhooks.delivery')}
        lead={
          <Link href={paths.transaction(application, transactionId)} className="text-accent underline wrap-anywhere">
            {t('webhooks.ofTransaction', { id: transactionId })}
          </Link>
        }
        actions={<ResendWebhookButton application={application} transactionId={transactionId} obstacle={obstacle} />}
      />
      <p className="mt-3">
        <DeliveryState
          t={t}
          state={history.state}
          isInProgress={false}
          hasFailed={history.attempts.some(({ outcome }) => outcome !== 'delivered')}
          nextAt={history.nextAt}
        />
      </p>
      <div className="mt-6">
        <h2 id="request">{t('webhooks.request')}</h2>
        <p className="text-ink-2">{t('webhooks.requestText')}</p>
        <div className="mt-2">
          <CodeBlock
            label={t('webhooks.request')}
            wraps
            text={`POST ${hideSecrets(request.url)}\n${headers.join('\n')}\n\n${request.body}`}
          />
        </div>
      </div>
      <section aria-labelledby="attempts" className="mt-6">
        <h2 id="attempts">{t('webhooks.attempts', { count: history.attempts.length })}</h2>
        {history.attempts.length === 0 && <p className="mt-1 text-quiet">{t('webhooks.noAttempt')}</p>}
        <ol className="mt-2 grid grid-cols-1 gap-2">
          {history.attempts.toReversed().map((attempt) => (
            <AttemptCard key={attempt.number} t={t} locale={locale} attempt={attempt} />
          ))}
        </ol>
      </section>
    </PageContent>
  )
}

function AllWebhooks({ t, application }: { t: Translate; application: string }) {
  return (
    <Link href={paths.webhooks(application)} className="text-accent underline">
      {t('webhooks.back')}
    </Link>
  )
}
