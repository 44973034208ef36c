import type { Metadata } from 'next'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { deliveryFilterSchema } from '#lib/schemas/webhook-portal.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listDeliveries } from '#server/webhooks/delivery-list-queries.ts'
import { listRecoveries } from '#server/webhooks/recover-webhooks.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { DeliveryFilters } from './_components/delivery-filters.tsx'
import { DeliveryTable } from './_components/delivery-table.tsx'
import { RecoverButton } from './_components/recover-button.tsx'
import { RecoveryList } from './_components/recovery-list.tsx'
import { WebhookTabs } from './_components/webhook-tabs.tsx'

const PAGE_SIZE = 25

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('webhooks.title') }
}

/** Every webhook of the application, with what its receiver answered. */
export default async function WebhooksPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'webhook:read')
  const read = readAddress(deliveryFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.webhooks(application)} />
  const filter = read.value
  const { pool, reportPool } = backOfficeRuntime()
  const { applicationId, businessZone: zone } = actor
  const [t, locale, rows, recoveries] = await Promise.all([
    getT(),
    readLocale(),
    listDeliveries(reportPool, { applicationId, filter, zone, limit: PAGE_SIZE }),
    listRecoveries(pool, applicationId),
  ])
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['webhooks.'])}>
      <PageHeader title={t('webhooks.title')} lead={t('webhooks.lead')} actions={<RecoverButton application={application} />} />
      <WebhookTabs t={t} application={application} current="deliveries" />
      <RecoveryList t={t} application={application} recoveries={recoveries} />
      <DeliveryFilters t={t} application={application} filter={filter} />
      <DeliveryTable
        t={t}
        locale={locale}
        application={application}
        filter={filter}
        rows={rows.slice(0, PAGE_SIZE)}
        hasMore={rows.length > PAGE_SIZE}
      />
    </PageMessages>
  )
}
