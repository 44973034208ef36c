import { TimeText } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { WEBHOOK_STATES } from '#lib/payments/transactions/transaction-status.ts'
import { type DeliveryFilter, deliveryFilterSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { FAILED_OUTCOMES, type RecoveryDto } from '#lib/webhooks/webhook-portal.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listDeliveries } from '#server/webhooks/history-store.ts'
import { listRecoveries } from '#server/webhooks/recover-webhooks.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { DeliveryTable, WebhookTabs } from './_components/delivery-table.tsx'
import { RecoverButton, StopRecoveryButton } from './_components/webhook-buttons.tsx'

const PAGE_SIZE = 25

export const generateMetadata = titled('webhooks.title')

/** Every webhook of the application, with what its receiver answered. */
export default async function WebhooksPage({ params, searchParams }: PageProps) {
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
    <PageContent words={['webhooks.']}>
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
    </PageContent>
  )
}

/** Within a date the browser moves the focus from day to month to year, and does not count that as visible focus of the field. */
const DATE_FOCUS = 'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent'

/** The filters as a form that needs no script: its fields become the address. */
function DeliveryFilters({ t, application, filter }: { t: Translate; application: string; filter: DeliveryFilter }) {
  const isFiltered = filter.state !== null || filter.cause !== null || filter.from !== null || filter.to !== null
  return (
    <form action={paths.webhooks(application)} className="no-print mt-5 flex flex-wrap items-end gap-3">
      <div className="w-44 max-sm:w-full">
        <Select id="filter-state" name="state" label={t('webhooks.state')} defaultValue={filter.state ?? ''}>
          <option value="">{t('webhooks.all')}</option>
          {WEBHOOK_STATES.map((state) => (
            <option key={state} value={state}>
              {t(`webhooks.stateIs.${state}`)}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-56 max-sm:w-full">
        <Select id="filter-cause" name="cause" label={t('webhooks.cause')} defaultValue={filter.cause ?? ''}>
          <option value="">{t('webhooks.all')}</option>
          {FAILED_OUTCOMES.map((outcome) => (
            <option key={outcome} value={outcome}>
              {t(`webhooks.outcome.${outcome}`)}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-36">
        <TextField
          id="filter-from"
          name="from"
          type="date"
          className={DATE_FOCUS}
          label={t('webhooks.from')}
          defaultValue={filter.from ?? ''}
        />
      </div>
      <div className="w-36">
        <TextField id="filter-to" name="to" type="date" className={DATE_FOCUS} label={t('webhooks.to')} defaultValue={filter.to ?? ''} />
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.webhooks(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}

type RecoveryListProps = { t: Translate; application: string; recoveries: readonly RecoveryDto[] }

/** Recoveries in progress and the most recent ones. Renders nothing if there are none. */
function RecoveryList({ t, application, recoveries }: RecoveryListProps) {
  if (recoveries.length === 0) return null
  return (
    <section aria-labelledby="recoveries" className="mt-5">
      <h2 id="recoveries">{t('webhooks.recoveries')}</h2>
      <ul className="mt-2 grid gap-2">
        {recoveries.map((recovery) => (
          <li key={recovery.recoveryId} className="rounded-lg border border-line bg-surface px-4 py-3">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <p>
                <span className="font-medium">{t(stateOf(recovery), { resent: recovery.resent, counted: recovery.counted })}</span>{' '}
                {t(recovery.includesDelivered ? 'webhooks.recoveredAll' : 'webhooks.recoveredFailed')} <TimeText at={recovery.since} />
              </p>
              {recovery.endedAt === null && <StopRecoveryButton application={application} recoveryId={recovery.recoveryId} />}
            </div>
            <p className="text-second text-quiet">
              <bdi>{recovery.requestedBy}</bdi> · <TimeText at={recovery.requestedAt} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function stateOf({ endedAt, isStopped }: RecoveryDto): 'webhooks.recovering' | 'webhooks.recoveryStopped' | 'webhooks.recovered' {
  if (endedAt === null) return 'webhooks.recovering'
  return isStopped ? 'webhooks.recoveryStopped' : 'webhooks.recovered'
}
