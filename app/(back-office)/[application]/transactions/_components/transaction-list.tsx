'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { ColumnChooser } from '#components/table/column-chooser.tsx'
import { DataTable } from '#components/table/data-table.tsx'
import { PaginationBar } from '#components/table/pagination-bar.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { useColumnSettings } from '#components/table/use-column-settings.ts'
import { Notice } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ColumnSettings } from '#lib/column-settings.ts'
import { formatAmount } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { isFiltered, type TransactionQuery, toAddressValues } from '#lib/transaction-query.ts'
import type { TransactionListDto, TransactionRow } from '#lib/transaction-row.ts'
import { COLUMNS, HIDDEN_AT_FIRST } from './columns.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { View } from './filter-types.ts'
import { EmptyList, Lead } from './list-header.tsx'
import { OpenRowContext } from './open-row.tsx'
import { useRowKeys } from './use-row-keys.ts'

const Selection = lazy(() => import('./selection.tsx'))
const TransactionPanel = lazy(() => import('./transaction-panel.tsx'))

const REFRESH_MS = 15_000
const SIZES = [25, 50, 100] as const
const COLUMN_IDS = COLUMNS.map((column) => column.id ?? '')

type TransactionListProps = {
  application: string
  query: TransactionQuery
  views: readonly View[]
  columns: ColumnSettings | undefined
  canExport: boolean
}

/** The list as its address asks for it, kept fresh; what is selected and which columns are shown stay with the person. */
export function TransactionList({ application, query, views, columns, canExport }: TransactionListProps) {
  const { t, locale } = useTranslations()
  const address = toAddressValues(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    queryKey: queryKeys.transactionList(application, address),
    queryFn: ({ signal }) => fetchData<TransactionListDto>(paths.data(application, 'transactions', address), signal),
    placeholderData: keepPreviousData,
    // Only the newest rows move; further back a page stays as it was.
    refetchInterval: query.page === 0 ? REFRESH_MS : false,
  })
  const [settings, setSettings] = useColumnSettings('transactions', COLUMN_IDS, columns, HIDDEN_AT_FIRST)
  const shown = settings.order.filter((id) => !settings.hidden.includes(id))
  const [selected, setSelected] = useState<ReadonlyMap<string, TransactionRow>>(new Map())
  const panel = usePanel(application)
  const rows = data?.rows ?? []
  const labelOf = (row: TransactionRow) =>
    `${row.customerName}, ${formatAmount(row.amount, locale)} ${row.currency}, ${t(`status.${row.status}`)}`
  function select(ids: readonly string[]) {
    const known = new Map([...selected, ...rows.map((row) => [row.transactionId, row] as const)])
    setSelected(new Map(ids.flatMap((id) => known.get(id) ?? []).map((row) => [row.transactionId, row])))
  }
  const currentId = useRowKeys({
    rows,
    idOf: (row) => row.transactionId,
    labelOf,
    onOpen: (row) => panel.open(row.transactionId),
    onSelect: ({ transactionId: id }) =>
      select(selected.has(id) ? [...selected.keys()].filter((each) => each !== id) : [...selected.keys(), id]),
  })
  const hrefFor = (change: Partial<TransactionQuery>) => paths.transactions(application, toAddressValues({ ...query, ...change }))
  const openRow = useMemo(
    () => ({ hrefOf: (id: string) => paths.transaction(application, id), open: panel.open }),
    [application, panel.open],
  )
  return (
    <OpenRowContext value={openRow}>
      <PageHeader
        title={t('transactions.title')}
        lead={data && <Lead data={data} sort={query.sort} />}
        actions={
          <>
            <ColumnChooser
              columns={COLUMNS.map(({ id = '', meta }) => ({ id, label: meta ? t(meta.label) : id, isFixed: id === 'customer' }))}
              settings={settings}
              onChange={setSettings}
            />
            {canExport && <ExportMenu application={application} address={address} total={data?.total ?? 0} columns={shown} />}
          </>
        }
      />
      <FilterBar application={application} query={query} views={views} />
      <div className="mt-2">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data && <SearchLimits data={data} />}
        <DataTable
          caption={t('transactions.title')}
          columns={COLUMNS}
          rows={rows}
          getRowId={(row) => row.transactionId}
          settings={settings}
          sort={
            query.sort.startsWith('amount')
              ? { key: 'amount', direction: query.sort === 'amount-asc' ? 'asc' : 'desc' }
              : { key: 'time', direction: query.sort === 'oldest' ? 'asc' : 'desc' }
          }
          sortHref={(key, direction) =>
            hrefFor({ page: 0, sort: key === 'amount' ? `amount-${direction}` : direction === 'asc' ? 'oldest' : 'newest' })
          }
          selection={Object.fromEntries([...selected.keys()].map((id) => [id, true]))}
          onSelectionChange={(selection) => select(Object.keys(selection).filter((id) => selection[id]))}
          rowLabel={labelOf}
          currentRowId={panel.openId ?? currentId}
          onRowOpen={(row) => panel.open(row.transactionId)}
          isRefreshing={isPlaceholderData}
          empty={data && <EmptyList application={application} query={query} isFiltered={isFiltered(query)} total={data.total} />}
        />
        {data && data.total > 0 && (
          <PaginationBar
            page={query.page}
            size={query.size}
            total={data.total}
            sizes={SIZES}
            hrefFor={(page, size) => hrefFor({ page, size })}
          />
        )}
      </div>
      <Suspense>
        {selected.size > 0 && (
          <Selection
            application={application}
            address={address}
            rows={[...selected.values()]}
            columns={shown}
            canExport={canExport}
            onClear={() => setSelected(new Map())}
          />
        )}
      </Suspense>
      <Suspense>
        {panel.openId && (
          <TransactionPanel key={panel.openId} application={application} transactionId={panel.openId} onClose={panel.close} />
        )}
      </Suspense>
    </OpenRowContext>
  )
}

/** What a search could not do, and what to do about it. */
function SearchLimits({ data }: { data: TransactionListDto }) {
  const { t } = useTranslations()
  if (data.searchedBackTo !== null) return <Notice tone="wait">{t('transactions.searchedBackTo', { day: data.searchedBackTo })}</Notice>
  if (!data.isSortedAsAsked) return <Notice tone="wait">{t('transactions.tooManyToSort')}</Notice>
  return null
}

/** The panel is in the address (`open`), so that a link shows it and Back closes it; the list beside it is not loaded again. */
function usePanel(application: string) {
  const pathname = usePathname()
  const parameters = useSearchParams()
  const openId = parameters.get('open')
  const [wasOpenedHere, setWasOpenedHere] = useState(false)
  const open = useCallback(
    (transactionId: string) => {
      const next = new URLSearchParams(location.search)
      next.set('open', transactionId)
      setWasOpenedHere(true)
      history.pushState(null, '', `${paths.transactions(application)}?${next}`)
    },
    [application],
  )
  function close() {
    if (wasOpenedHere) return history.back()
    const next = new URLSearchParams(location.search)
    next.delete('open')
    history.replaceState(null, '', next.size > 0 ? `${pathname}?${next}` : pathname)
  }
  return { openId, open, close }
}
