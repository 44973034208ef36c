import { createColumnHelper, metaHelper, type RowData, tableFeatures } from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { type ColumnSettings, columnCookieName, fitColumnSettings, steadyRows, writeColumnSettings } from '#lib/pages/table-state.ts'

export type DataColumnMeta = {
  /** The heading of the column, used in the column chooser too. */
  label: MessageKey
  /** Figures are aligned to the right. */
  align?: 'start' | 'end'
  /** The position of the cell in the narrow layout of two lines: `lead` above left, `lead-second` below left, `end` likewise on the right. */
  narrow?: 'lead' | 'lead-second' | 'end' | 'end-second' | 'hidden'
  /** The server's name for sorting by the column; absent: not sortable. */
  sortKey?: string
  /** The width in pixels. If every shown column has one, they share the table in these proportions, regardless of what the rows contain. */
  width?: number
  /** Extra classes of head and cell. */
  className?: string
}

/**
 * Our tables use none of the library's features, which cost 4 KB: the server sorts, filters and pages, column settings and selection are in the
 * browser's own state.
 */
export const dataTableFeatures = tableFeatures({ columnMeta: metaHelper<DataColumnMeta>() })

export type DataTableFeatures = typeof dataTableFeatures

/** Returns a typed column helper for one kind of row. Call it at module scope, so that columns keep their identity. */
export function dataColumns<Row extends RowData>() {
  return createColumnHelper<DataTableFeatures, Row>()
}

const YEAR_S = 365 * 24 * 60 * 60

/**
 * The column settings of one table. `remembered` is what the server read from the cookie, so that the first
 * paint is already right; a change is kept in the cookie at once. Null goes back to the usual columns.
 */
export function useColumnSettings(
  table: string,
  columnIds: readonly string[],
  remembered: ColumnSettings | undefined,
  hiddenAtFirst: readonly string[] = [],
) {
  const [settings, setSettings] = useState(() => fitColumnSettings(remembered, columnIds, hiddenAtFirst))
  function change(next: ColumnSettings | null) {
    setSettings(fitColumnSettings(next ?? undefined, columnIds, hiddenAtFirst))
    // biome-ignore lint/suspicious/noDocumentCookie: the server must know it at the next render; the Cookie Store is not everywhere
    document.cookie = `${columnCookieName(table)}=${next ? writeColumnSettings(next) : ''}; path=/; max-age=${next ? YEAR_S : 0}; samesite=lax`
  }
  return [settings, change] as const
}

type SteadyRows<Row> = { rows: readonly Row[]; heldBack: number; showNew: () => void }

/**
 * The rows of a list that is refreshed: new ones never push the shown ones down, they are counted until somebody shows them. `list` names
 * what is listed; another list starts with all of its rows. While `isPlaceholder`, the rows are still those of the list before.
 */
export function useSteadyRows<Row extends { transactionId: string }>(
  incoming: readonly Row[],
  list: string,
  isPlaceholder: boolean,
): SteadyRows<Row> {
  const [seen, setSeen] = useState<{ list: string; ids: ReadonlySet<string> } | null>(null)
  const { shown: rows, heldBack } = useMemo(
    () => steadyRows(incoming, seen?.list === list && !isPlaceholder ? seen.ids : null),
    [incoming, seen, list, isPlaceholder],
  )
  // A row that was shown stays shown: the state is adjusted while rendering, so that no frame shows anything else.
  if (!isPlaceholder && (seen?.list !== list || rows.some((row) => !seen.ids.has(row.transactionId)))) {
    setSeen({ list, ids: new Set([...(seen?.list === list ? seen.ids : []), ...rows.map((row) => row.transactionId)]) })
  }
  return { rows, heldBack, showNew: () => setSeen(null) }
}
