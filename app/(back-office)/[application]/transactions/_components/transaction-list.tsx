'use client'

import { useRowKeys } from '#components/frame/use-row-keys.ts'
import { DataTable } from '#components/table/data-table.tsx'
import { NewRows, RefreshNotice } from '#components/table/refresh-notice.tsx'
import { useColumnSettings } from '#components/table/table-state.ts'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { paths, toQuery } from '#lib/pages/paths.ts'
import type { ColumnSettings } from '#lib/pages/table-state.ts'
import {
  isFiltered,
  type TransactionListDto,
  type TransactionQuery,
  type TransactionRow,
  toAddressValues,
} from '#lib/payments/transactions/transaction-list.ts'
import type { SavedView } from '#lib/people/saved-views.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { COLUMNS, HIDDEN_AT_FIRST, OpenRowContext } from './columns.tsx'
import { EmptyList, Lead } from './list-header.tsx'
import { ListPanel, SELECTION } from './list-panel.tsx'
import { type Person, useList, usePanel, useSelection } from './use-transaction-list.ts'

/** Rendered on the server; links and popovers work before their scripts have arrived. */
const FILTERS = definePart(() => import('./filters/filter-bar.tsx'))
const COLUMN_CHOOSER = definePart(async () => ({ default: (await import('#components/table/column-chooser.tsx')).ColumnChooser }))
const EXPORT_MENU = definePart(async () => ({ default: (await import('./export-menu.tsx')).ExportMenu }))
const PAGES = definePart(async () => ({ default: (await import('#components/table/pagination-bar.tsx')).PaginationBar }))

const SIZES = [25, 50, 100] as const
const COLUMN_IDS = COLUMNS.map((column) => column.id ?? '')

type Props = {
  application: string
  query: TransactionQuery
  views: readonly SavedView[]
  makers: readonly Person[]
  columns: ColumnSettings | undefined
  may: { export: boolean; resend: boolean; create: boolean }
}

/** The list of its address, kept fresh; what is selected and which columns are shown stay with the person. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of one list and the markup that shows it
export function TransactionList({ application, query, views, makers, columns, may }: Props) {
  const { t, locale, timeZone, businessZone } = useTranslations()
  const { rows, heldBack, showNew, address, data, isFailed, isPlaceholderData, retry } = useList(application, query)
  const [settings, setSettings] = useColumnSettings('transactions', COLUMN_IDS, columns, HIDDEN_AT_FIRST)
  const columnsShown = query.fees === null ? settings : withFees(settings)
  const shown = columnsShown.order.filter((id) => !columnsShown.hidden.includes(id))
  const { selected, select, toggle, clear } = useSelection(rows)
  const panel = usePanel()
  const labelOf = (row: TransactionRow) =>
    `${row.customerName}, ${formatAmount(row.amount, locale)} ${row.currency}, ${t(`status.${row.status}`)}`
  const keys = useRowKeys({
    rows,
    idOf,
    labelOf,
    openId: panel.openId,
    onOpen: (row) => panel.open(row.transactionId),
    onClose: panel.close,
    onKey: (key, row) => key === 'x' && toggle(row),
  })
  const hrefFor = (change: Partial<TransactionQuery>) => paths.transactions(application, toAddressValues({ ...query, ...change }))
  const list = toQuery(address).slice(1)
  const hrefOf = (id: string) => paths.transaction(application, id, { list })
  const isByTime = !query.sort.startsWith('amount')
  return (
    <OpenRowContext value={{ hrefOf, open: panel.open, isByDay: isByTime && timeZone === businessZone }}>
      <PageHeader
        title={t('transactions.title')}
        lead={data && <Lead data={data} query={query} />}
        actions={
          <>
            <LazyPart
              part={COLUMN_CHOOSER}
              props={{
                columns: COLUMNS.map(({ id = '', meta }) => ({ id, label: meta ? t(meta.label) : id, isFixed: id === 'customerName' })),
                settings,
                onChange: setSettings,
              }}
              fallback={<span className="h-[30px] w-24" />}
            />
            {may.export && <LazyPart part={EXPORT_MENU} props={{ application, address, total: data?.total ?? 0, columns: shown }} />}
          </>
        }
      />
      <LazyPart
        part={FILTERS}
        props={{ application, query, views, makers }}
        fallback={<div className="mt-3 h-[38px] sm:h-[68px] xl:h-[30px]" />}
      />
      <div className="relative mt-2 transition-opacity duration-100 peer-aria-busy:opacity-60 [&_tr:focus-visible]:-outline-offset-2 [&_tr]:scroll-mt-12 [&_tr]:scroll-mb-28">
        <RefreshNotice isFailed={isFailed} onRetry={retry} />
        {data && <SearchLimits data={data} />}
        <div className="relative">
          <NewRows count={heldBack} onShow={showNew} />
          <DataTable
            caption={t('transactions.title')}
            columns={COLUMNS}
            rows={rows}
            getRowId={idOf}
            settings={columnsShown}
            sort={
              isByTime
                ? { key: 'time', direction: query.sort === 'oldest' ? 'asc' : 'desc' }
                : { key: 'amount', direction: query.sort === 'amount-asc' ? 'asc' : 'desc' }
            }
            sortHref={(key, direction) =>
              hrefFor({ page: 0, sort: key === 'amount' ? `amount-${direction}` : direction === 'asc' ? 'oldest' : 'newest' })
            }
            selection={Object.fromEntries([...selected.keys()].map((id) => [id, true]))}
            onSelectionChange={(selection) => select(Object.keys(selection).filter((id) => selection[id]))}
            rowLabel={labelOf}
            currentRowId={keys.currentId}
            onRowOpen={(row) => panel.open(row.transactionId)}
            rowHref={(row) => hrefOf(row.transactionId)}
            {...(isByTime ? { groupOf: (row: TransactionRow) => formatTime(t, businessZone, new Date(row.createdAt), 'day-year') } : {})}
            isRefreshing={isPlaceholderData}
            empty={data && <EmptyList application={application} query={query} isFiltered={isFiltered(query)} total={data.total} />}
          />
        </div>
        {data && data.total > 0 && (
          <LazyPart
            part={PAGES}
            props={{
              page: query.page,
              size: query.size,
              total: data.total,
              sizes: SIZES,
              hrefFor: (page: number, size: number) => hrefFor({ page, size }),
            }}
          />
        )}
      </div>
      {selected.size > 0 && (
        <LazyPart
          part={SELECTION}
          props={{ application, address, rows: [...selected.values()], columns: shown, canExport: may.export, onClear: clear }}
        />
      )}
      <ListPanel
        application={application}
        transactionId={panel.openId}
        href={hrefOf(panel.openId ?? '')}
        position={{ index: keys.index, total: rows.length }}
        canResend={may.resend}
        canCreate={may.create}
        onMove={(by) => keys.move(by, 'nothing')}
        onClose={keys.close}
      />
    </OpenRowContext>
  )
}

/** The fees beside the amount, for a list that was opened to see them. */
function withFees({ order, hidden }: ColumnSettings): ColumnSettings {
  return {
    order: order.filter((id) => id !== 'fees').flatMap((id) => (id === 'amount' ? [id, 'fees'] : [id])),
    hidden: hidden.filter((id) => id !== 'fees'),
  }
}

function idOf(row: TransactionRow): string {
  return row.transactionId
}

/** The limits of a search and how to work around them. */
function SearchLimits({ data }: { data: TransactionListDto }) {
  const { t } = useTranslations()
  if (data.searchedBackTo !== null) return <Notice tone="wait">{t('transactions.searchedBackTo', { day: data.searchedBackTo })}</Notice>
  if (!data.isSortedAsAsked) return <Notice tone="wait">{t('transactions.tooManyToSort')}</Notice>
  return null
}
