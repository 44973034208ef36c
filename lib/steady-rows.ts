/**
 * What of a refreshed list is shown at once. A new row above or between those that are shown would push them down under the pointer, so
 * it is held back and counted; a new row after the last of them moves nothing and is shown.
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
