import { notFound } from 'next/navigation'
import { DaysNote } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { STATUS_CLASSES } from '#lib/partner/partner-requests.ts'
import { type ApiCallFilter, apiCallFilterSchema, toCallQuery } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listCalls } from '#server/partner-auth/recent-calls-store.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { CallTable } from '../_components/call-table.tsx'

export const generateMetadata = titled('calls.title')

/** The calls of the partner's program, with the reason of each refusal. In a sandbox only. */
export default async function CallsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const { applicationId, businessZone: zone } = await requireActor(application, 'sandbox:use')
  const { config, pool } = backOfficeRuntime()
  if (!config.isSandbox) return notFound()
  const read = readAddress(apiCallFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.calls(application)} />
  const filter = read.value
  const query = toCallQuery(filter)
  const [t, calls] = await Promise.all([getT(), listCalls(pool, { applicationId, filter, zone })])
  return (
    <PageContent words={['calls.', 'credentials.cause.']} data={[seed(queries.apiCalls(application, query), calls)]}>
      <p className="no-print mb-2">
        <Link href={paths.sandboxTools(application)} className="text-accent underline">
          {t('sandbox.title')}
        </Link>
      </p>
      <PageHeader title={t('calls.title')} lead={t('calls.lead')} />
      <CallFilters t={t} application={application} filter={filter} />
      <p className="mt-3 text-second">
        <DaysNote zone={zone} />
      </p>
      <CallTable application={application} query={query} page={filter.page} hasPages />
    </PageContent>
  )
}

type CallFiltersProps = { t: Translate; application: string; filter: ApiCallFilter }

/** The filters as a form that needs no script: its fields become the address. */
function CallFilters({ t, application, filter: { status, path, q, from, to } }: CallFiltersProps) {
  const isFiltered = status !== null || path !== '' || q !== '' || from !== null || to !== null
  return (
    <form action={paths.calls(application)} className="no-print mt-5 flex flex-wrap items-end gap-3">
      <div className="w-44 max-sm:w-full">
        <Select id="calls-status" name="status" label={t('calls.status')} defaultValue={status ?? ''}>
          <option value="">{t('calls.all')}</option>
          {STATUS_CLASSES.map((one) => (
            <option key={one} value={one}>
              {t(`calls.class.${CLASS_WORDS[one]}`)}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-52 max-sm:w-full">
        <TextField id="calls-path" name="path" type="search" label={t('calls.path')} defaultValue={path} maxLength={200} />
      </div>
      <div className="w-64 max-sm:w-full">
        <TextField id="calls-text" name="q" type="search" label={t('calls.text')} defaultValue={q} maxLength={200} />
      </div>
      <div className="w-36">
        <TextField id="calls-day-from" name="from" type="date" label={t('calls.dayFrom')} defaultValue={from ?? ''} />
      </div>
      <div className="w-36">
        <TextField id="calls-day-to" name="to" type="date" label={t('calls.dayTo')} defaultValue={to ?? ''} />
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.calls(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}

/** The keys of texts have no digits. */
const CLASS_WORDS = { '2': 'answered', '4': 'refused', '5': 'failed' } as const satisfies Record<(typeof STATUS_CLASSES)[number], string>
