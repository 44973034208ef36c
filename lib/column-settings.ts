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
