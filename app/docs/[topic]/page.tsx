import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { notFound } from 'next/navigation'
import { isGuide } from '#lib/partner/guides.ts'
import { isSampleLanguage, SAMPLE_COOKIE } from '#lib/partner/reference.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { CLIENT_SAMPLES } from '#server/http/clients/client-samples.ts'
import { COUNTRY_STARTS, STEP_EXAMPLES } from '#server/http/reference/country-starts.ts'
import { allCauses, readReference } from '#server/http/reference/read-reference.ts'
import { writeDeposit } from '#server/http/reference/samples/samples.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { SIMULATED_OUTCOMES } from '#server/operators/simulator/behaviour.ts'
import { readProgramRule } from '#server/sandbox/program-rule.ts'
import { WEBHOOK_GAPS_MS } from '#server/webhooks/delivery-loop.ts'
import { ApprovalGuide } from '../_components/guides/approval-guide.tsx'
import { ClientGuide } from '../_components/guides/client-guide.tsx'
import { CountryGuide } from '../_components/guides/country-guide.tsx'
import { CustomerGuide } from '../_components/guides/customer-guide.tsx'
import { OperatorGuide } from '../_components/guides/operator-guide.tsx'
import { AuthenticationGuide, ErrorGuide, IdempotencyGuide, SandboxGuide } from '../_components/guides/short-guides.tsx'
import { StateGuide } from '../_components/guides/state-guide.tsx'
import { VersionGuide } from '../_components/guides/version-guide.tsx'
import { WebhookGuide } from '../_components/guides/webhook-guide.tsx'
import { OperationPage } from '../_components/operation-page.tsx'
import { DocsPage } from '../_components/prose.tsx'

type Props = { params: Promise<{ topic: string }> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [t, { topic }] = await Promise.all([getT(), params])
  const title = isGuide(topic) ? t(`docs.guide.${topic}`) : topic
  return { title: `${title} · ${t('docs.title')}` }
}

/** One guide or one operation of the API reference. Public. */
export default async function DocsTopicPage({ params }: Props) {
  const [t, locale, jar, { topic }] = await Promise.all([getT(), readLocale(), cookies(), params])
  const chosen = jar.get(SAMPLE_COOKIE)?.value
  const language = isSampleLanguage(chosen) ? chosen : 'curl'
  const { operations, webhook, version } = readReference()
  const { config } = backOfficeRuntime()
  const operation = operations.get(topic)
  if (operation) return <OperationPage t={t} locale={locale} operation={operation} language={language} />
  if (!isGuide(topic) || topic === 'start') notFound()
  return (
    <DocsPage t={t} guide={topic}>
      {topic === 'authentication' && <AuthenticationGuide t={t} operations={operations} language={language} />}
      {topic === 'idempotency' && <IdempotencyGuide t={t} />}
      {topic === 'approvals' && (
        <ApprovalGuide
          t={t}
          operations={operations}
          language={language}
          deposit={writeDeposit(readProgramRule().limit + 1)}
          sandbox={config.isSandbox ? { ...readProgramRule(), file: `${config.dataDirectory}/sandbox.json` } : undefined}
        />
      )}
      {topic === 'countries' && (
        <CountryGuide
          t={t}
          locale={locale}
          language={language}
          starts={COUNTRY_STARTS}
          waits={config.isSandbox ? readProgramRule() : undefined}
        />
      )}
      {topic === 'customers' && <CustomerGuide t={t} baseUrl={config.publicUrl} language={language} examples={STEP_EXAMPLES} />}
      {topic === 'states' && <StateGuide t={t} />}
      {topic === 'webhooks' && (
        <WebhookGuide
          t={t}
          baseUrl={config.publicUrl}
          webhook={webhook}
          verify={VERIFY_WEBHOOK}
          gapsMs={WEBHOOK_GAPS_MS}
          language={language}
        />
      )}
      {topic === 'clients' && <ClientGuide t={t} samples={CLIENT_SAMPLES} />}
      {topic === 'errors' && <ErrorGuide t={t} causes={allCauses()} />}
      {topic === 'sandbox' && <SandboxGuide t={t} outcomes={SIMULATED_OUTCOMES} />}
      {topic === 'operators' && <OperatorGuide t={t} locale={locale} />}
      {topic === 'versions' && <VersionGuide t={t} version={version} />}
    </DocsPage>
  )
}
