'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { DaysNote } from '#components/domain/days-note.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { OverviewDto } from '#lib/finance-dto.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { AdministratorPart } from './administrator-part.tsx'
import { CheckerPart } from './checker-part.tsx'
import { FinancePart } from './finance-part.tsx'
import { MakerPart } from './maker-part.tsx'

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000

/** The first page after sign-in: a part for each role of the person, each with one main figure. Every figure links to its list. */
export function OverviewBoard({ application, days }: { application: string; days: number }) {
  const { t } = useTranslations()
  const { data, isError, refetch } = useQuery({
    queryKey: queryKeys.overview(application, days),
    queryFn: ({ signal }) => fetchData<OverviewDto>(paths.data(application, 'overview', { days }), signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const place = { application, days }
  return (
    <>
      <PageHeader title={t('frame.overview')} lead={data && <DaysNote zone={data.zone} />} />
      <div className="mt-3">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
      </div>
      {data && (
        <div className="mt-4 grid grid-cols-1 gap-8">
          {data.checker && <CheckerPart application={application} waiting={data.checker} />}
          {data.finance && <FinancePart {...place} range={data} finance={data.finance} />}
          {data.maker && <MakerPart application={application} own={data.maker} />}
          {data.administrator && <AdministratorPart {...place} range={data} health={data.administrator} hasDays={data.finance === null} />}
        </div>
      )}
    </>
  )
}
