'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { DaysNote } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { EmptyState, Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { FilterChip } from '#components/ui/overlay/popover.tsx'
import { useT } from '#components/ui/translations.tsx'
import { PIVOT_DIMENSIONS, PIVOT_MEASURES, withoutRepeat } from '#lib/finance/pivot.ts'
import { type PivotQuery, pivotAddress } from '#lib/finance/pivot-address.ts'
import { paths, toQuery } from '#lib/pages/paths.ts'
import type { MonthlySending, SavedView } from '#lib/people/saved-views.ts'
import { REFRESH_MS, SUMMING_MS, useDays } from '../../../_components/finance/finance-figures.ts'
import { SaveViewButton, ViewMenu } from '../../../_components/views/view-menu.tsx'
import { CHIPS_ROW, Choice, TotalsFilters } from '../../_components/totals-filters.tsx'
import { TotalsTabs } from '../../_components/totals-tabs.tsx'
import { pivotQuery } from './pivot-query.ts'
import { PivotTables } from './pivot-tables.tsx'

type Props = {
  application: string
  query: PivotQuery
  views: readonly SavedView[]
  monthly: MonthlySending
  canExport: boolean
}

/** The totals as a table whose rows, columns and figure are in the address, kept fresh. */
export function PivotBoard({ application, query, views, monthly, canExport }: Props) {
  const t = useT()
  const days = useDays()
  const address = pivotAddress(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    ...pivotQuery(application, address),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.problem === 'fees_later' ? SUMMING_MS : REFRESH_MS),
  })
  const hrefOf = (change: Partial<PivotQuery>) => paths.pivot(application, pivotAddress(withChange(query, change)))
  return (
    <>
      <PageHeader
        title={t('frame.totals')}
        lead={
          data && (
            <>
              {days.range(data)} · <DaysNote zone={data.zone} />
              <span className="block">{t('totals.basisNote.created')}</span>
              <span className="block">{t(`pivot.note.${query.measure}`)}</span>
            </>
          )
        }
        actions={
          canExport &&
          data &&
          data.tables.length > 0 && (
            <ExportLinks application={application} rest="totals/pivot/export" query={address} label={t('totals.export')} />
          )
        }
      />
      <TotalsTabs application={application} current="pivot" query={query} />
      <PivotChips application={application} query={query} views={views} monthly={monthly} hrefOf={hrefOf} />
      <div className={`mt-3 grid grid-cols-1 gap-3 ${isPlaceholderData ? 'opacity-60' : ''}`} aria-busy={isPlaceholderData}>
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data?.problem && <Notice>{t(`pivot.problem.${data.problem}`)}</Notice>}
        {data && !data.problem && data.tables.length === 0 && <EmptyState icon="sum" title={t('totals.none')} />}
        {data && <PivotTables application={application} query={query} data={data} />}
      </div>
    </>
  )
}

/** The query with a change. Rows or columns that become those of the statuses show every status, not only the usual one. */
function withChange(query: PivotQuery, change: Partial<PivotQuery>): PivotQuery {
  const changed = withoutRepeat({ ...query, ...change })
  const isByStatus = change.rows === 'status' || change.columns === 'status'
  return isByStatus && changed.status === 'SUCCESS' ? { ...changed, status: 'ALL' } : changed
}

const BASE: PivotQuery = {
  dates: 'thisMonth',
  from: null,
  to: null,
  status: 'SUCCESS',
  type: null,
  operator: [],
  rows: 'operator',
  columns: null,
  measure: 'amount',
}

function PivotChips({
  application,
  query,
  views,
  monthly,
  hrefOf,
}: Omit<Props, 'canExport'> & {
  hrefOf: (change: Partial<PivotQuery>) => string
}) {
  const t = useT()
  const queryOf = (view: PivotQuery) => toQuery(pivotAddress(view)).replace(/^\?/, '')
  const list = { application, list: 'totals', query: queryOf(query), monthly } as const
  const usual = [
    { label: t('pivot.usual'), query: queryOf(BASE) },
    { label: t('pivot.monthly'), query: queryOf({ ...BASE, dates: 'thisYear', columns: 'month' }) },
    { label: t('pivot.statuses'), query: queryOf({ ...BASE, status: 'ALL', rows: 'day', columns: 'status', measure: 'count' }) },
    { label: t('pivot.fees'), query: queryOf({ ...BASE, dates: 'thisYear', columns: 'month', measure: 'fees' }) },
  ]
  return (
    <div className={CHIPS_ROW}>
      <ViewMenu {...list} path={paths.pivot(application)} usual={usual} views={views} />
      <FilterChip id="pivot-rows" name={t('pivot.rows')} value={t(`pivot.by.${query.rows}`)}>
        {PIVOT_DIMENSIONS.map((rows) => (
          <Choice
            key={rows}
            // The group of the columns becomes that of the rows, and the other way round.
            href={hrefOf(rows === query.columns ? { rows, columns: query.rows } : { rows })}
            isCurrent={rows === query.rows}
            label={t(`pivot.by.${rows}`)}
          />
        ))}
      </FilterChip>
      <FilterChip
        id="pivot-columns"
        name={t('pivot.columns')}
        value={query.columns ? t(`pivot.by.${query.columns}`) : t('pivot.noColumns')}
        isSet={query.columns !== null}
      >
        {[null, ...PIVOT_DIMENSIONS.filter((each) => each !== query.rows)].map((columns) => (
          <Choice
            key={columns}
            href={hrefOf({ columns })}
            isCurrent={columns === query.columns}
            label={columns ? t(`pivot.by.${columns}`) : t('pivot.noColumns')}
          />
        ))}
      </FilterChip>
      <FilterChip id="pivot-measure" name={t('pivot.measure')} value={t(`pivot.measure.${query.measure}`)}>
        {PIVOT_MEASURES.map((measure) => (
          <Choice key={measure} href={hrefOf({ measure })} isCurrent={measure === query.measure} label={t(`pivot.measure.${measure}`)} />
        ))}
      </FilterChip>
      <TotalsFilters query={query} hrefOf={hrefOf} isOfSuccess={query.measure === 'fees'} />
      <span className="ml-auto whitespace-nowrap">
        <SaveViewButton {...list} />
      </span>
    </div>
  )
}
