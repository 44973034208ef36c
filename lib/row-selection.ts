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
