/** The hidden columns of a table, and the order of all columns. Unknown ids are dropped when the settings are read. */
export type ColumnSettings = { order: readonly string[]; hidden: readonly string[] }

/** The name of the cookie in which a browser remembers the columns of one table. */
export function columnCookieName(table: string): string {
  return `countersign.columns.${table}`
}

/** `time,type,~note`: the order, a tilde before what is hidden. Fits a cookie without escaping. */
export function writeColumnSettings(settings: ColumnSettings): string {
  return settings.order.map((id) => (settings.hidden.includes(id) ? `~${id}` : id)).join('.')
}

/** Reads what `writeColumnSettings` wrote; undefined for anything else, so that a spoilt cookie means the usual columns. */
export function readColumnSettings(text: string | undefined): ColumnSettings | undefined {
  if (!text || text.length > 1_000 || !/^(~?[a-zA-Z]+)(\.~?[a-zA-Z]+)*$/.test(text)) return undefined
  const parts = text.split('.')
  return {
    // A column that is named twice would be shown twice.
    order: [...new Set(parts.map((part) => part.replace('~', '')))],
    hidden: parts.filter((part) => part.startsWith('~')).map((part) => part.slice(1)),
  }
}

/** Settings for exactly the columns there are: unknown ids go, new columns come at the end and are shown. */
export function fitColumnSettings(
  settings: ColumnSettings | undefined,
  columnIds: readonly string[],
  hiddenAtFirst: readonly string[] = [],
): ColumnSettings {
  if (!settings) return { order: columnIds, hidden: hiddenAtFirst }
  const known = settings.order.filter((id) => columnIds.includes(id))
  return {
    order: [...known, ...columnIds.filter((id) => !known.includes(id))],
    hidden: settings.hidden.filter((id) => columnIds.includes(id)),
  }
}

/** Which rows are selected, by id. Rows of other pages may be among them. */
export type RowSelection = Readonly<Record<string, boolean>>

/**
 * The selection after a click on the checkbox of a row. With `from`, a row of the same page (Shift was held), every row between the two gets
 * the new state of the clicked one.
 */
export function toggleRow(selection: RowSelection, pageIds: readonly string[], id: string, from: string | null): RowSelection {
  const start = from === null ? -1 : pageIds.indexOf(from)
  const end = pageIds.indexOf(id)
  const ids = start < 0 || end < 0 ? [id] : pageIds.slice(Math.min(start, end), Math.max(start, end) + 1)
  return setRows(selection, ids, !selection[id])
}

/** The selection after a click on the checkbox of the page: all of its rows, or none of them if all were selected. */
export function togglePage(selection: RowSelection, pageIds: readonly string[]): RowSelection {
  return setRows(selection, pageIds, !pageIds.every((id) => selection[id]))
}

function setRows(selection: RowSelection, ids: readonly string[], isSelected: boolean): RowSelection {
  const changed: Record<string, boolean> = { ...selection }
  for (const id of ids) {
    if (isSelected) changed[id] = true
    else delete changed[id]
  }
  return changed
}

/**
 * Splits a refreshed list into rows to show and rows to hold back. A new row above or between those that are shown would push them down
 * under the pointer, so it is held back and counted; a new row after the last of them moves nothing and is shown.
 */
export function steadyRows<Row extends { transactionId: string }>(
  rows: readonly Row[],
  shownIds: ReadonlySet<string> | null,
): { shown: readonly Row[]; heldBack: number } {
  const last = shownIds === null ? -1 : rows.findLastIndex((row) => shownIds.has(row.transactionId))
  // Nothing of what was shown is left: there is nothing to hold in place.
  if (shownIds === null || last === -1) return { shown: rows, heldBack: 0 }
  const shown = rows.filter((row, place) => place > last || shownIds.has(row.transactionId))
  return { shown, heldBack: rows.length - shown.length }
}
