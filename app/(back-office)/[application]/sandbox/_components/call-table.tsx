'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { TimeText } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { type ApiCallDto, CALLS_PAGE_SIZE } from '#lib/partner/partner-requests.ts'

type Props = {
  application: string
  /** The filter as in the address. */
  query: QueryValues
  /** From 0. */
  page: number
  /** With the links to the pages before and after. */
  hasPages?: boolean
}

/** The calls of the partner's program that match a filter. Live updates refresh them as they refresh the transactions. */
export function CallTable({ application, query, page, hasPages = false }: Props) {
  const t = useT()
  const { data, isError, refetch } = useQuery({ ...queries.apiCalls(application, query), placeholderData: keepPreviousData })
  if (!data) return null
  const isFiltered = Object.entries(query).some(([name, value]) => name !== 'page' && value !== null && value !== '')
  return (
    <>
      <div className="mt-3">
        <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      </div>
      {data.rows.length === 0 ? (
        <p className="mt-3 text-quiet">{t(isFiltered || page > 0 ? 'calls.noMatch' : 'calls.none')}</p>
      ) : (
        <ListTable
          label={t('calls.title')}
          columns={columnsOf(t, application)}
          rows={data.rows}
          keyOf={({ requestId }) => requestId}
          isList
          className="mt-3"
        />
      )}
      {hasPages && <Pages application={application} query={query} page={page} total={data.total} />}
    </>
  )
}

function columnsOf(t: Translate, application: string): Column<ApiCallDto>[] {
  return [
    {
      head: t('calls.call'),
      className: '@max-[560px]/card:basis-full',
      cellClass: 'min-w-56 @max-[560px]/card:min-w-0',
      cell: ({ requestId, method, path, cause, message }) => (
        <>
          <Link href={paths.call(application, requestId)} className="font-medium wrap-anywhere text-accent underline">
            {method} {path}
          </Link>
          {(cause ?? message) !== null && (
            <span lang={cause ? undefined : 'en'} className="line-clamp-2 text-second wrap-anywhere text-ink-2">
              {cause ? t(`credentials.cause.${cause}`) : message}
            </span>
          )}
        </>
      ),
    },
    { head: t('calls.status'), cell: ({ status }) => <Badge tone={status < 400 ? 'ok' : 'bad'}>{status}</Badge> },
    { head: t('calls.at'), cell: ({ at }) => <TimeText at={at} style="full" /> },
    { head: t('calls.duration'), align: 'end', isLabelled: true, cell: ({ durationMs }) => t('calls.ms', { count: durationMs }) },
    {
      head: t('calls.key'),
      isLabelled: ({ keyPrefix }) => keyPrefix !== null,
      cell: ({ keyPrefix }) => keyPrefix !== null && <span className="whitespace-nowrap">{keyPrefix}…</span>,
    },
    { head: t('calls.from'), isLabelled: true, cell: ({ address }) => address },
  ]
}

function Pages({ application, query, page, total }: Pick<Props, 'application' | 'query' | 'page'> & { total: number }) {
  const t = useT()
  const hasMore = (page + 1) * CALLS_PAGE_SIZE < total
  if (page === 0 && !hasMore) return null
  const hrefOf = (number: number) => paths.calls(application, { ...query, page: number === 0 ? null : number + 1 })
  return (
    <nav aria-label={t('calls.pages')} className="no-print mt-3 flex items-center gap-3">
      {page > 0 && <ButtonLink href={hrefOf(page - 1)}>{t('calls.newer')}</ButtonLink>}
      {hasMore && <ButtonLink href={hrefOf(page + 1)}>{t('calls.older')}</ButtonLink>}
      <span className="text-quiet tabular">{t('calls.total', { count: total })}</span>
    </nav>
  )
}
