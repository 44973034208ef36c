import { type ColumnDef, type RowData, useTable } from '@tanstack/react-table'
import { Fragment, type MouseEvent, type ReactNode, useMemo, useRef } from 'react'
import { Icon } from '#components/ui/display/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { type ColumnSettings, type RowSelection, togglePage, toggleRow } from '#lib/pages/table-state.ts'
import { ScrollFrame } from './scroll-frame.tsx'
import { type DataColumnMeta, type DataTableFeatures, dataTableFeatures } from './table-state.ts'

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
  selection?: RowSelection
  onSelectionChange?: (selection: RowSelection) => void
  /** The accessible name of a row's checkbox: "Amadou Ngassa, 1,250,000 XAF". */
  rowLabel?: (row: Row) => string
  /** The row that is open in the panel, or selected with the keyboard. */
  currentRowId?: string | null
  /** Called on a click anywhere on the row, except on its own controls. */
  onRowOpen?: (row: Row) => void
  /** The address of a row: with Ctrl or the middle button, a click on the row opens it in a new tab. */
  rowHref?: (row: Row) => string
  /** The heading above the first of consecutive rows that have it in common: the day. */
  groupOf?: (row: Row) => string
  /** Shown if there are no rows. */
  empty?: ReactNode
  isRefreshing?: boolean
}

/** The width of the column of checkboxes. */
const SELECT_WIDTH = 36

/**
 * A table of rows that the server selected, sorted and paged. Two lines in a row of 56 px. In a narrow container the same rows
 * become a list of two lines: the semantics stay those of a table, regardless of the layout.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the markup of one table: head, rows and their cells
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { caption, columns, rows, getRowId, settings, selection, onSelectionChange, empty, isRefreshing = false } = props
  const t = useT()
  const data = useMemo(() => [...rows], [rows])
  const definitions = useMemo(() => shownColumns(columns, settings), [columns, settings])
  const lastClicked = useRef<string | null>(null)
  const table = useTable({ features: dataTableFeatures, columns: definitions, data, getRowId })
  if (rows.length === 0 && empty) return empty
  const widths = definitions.map((column) => column.meta?.width)
  const pageIds = rows.map(getRowId)
  const minWidth = widths.reduce<number | undefined>(
    (sum, width) => (sum === undefined || width === undefined ? undefined : sum + width),
    selection ? SELECT_WIDTH : 0,
  )
  return (
    <div className="@container/table">
      {/* biome-ignore-start lint/a11y/noRedundantRoles: the narrow layout is a grid, and browsers then forget that it is a table */}
      <ScrollFrame minWidth={minWidth}>
        <table
          id="list"
          tabIndex={-1}
          role="table"
          aria-busy={isRefreshing || undefined}
          className={`w-full border-collapse text-left aria-busy:opacity-60 narrow:block ${minWidth === undefined ? '' : 'table-fixed'}`}
        >
          <caption className="sr-only">{caption}</caption>
          {minWidth !== undefined && (
            <colgroup className="narrow:hidden">
              {selection && <col width={SELECT_WIDTH} />}
              {definitions.map((column) => (
                <col key={column.id} width={column.meta?.width} />
              ))}
            </colgroup>
          )}
          <thead role="rowgroup" className="narrow:sr-only">
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} role="row">
                {selection && (
                  <th role="columnheader" scope="col" className="table-head w-9 pl-3 print:hidden">
                    <SelectBox
                      label={t('table.selectPage')}
                      isChecked={pageIds.every((id) => selection[id])}
                      isMixed={pageIds.some((id) => selection[id])}
                      onClick={() => {
                        lastClicked.current = null
                        onSelectionChange?.(togglePage(selection, pageIds))
                      }}
                    />
                  </th>
                )}
                {group.headers.map((header) => (
                  <HeadCell key={header.id} meta={header.column.columnDef.meta} sort={props.sort} sortHref={props.sortHref} />
                ))}
              </tr>
            ))}
          </thead>
          <tbody role="rowgroup" className="narrow:block">
            {table.getRowModel().rows.map((row, place, all) => {
              const group = props.groupOf?.(row.original)
              const before = all[place - 1]
              const isFirst = group !== undefined && (before === undefined || props.groupOf?.(before.original) !== group)
              return (
                <Fragment key={row.id}>
                  {isFirst && (
                    <tr role="row" className="table-day">
                      <td role="cell" colSpan={widths.length + (selection ? 1 : 0)} className="table-day-text">
                        {group}
                      </td>
                    </tr>
                  )}
                  <tr
                    id={`row-${row.id}`}
                    role="row"
                    aria-selected={selection && selection[row.id] === true}
                    aria-current={row.id === props.currentRowId || undefined}
                    onClick={(event) => {
                      if (isOnControl(event)) return
                      if (props.rowHref && (event.ctrlKey || event.metaKey)) open(props.rowHref(row.original), '_blank', 'noopener')
                      else props.onRowOpen?.(row.original)
                    }}
                    onAuxClick={(event) => {
                      if (event.button === 1 && props.rowHref && !isOnControl(event))
                        open(props.rowHref(row.original), '_blank', 'noopener')
                    }}
                    className={`group table-row-line ${props.onRowOpen ? 'cursor-pointer hover:bg-sunken' : ''} aria-[current=true]:bg-accent-soft`}
                  >
                    {selection && (
                      <td role="cell" className="table-select">
                        <SelectBox
                          label={t('table.selectRow', { name: props.rowLabel?.(row.original) ?? row.id })}
                          isChecked={selection[row.id] === true}
                          onClick={(event) => {
                            onSelectionChange?.(toggleRow(selection, pageIds, row.id, event.shiftKey ? lastClicked.current : null))
                            lastClicked.current = row.id
                          }}
                        />
                      </td>
                    )}
                    {row.getAllCells().map((cell) => {
                      const meta = cell.column.columnDef.meta
                      return (
                        <td
                          key={cell.id}
                          role="cell"
                          className={`table-cell-box ${meta?.align === 'end' ? 'text-right' : ''} narrow-${meta?.narrow ?? 'hidden'} ${meta?.className ?? ''}`}
                        >
                          <table.FlexRender cell={cell} />
                        </td>
                      )
                    })}
                  </tr>
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </ScrollFrame>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
    </div>
  )
}

/** The columns that are shown, in their order. */
function shownColumns<Row extends RowData>(columns: readonly ColumnDef<DataTableFeatures, Row>[], { order, hidden }: ColumnSettings) {
  const byId = new Map(columns.map((column) => [column.id, column]))
  return order.flatMap((id) => (hidden.includes(id) ? [] : (byId.get(id) ?? [])))
}

/** Clicks on links, buttons and checkboxes inside a row do not open it, nor does the end of a text selection. */
function isOnControl(event: MouseEvent<HTMLElement>): boolean {
  const isText = (getSelection()?.toString() ?? '') !== ''
  return isText || (event.target instanceof Element && event.target.closest('a, button, input, label, select, [popover]') !== null)
}

type SortState = { key: string; direction: 'asc' | 'desc' }

/** The heading of a column, with a link where the server can sort by it. */
function HeadCell({
  meta,
  sort,
  sortHref,
}: {
  meta: DataColumnMeta | undefined
  sort: SortState | undefined
  sortHref: ((key: string, direction: 'asc' | 'desc') => string) | undefined
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
      className={`table-head table-head-text ${meta?.align === 'end' ? 'text-right' : ''} ${meta?.className ?? ''}`}
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

type SelectBoxProps = {
  label: string
  isChecked: boolean
  isMixed?: boolean
  onClick: (event: MouseEvent<HTMLInputElement>) => void
}

/** The checkbox of a row or of the page. Handles the click event, because Shift selects a range. */
function SelectBox({ label, isChecked, isMixed = false, onClick }: SelectBoxProps) {
  return (
    <label className="inline-flex size-6 cursor-pointer items-center justify-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        onClick={onClick}
        // The click handler does the work; React requires onChange for a controlled checkbox.
        onChange={() => undefined}
        ref={(box) => {
          if (box) box.indeterminate = isMixed && !isChecked
        }}
        className="size-[15px] cursor-pointer rounded-[4px] accent-accent"
      />
    </label>
  )
}
