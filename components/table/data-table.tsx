'use client'

import { type ColumnDef, type RowData, type RowSelectionState, useTable } from '@tanstack/react-table'
import { type MouseEvent, type ReactNode, useMemo } from 'react'
import { Icon } from '#components/ui/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ColumnSettings } from '#lib/column-settings.ts'
import { type DataColumnMeta, type DataTableFeatures, dataTableFeatures } from './features.ts'
import { SelectBox } from './select-box.tsx'

type SortState = { key: string; direction: 'asc' | 'desc' }

type DataTableProps<Row extends RowData> = {
  /** The caption, for screen readers. */
  caption: string
  columns: readonly ColumnDef<DataTableFeatures, Row>[]
  rows: readonly Row[]
  getRowId: (row: Row) => string
  settings: ColumnSettings
  /** The current order and the address that sorts by a column, descending first. */
  sort?: SortState
  sortHref?: (key: string, direction: 'asc' | 'desc') => string
  selection?: RowSelectionState
  onSelectionChange?: (selection: RowSelectionState) => void
  /** The accessible name of a row's checkbox: "Amadou Ngassa, 1,250,000 XAF". */
  rowLabel?: (row: Row) => string
  /** The row that is open in the panel, or selected with the keyboard. */
  currentRowId?: string | null
  /** Called on a click anywhere on the row, except on its own controls. */
  onRowOpen?: (row: Row) => void
  /** Shown if there are no rows. */
  empty?: ReactNode
  isRefreshing?: boolean
}

const NARROW: Record<NonNullable<DataColumnMeta['narrow']>, string> = {
  lead: 'col-start-2 row-start-1',
  'lead-second': 'col-start-2 row-start-2 text-second text-quiet',
  end: 'col-start-3 row-start-1 text-right',
  'end-second': 'col-start-3 row-start-2 text-right text-second text-quiet',
  hidden: 'hidden',
}

/**
 * A table of rows that the server selected, sorted and paged. Two lines in a row of 56 px. In a narrow container the same rows
 * become a list of two lines: the semantics stay those of a table, whatever the layout.
 */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { caption, columns, rows, getRowId, settings, selection, onSelectionChange, empty, isRefreshing = false } = props
  const t = useT()
  const data = useMemo(() => [...rows], [rows])
  const definitions = useMemo(() => [...columns], [columns])
  const table = useTable({
    features: dataTableFeatures,
    columns: definitions,
    data,
    getRowId,
    manualSorting: true,
    enableRowSelection: selection !== undefined,
    state: {
      columnOrder: [...settings.order],
      columnVisibility: Object.fromEntries(settings.hidden.map((id) => [id, false])),
      rowSelection: selection ?? {},
    },
    onRowSelectionChange: (updater) => onSelectionChange?.(typeof updater === 'function' ? updater(selection ?? {}) : updater),
  })
  if (rows.length === 0 && empty) return empty
  return (
    <div className="@container/table">
      {/* biome-ignore-start lint/a11y/noRedundantRoles: the narrow layout is a grid, and browsers then forget that it is a table */}
      <div className="relative overflow-x-auto @max-[640px]/table:overflow-x-visible">
        <table
          id="list"
          tabIndex={-1}
          role="table"
          aria-busy={isRefreshing || undefined}
          className="w-full border-collapse text-left @max-[640px]/table:block"
        >
          <caption className="sr-only">{caption}</caption>
          <thead role="rowgroup" className="@max-[640px]/table:sr-only">
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} role="row" className="border-b border-line">
                {selection && (
                  <th role="columnheader" scope="col" className="w-9 pl-3 print:hidden">
                    <SelectBox
                      label={t('table.selectPage')}
                      isChecked={table.getIsAllRowsSelected()}
                      isMixed={table.getIsSomeRowsSelected()}
                      onClick={table.getToggleAllRowsSelectedHandler()}
                    />
                  </th>
                )}
                {group.headers.map((header) => (
                  <HeadCell key={header.id} meta={header.column.columnDef.meta} sort={props.sort} sortHref={props.sortHref} />
                ))}
              </tr>
            ))}
          </thead>
          <tbody role="rowgroup" className="@max-[640px]/table:block">
            {table.getRowModel().rows.map((row) => (
              <tr
                key={row.id}
                id={`row-${row.id}`}
                role="row"
                aria-selected={selection ? row.getIsSelected() : undefined}
                aria-current={row.id === props.currentRowId || undefined}
                onClick={(event) => {
                  if (props.onRowOpen && !isOnControl(event)) props.onRowOpen(row.original)
                }}
                className={`group border-b border-line @max-[640px]/table:grid @max-[640px]/table:grid-cols-[auto_minmax(0,1fr)_auto] @max-[640px]/table:gap-x-2 @max-[640px]/table:px-1 @max-[640px]/table:py-2.5 ${props.onRowOpen ? 'cursor-pointer hover:bg-sunken' : ''} aria-[current=true]:bg-accent-soft aria-[current=true]:shadow-[inset_3px_0_var(--accent)]`}
              >
                {selection && (
                  <td
                    role="cell"
                    className="w-9 pl-3 print:hidden @max-[640px]/table:col-start-1 @max-[640px]/table:row-span-2 @max-[640px]/table:row-start-1 @max-[640px]/table:w-7 @max-[640px]/table:pt-0.5 @max-[640px]/table:pl-1"
                  >
                    <SelectBox
                      label={t('table.selectRow', { name: props.rowLabel?.(row.original) ?? row.id })}
                      isChecked={row.getIsSelected()}
                      isDisabled={!row.getCanSelect()}
                      onClick={row.getToggleSelectedHandler()}
                    />
                  </td>
                )}
                {row.getVisibleCells().map((cell) => {
                  const meta = cell.column.columnDef.meta
                  return (
                    <td
                      key={cell.id}
                      role="cell"
                      className={`h-14 px-3 py-1.5 @max-[1100px]/table:px-2 @max-[640px]/table:h-auto @max-[640px]/table:p-0 ${meta?.align === 'end' ? 'text-right' : ''} ${narrowClass(meta?.narrow)} ${meta?.className ?? ''}`}
                    >
                      <table.FlexRender cell={cell} />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
    </div>
  )
}

/** Tailwind finds only complete class names, so each one is written out with its condition. */
function narrowClass(narrow: DataColumnMeta['narrow'] = 'hidden'): string {
  return NARROW[narrow]
    .split(' ')
    .map((name) => NARROW_CLASSES[name] ?? '')
    .join(' ')
}

const NARROW_CLASSES: Readonly<Record<string, string>> = {
  'col-start-2': '@max-[640px]/table:col-start-2',
  'col-start-3': '@max-[640px]/table:col-start-3',
  'row-start-1': '@max-[640px]/table:row-start-1',
  'row-start-2': '@max-[640px]/table:row-start-2',
  'text-right': '@max-[640px]/table:text-right',
  'text-second': '@max-[640px]/table:text-second',
  'text-quiet': '@max-[640px]/table:text-quiet',
  hidden: '@max-[640px]/table:hidden',
}

function HeadCell({
  meta,
  sort,
  sortHref,
}: {
  meta: DataColumnMeta | undefined
  sort: SortState | undefined
  sortHref: DataTableProps<RowData>['sortHref']
}) {
  const t = useT()
  const sortKey = meta?.sortKey
  const direction = sortKey && sort?.key === sortKey ? sort.direction : undefined
  const words = meta ? t(meta.label) : ''
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : undefined}
      className={`h-9 px-3 text-second font-medium @max-[1100px]/table:px-2 whitespace-nowrap text-quiet ${meta?.align === 'end' ? 'text-right' : ''} ${meta?.className ?? ''}`}
    >
      {sortKey && sortHref ? (
        <Link
          href={sortHref(sortKey, direction === 'desc' ? 'asc' : 'desc')}
          scroll={false}
          className="inline-flex items-center gap-1 hover:text-ink"
        >
          {words}
          {direction && <Icon name={direction === 'asc' ? 'arrow-up' : 'arrow-down'} className="size-3" />}
        </Link>
      ) : (
        words
      )}
    </th>
  )
}

/** Clicks on links, buttons and checkboxes inside a row do not open it, nor does the end of a text selection. */
function isOnControl(event: MouseEvent<HTMLElement>): boolean {
  const isText = (getSelection()?.toString() ?? '') !== ''
  return isText || (event.target instanceof Element && event.target.closest('a, button, input, label, select, [popover]') !== null)
}
