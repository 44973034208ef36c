import { notFound } from 'next/navigation'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { apiCallFilterSchema, toCallQuery } from '#lib/schemas/page-address.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listCalls } from '#server/partner-auth/recent-calls-store.ts'
import { readLatestWebhookUrl } from '#server/webhooks/history-store.ts'
import { CodeBlock } from '../_components/code-block.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { CallTable } from './_components/call-table.tsx'
import { TestTransactionForm } from './_components/sandbox-tools.tsx'

/** From the file, and not by name: a registry may have a package of somebody else under it. */
const LISTEN = 'npm exec --package=./countersign-1.0.0.tgz -- countersign listen --forward-to localhost:3000'

export const generateMetadata = titled('sandbox.title')

/** Test transactions with a chosen outcome, and the calls of the partner's program as they arrive. In a sandbox only. */
export default async function SandboxPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'sandbox:use')
  const { config, pool, simulatorUrl } = backOfficeRuntime()
  if (!config.isSandbox) return notFound()
  const filter = apiCallFilterSchema.parse({})
  const query = toCallQuery(filter)
  const { applicationId, businessZone: zone } = actor
  const [t, url, calls] = await Promise.all([
    getT(),
    readLatestWebhookUrl(pool, applicationId),
    listCalls(pool, { applicationId, filter, zone }),
  ])
  return (
    <PageContent words={['sandbox.', 'calls.', 'credentials.cause.']} data={[seed(queries.apiCalls(application, query), calls)]}>
      <PageHeader
        title={t('sandbox.title')}
        lead={t('sandbox.lead')}
        actions={
          <Link href={paths.sandboxMails(application)} className="text-accent hover:underline">
            {t('sandbox.mails')}
          </Link>
        }
      />
      <section aria-labelledby="test-transaction" className="mt-6">
        <h2 id="test-transaction">{t('sandbox.test')}</h2>
        <p className="max-w-3xl text-ink-2">{t('sandbox.testText')}</p>
        {simulatorUrl !== undefined && (
          <p className="mt-1">
            <a href={`${simulatorUrl}/phone`} target="_blank" rel="noreferrer" className="text-accent hover:underline">
              {t('sandbox.phone')}
            </a>
          </p>
        )}
        <TestTransactionForm application={application} webhookUrl={url !== null && hideSecrets(url) === url ? url : ''} />
      </section>
      <div className="mt-8">
        <h2 id="calls">{t('calls.title')}</h2>
        <p className="max-w-3xl text-ink-2">
          {t('calls.lead')}{' '}
          <Link href={paths.calls(application)} className="text-accent underline">
            {t('calls.filter')}
          </Link>
        </p>
        <CallTable application={application} query={query} page={0} />
      </div>
      <div className="mt-8">
        <h2>{t('sandbox.listen')}</h2>
        <p className="max-w-3xl text-ink-2">{t('sandbox.listenText')}</p>
        <div className="mt-2 max-w-3xl">
          <CodeBlock label={t('sandbox.listen')} text={LISTEN} wraps />
        </div>
      </div>
    </PageContent>
  )
}
