'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AvailabilityNote } from '#components/domain/availability-note.tsx'
import { DaysNote } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { queries } from '#lib/pages/queries.ts'
import { refreshInterval } from '../finance/finance-figures.ts'

/** Rendered on the server; each person's browser loads the code of their own roles only, after the page. */
const CHECKER = definePart(async () => ({ default: (await import('./checker-part.tsx')).CheckerPart }))
const FINANCE = definePart(async () => ({ default: (await import('./finance-part.tsx')).FinancePart }))
const MAKER = definePart(async () => ({ default: (await import('./maker-part.tsx')).MakerPart }))
const ADMINISTRATOR = definePart(async () => ({ default: (await import('./administrator-part.tsx')).AdministratorPart }))

/** The first page after sign-in: a part for each role of the person, each with one main figure. Every figure links to its list. */
export function OverviewBoard({ application, days }: { application: string; days: number }) {
  const { t } = useTranslations()
  const { data, isError, refetch } = useQuery({
    ...queries.overview(application, days),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshInterval(state.data?.finance?.money),
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
          <Operators disturbed={data.disturbed} />
          {data.checker && <LazyPart part={CHECKER} props={{ application, waiting: data.checker }} />}
          {data.finance && <LazyPart part={FINANCE} props={{ ...place, range: data, finance: data.finance }} />}
          {data.maker && <LazyPart part={MAKER} props={{ application, own: data.maker }} />}
          {data.administrator && (
            <LazyPart part={ADMINISTRATOR} props={{ ...place, range: data, health: data.administrator, hasDays: data.finance === null }} />
          )}
        </div>
      )}
    </>
  )
}

/** Whether the operators work, for everybody: it explains what takes longer today. */
function Operators({ disturbed }: { disturbed: readonly DisturbedDirection[] }) {
  const { t } = useTranslations()
  return (
    <section aria-label={t('availability.title')} className="grid gap-2">
      {disturbed.length === 0 ? (
        <p className="text-quiet">{t('availability.allWork')}</p>
      ) : (
        disturbed.map((direction) => <AvailabilityNote key={`${direction.operator} ${direction.type}`} direction={direction} />)
      )}
    </section>
  )
}
