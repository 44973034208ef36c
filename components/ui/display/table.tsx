import type { ReactNode } from 'react'

/* biome-ignore-start lint/a11y/noRedundantRoles: as a list on a phone the elements are boxes, and browsers then forget that they are a table */

type TableProps = {
  caption: string
  isCaptionHidden?: boolean
  /** In a narrow TableCard each row is a few lines, and its cells have their labels: for tables of more than four columns. */
  isList?: boolean
  head: ReactNode
  children: ReactNode
}

/** A plain table (statements, totals). */
export function Table({ caption, isCaptionHidden = true, isList = false, head, children }: TableProps) {
  return (
    <table role="table" className={`w-full border-collapse text-left ${isList ? 'table-list' : ''}`}>
      <caption className={isCaptionHidden ? 'sr-only' : 'pb-2 text-left font-strong'}>{caption}</caption>
      <thead role="rowgroup">
        <tr role="row" className="border-b border-line">
          {head}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  )
}

type CellProps = { children?: ReactNode; align?: 'start' | 'end'; className?: string }

/** A head cell; `align="end"` for figures. */
export function Th({ children, align = 'start', className = '' }: CellProps) {
  return (
    <th
      role="columnheader"
      scope="col"
      className={`h-9 px-3 text-second font-medium text-quiet whitespace-nowrap ${align === 'end' ? 'text-right' : ''} ${className}`}
    >
      {children}
    </th>
  )
}

/** A cell; `align="end"` for figures. `label`: what a figure is, where the head of a list is not shown. */
export function Td({ children, align = 'start', label, className = '' }: CellProps & { label?: string }) {
  return (
    <td role="cell" className={`h-10 px-3 py-1.5 ${align === 'end' ? 'text-right tabular' : ''} ${className}`}>
      {label !== undefined && (
        <span aria-hidden="true" className="table-list-label">
          {label}{' '}
        </span>
      )}
      {children}
    </td>
  )
}

/** A row of 40 px with one line, with a rule below it. */
export function Tr({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <tr role="row" className={`border-b border-line last:border-b-0 ${className}`}>
      {children}
    </tr>
  )
}

/* biome-ignore-end lint/a11y/noRedundantRoles: see above */

type TableCardProps = {
  /** Names the content, for screen readers. */
  label: string
  /** Without a surface and a frame, inside a card that has them. */
  isBare?: boolean
  className?: string
  children: ReactNode
}

/** The surface around a plain table. If the table is wider it scrolls, also by keyboard, and the page stays still; on paper nothing scrolls. */
export function TableCard({ label, isBare = false, className = '', children }: TableCardProps) {
  return (
    // Positioned, so that visually hidden text does not widen the page.
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={`@container/card relative min-w-0 overflow-x-auto print:overflow-visible ${isBare ? '' : 'rounded-lg border border-line bg-surface print:border-0'} ${className}`}
    >
      {children}
    </section>
  )
}

export type Column<Row> = {
  head: string
  /** For actions: the head is read out only. */
  isHeadHidden?: boolean
  /** `end` for figures. */
  align?: 'start' | 'end'
  /** The cell says what it is where a phone shows rows as lines without their head. */
  isLabelled?: boolean | ((row: Row) => boolean)
  /** Classes of both, of the head only, and of the cells only. */
  className?: string
  headClass?: string
  cellClass?: string
  cell: (row: Row) => ReactNode
}

type ListTableProps<Row> = Omit<TableCardProps, 'children'> & {
  /** Left out: a column that this reader does not have. */
  columns: readonly (Column<Row> | false)[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  rowClass?: string | ((row: Row) => string)
  isList?: boolean
  /** The caption, if it is another than the label. */
  caption?: string
  /** Above and below the table, in its card. */
  above?: ReactNode
  below?: ReactNode
}

/** A plain table in its card: what a column shows of a row, its head and its place are one line. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, caption = label, columns, rows, keyOf, rowClass, isList, above, below, ...card } = props
  return (
    <TableCard label={label} {...card}>
      {above}
      <ColumnsTable caption={caption} columns={columns} rows={rows} keyOf={keyOf} rowClass={rowClass} isList={isList} />
      {below}
    </TableCard>
  )
}

type ColumnsTableProps<Row> = Pick<ListTableProps<Row>, 'columns' | 'rows' | 'keyOf' | 'rowClass' | 'isList'> & { caption: string }

/** The same without a card, for a table within something else. */
export function ColumnsTable<Row>({ caption, columns, rows, keyOf, rowClass = '', isList = false }: ColumnsTableProps<Row>) {
  const shown = columns.filter((column) => column !== false)
  const head = shown.map(({ head, isHeadHidden, align = 'start', className = '', headClass = '' }) => (
    <Th key={head} align={align} className={`${className} ${headClass}`}>
      {isHeadHidden ? <span className="sr-only">{head}</span> : head}
    </Th>
  ))
  return (
    <Table caption={caption} isList={isList} head={head}>
      {rows.map((row) => (
        <Tr key={keyOf(row)} className={typeof rowClass === 'string' ? rowClass : rowClass(row)}>
          {shown.map(({ head, isLabelled, align = 'start', className = '', cellClass = '', cell }) => (
            <Td
              key={head}
              align={align}
              className={`${className} ${cellClass}`}
              {...((typeof isLabelled === 'function' ? isLabelled(row) : isLabelled) ? { label: head } : {})}
            >
              {cell(row)}
            </Td>
          ))}
        </Tr>
      ))}
    </Table>
  )
}
