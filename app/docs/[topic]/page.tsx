import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { notFound } from 'next/navigation'
import { isGuide, isSampleLanguage, SAMPLE_COOKIE } from '#lib/partner/reference.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { CLIENT_SAMPLES } from '#server/http/clients/client-samples.ts'
import { allCauses, readReference } from '#server/http/reference/read-reference.ts'
import { writeDeposit } from '#server/http/reference/samples/samples.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { SIMULATED_OUTCOMES } from '#server/operators/simulator/behaviour.ts'
import { readProgramRule } from '#server/sandbox/program-rule.ts'
import { WEBHOOK_GAPS_MS } from '#server/webhooks/delivery-loop.ts'
import { ApprovalGuide } from '../_components/guides/approval-guide.tsx'
import { ClientGuide } from '../_components/guides/client-guide.tsx'
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
  const [t, jar, { topic }] = await Promise.all([getT(), cookies(), params])
  const chosen = jar.get(SAMPLE_COOKIE)?.value
  const language = isSampleLanguage(chosen) ? chosen : 'curl'
  const { operations, webhook, version } = readReference()
  const { config } = backOfficeRuntime()
  const operation = operations.get(topic)
  if (operation) return <OperationPage t={t} operation={operation} language={language} />
  if (!isGuide(topic) || topic === 'start') notFound()
  return (
    <DocsPage t={t} guide={topic}>
      {topic === 'authentication' && <AuthenticationGuide operations={operations} language={language} />}
      {topic === 'idempotency' && <IdempotencyGuide />}
      {topic === 'approvals' && (
        <ApprovalGuide
          operations={operations}
          language={language}
          deposit={writeDeposit(readProgramRule().limit + 1)}
          sandbox={config.isSandbox ? { ...readProgramRule(), file: `${config.dataDirectory}/sandbox.json` } : undefined}
        />
      )}
      {topic === 'customers' && <CustomerGuide baseUrl={config.publicUrl} />}
      {topic === 'states' && <StateGuide />}
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
      {topic === 'clients' && <ClientGuide samples={CLIENT_SAMPLES} />}
      {topic === 'errors' && <ErrorGuide t={t} causes={allCauses()} />}
      {topic === 'sandbox' && <SandboxGuide outcomes={SIMULATED_OUTCOMES} />}
      {topic === 'operators' && <OperatorGuide />}
      {topic === 'versions' && <VersionGuide version={version} />}
    </DocsPage>
  )
}
