import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { PivotDto, PivotTable } from '#lib/finance/pivot.ts'
import { listBehindPivot, type PivotPlace, type PivotQuery } from '#lib/finance/pivot-address.ts'
import { apartWords, groupWords } from '#lib/finance/pivot-words.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatAmount } from '#lib/text/format.ts'
import { FigureLink } from '../../../_components/finance/figure-link.tsx'

type Props = { application: string; query: PivotQuery; data: PivotDto }

/** The tables of a choice, one below the other. Every figure opens the list that adds up to it. */
export function PivotTables({ application, query, data }: Props) {
  return data.tables.map((table) => (
    <OneTable key={`${table.currency} ${table.direction}`} application={application} query={query} data={data} table={table} />
  ))
}

/** A line of a table; `row`: null for the totals of the columns. */
type Line = { row: string | null; cells: readonly (string | null)[]; total: string | null }

function OneTable({ application, query, data, table }: Props & { table: PivotTable }) {
  const { t, locale } = useTranslations()
  const { rows, columns, measure } = query
  const apart: PivotPlace = {
    ...(table.currency && { currency: table.currency }),
    ...(table.direction && { direction: table.direction }),
  }
  const rowWords = groupWords(t, rows)
  const columnWords = columns === null ? null : groupWords(t, columns)
  const lines: Line[] = table.rows.map((row, at) => ({ row, cells: table.cells[at] ?? [], total: table.rowTotals[at] ?? null }))
  const hasColumnTotals = table.total !== null || table.columnTotals.some((total) => total !== null)
  if (hasColumnTotals && table.rows.length > 1) lines.push({ row: null, cells: table.columnTotals, total: table.total })
  const hasRowTotals = table.columns.length !== 1 && lines.some((line) => line.total !== null)
  const figure = (text: string | null, place: PivotPlace, none: string) => (
    <FigureLink
      href={paths.transactions(application, listBehindPivot(query, data, { ...apart, ...place }))}
      text={text === null ? null : formatAmount(text, locale)}
      zero={none}
    />
  )
  const placeOf = ({ row }: Line): PivotPlace => (row === null ? {} : { [rows]: row })
  const measureWord = t(`pivot.measure.${measure}`)
  const name = apartWords(t, table)
  return (
    <ListTable
      label={[measureWord, name].filter(Boolean).join(', ')}
      rows={lines}
      keyOf={({ row }) => row ?? ''}
      rowClass={({ row }) => (row === null ? 'font-strong' : '')}
      above={name !== '' && <h2 className="px-3 pt-3">{name}</h2>}
      columns={[
        {
          head: t(`pivot.by.${rows}`),
          className: 'sticky left-0 bg-surface',
          cellClass: 'whitespace-nowrap max-sm:whitespace-normal',
          cell: ({ row }) => (row === null ? t('pivot.total') : rowWords(row)),
        },
        ...table.columns.map(
          (column, at): Column<Line> => ({
            head: columnWords?.(column) ?? column,
            align: 'end',
            cell: (line) => figure(line.cells[at] ?? null, { ...placeOf(line), ...(columns && { [columns]: column }) }, '–'),
          }),
        ),
        (columns === null || hasRowTotals) && {
          head: columns === null ? measureWord : t('pivot.total'),
          align: 'end',
          cellClass: columns === null ? '' : 'font-strong',
          cell: (line) => (line.total === null ? <Apart /> : figure(line.total, placeOf(line), '–')),
        },
      ]}
    />
  )
}

/** In place of a total that would add up different currencies, or both directions. */
function Apart() {
  const { t } = useTranslations()
  return (
    <span className="text-quiet" title={t('pivot.apart')}>
      –<span className="sr-only"> {t('pivot.apart')}</span>
    </span>
  )
}
