'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { type UnconfirmedPage, type UnconfirmedQuery, unconfirmedAddress } from '#lib/finance/unconfirmed.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import { SynchroniseReport, useSynchroniseRun } from '../../_components/synchronise-run.tsx'
import { DeskFilters } from './desk-filters.tsx'
import { type DeskProps, isAskable } from './desk-props.ts'
import { DeskRows } from './desk-rows.tsx'
import { unconfirmedQuery } from './unconfirmed-query.ts'

const PAGES = definePart(async () => ({ default: (await import('#components/table/pagination-bar.tsx')).PaginationBar }))
const REFRESH_MS = 15_000

/** The payments whose outcome is unknown, as the address names them, kept fresh. */
export function UnconfirmedDesk(props: DeskProps) {
  const { application, query, may } = props
  const { t } = useTranslations()
  const address = unconfirmedAddress(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    ...unconfirmedQuery(application, address),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const synchronised = useSynchroniseRun(application)
  const askable = data?.rows.filter(isAskable) ?? []
  const hrefFor = (change: Partial<UnconfirmedQuery>) => paths.unconfirmed(application, unconfirmedAddress({ ...query, ...change }))
  return (
    <>
      <PageHeader
        title={t('overview.unconfirmed')}
        lead={data && t('unconfirmed.lead', { count: data.total })}
        actions={
          <>
            {askable.length > 0 && (
              <Button onClick={() => void synchronised.start(askable)}>{t('unconfirmed.askAll', { count: askable.length })}</Button>
            )}
            {may.export && data && data.total > 0 && (
              <ExportLinks application={application} rest="transactions/unconfirmed/export" query={address} label={t('totals.export')} />
            )}
          </>
        }
      />
      {data && <Sums sums={data.sums} hrefFor={hrefFor} />}
      <DeskFilters {...props} />
      <div className="relative mt-3" aria-busy={isPlaceholderData}>
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data && data.rows.length === 0 && <EmptyState icon="check" title={t('unconfirmed.none')} text={t('unconfirmed.noneText')} />}
        {data && data.rows.length > 0 && <DeskRows {...props} rows={data.rows} isRefreshing={isPlaceholderData} />}
        {data && data.total > data.size && (
          <LazyPart
            part={PAGES}
            props={{
              page: query.page,
              size: data.size,
              total: data.total,
              sizes: [data.size],
              hrefFor: (page: number) => hrefFor({ page }),
            }}
          />
        )}
      </div>
      {synchronised.lines && <SynchroniseReport lines={synchronised.lines} onClose={synchronised.stop} />}
    </>
  )
}

type SumsProps = { sums: UnconfirmedPage['sums']; hrefFor: (change: Partial<UnconfirmedQuery>) => string }

/** How much is open at each operator, by direction. Each figure opens its rows. */
function Sums({ sums, hrefFor }: SumsProps) {
  const t = useT()
  const { locale } = useTranslations()
  if (sums.length === 0) return null
  return (
    <ul aria-label={t('unconfirmed.sums')} className="mt-4 grid grid-cols-[repeat(auto-fill,minmax(240px,1fr))] gap-2">
      {sums.map(({ operator, type, currency, count, amount }) => (
        <li key={`${operator} ${type} ${currency}`} className="rounded-lg border border-line bg-surface">
          <Link href={hrefFor({ operator, type, page: 0 })} className="grid gap-0.5 px-3 py-2 hover:underline">
            <span className="flex flex-wrap justify-between gap-x-3">
              <OperatorMark code={operator} />
              <span className="text-second text-quiet">{t(`type.${type}`)}</span>
            </span>
            <span className="flex flex-wrap justify-between gap-x-3 tabular">
              <Money amount={amount} currency={currency} size="amount" />
              <span className="self-center">
                {formatCount(count, locale)}
                <span className="sr-only"> {t('unconfirmed.counted', { count })}</span>
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
