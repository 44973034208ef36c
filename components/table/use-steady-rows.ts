import { useMemo, useState } from 'react'
import { steadyRows } from '#lib/steady-rows.ts'

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
  // What is shown once stays shown: adjusted while rendering, so that no frame shows something else.
  if (!isPlaceholder && (seen?.list !== list || rows.some((row) => !seen.ids.has(row.transactionId)))) {
    setSeen({ list, ids: new Set([...(seen?.list === list ? seen.ids : []), ...rows.map((row) => row.transactionId)]) })
  }
  return { rows, heldBack, showNew: () => setSeen(null) }
}
