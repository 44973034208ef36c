import { columnsOf, type PivotChoice, type PivotDimension, type PivotDto } from '#lib/finance/pivot.ts'
import { groupWords } from '#lib/finance/pivot-words.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { PivotFilter } from '#lib/schemas/page-address.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import type { TableCell, TableRows } from '../export/csv.ts'

/** The choices for a table that is taken out, as the audit record keeps it. */
export function pivotDetails({ zone, from, to }: PivotDto, choice: PivotFilter): AuditDetails {
  return {
    timeZone: zone,
    from,
    to,
    status: choice.status,
    type: choice.type,
    operators: choice.operator,
    rows: choice.rows,
    columns: choice.columns,
    measure: choice.measure,
  }
}

/** Returns the tables of a pivot as one table of a file, one below the other, with its first line. */
export function toPivotFile(
  t: Translate,
  { tables, zone }: PivotDto,
  { rows, columns, measure }: PivotChoice,
): { heads: string[]; rows: TableRows } {
  const every = columnsOf(tables, columns)
  const headOf = (dimension: PivotDimension) => `${t(`pivot.by.${dimension}`)}${isTime(dimension) ? ` (${zone})` : ''}`
  const rowCell = cellOf(t, rows)
  const columnHead = columns === null ? null : isTime(columns) ? (group: string) => group : groupWords(t, columns)
  const directionCell = cellOf(t, 'direction')
  async function* lines(): TableRows {
    for (const { currency, direction, ...table } of tables) {
      const lead = (cell: TableCell): TableCell[] => [{ text: currency ?? '' }, direction ? directionCell(direction) : { text: '' }, cell]
      const figures = (cells: readonly (string | null)[], total: string | null) => [
        ...every.map((column) => figureCell(cells[table.columns.indexOf(column)] ?? null)),
        figureCell(total),
      ]
      yield table.rows.map((row, at) => [...lead(rowCell(row)), ...figures(table.cells[at] ?? [], table.rowTotals[at] ?? null)])
      if (table.rows.length > 1) yield [[...lead({ text: t('pivot.total') }), ...figures(table.columnTotals, table.total)]]
    }
  }
  return {
    heads: [
      t('pivot.by.currency'),
      t('pivot.by.direction'),
      headOf(rows),
      ...every.map((column) => columnHead?.(column) ?? column),
      columns === null ? t(`pivot.measure.${measure}`) : t('pivot.total'),
    ],
    rows: lines(),
  }
}

function isTime(dimension: PivotDimension): boolean {
  return dimension === 'day' || dimension === 'month'
}

/** Days and months as programs write them, so that they can be sorted; everything else in words. */
function cellOf(t: Translate, dimension: PivotDimension): (group: string) => TableCell {
  if (dimension === 'day') return (day) => ({ day })
  const words = dimension === 'month' ? (month: string) => month : groupWords(t, dimension)
  return (group) => ({ text: words(group) })
}

function figureCell(figure: string | null): TableCell {
  return figure === null ? { text: '' } : { decimal: figure }
}
