'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { OverviewDto } from '#lib/finance-dto.ts'
import { formatCount } from '#lib/format.ts'
import { formatTime } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { ContradictionSection } from './contradiction-section.tsx'
import { OperatorHealthSection } from './operator-health.tsx'
import { UnconfirmedSection } from './unconfirmed-money.tsx'
import { WebhookSection } from './webhook-section.tsx'

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000

/** The first page after sign-in. Every figure links to its list. */
export function OverviewBoard({ application, days }: { application: string; days: number }) {
  const { t } = useTranslations()
  const { data, isError, refetch } = useQuery({
    queryKey: queryKeys.overview(application, days),
    queryFn: ({ signal }) => fetchData<OverviewDto>(paths.data(application, 'overview', { days }), signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <>
      <PageHeader title={t('frame.overview')} lead={data && <Waiting application={application} waiting={data.waiting} />} />
      <div className="mt-3">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
      </div>
      {data && (
        <div className="mt-5 grid grid-cols-1 gap-6">
          <UnconfirmedSection application={application} unconfirmed={data.unconfirmed} />
          <ContradictionSection application={application} contradictions={data.contradictions} />
          <OperatorHealthSection application={application} data={data} days={days} />
          <WebhookSection application={application} webhooks={data.webhooks} />
        </div>
      )}
    </>
  )
}

function Waiting({ application, waiting }: { application: string; waiting: OverviewDto['waiting'] }) {
  const { t, locale, timeZone } = useTranslations()
  const now = useNow()
  if (waiting === null) return t('overview.decidesNothing')
  if (waiting.count === 0) return t('overview.nothingWaits')
  const count = `${formatCount(waiting.count, locale)}${waiting.isMore ? '+' : ''}`
  const oldest = waiting.oldestAt === null ? null : new Date(waiting.oldestAt)
  const isToday = oldest !== null && formatTime(t, timeZone, oldest, 'day-year') === formatTime(t, timeZone, now, 'day-year')
  return (
    <Link href={paths.approvals(application)} className="font-medium text-accent hover:underline">
      {waiting.count === 1 ? t('overview.oneWaits') : t('overview.someWait', { count })}
      {oldest && ` ${t('overview.oldest', { time: formatTime(t, timeZone, oldest, isToday ? 'time' : 'day-time') })}`}
    </Link>
  )
}
