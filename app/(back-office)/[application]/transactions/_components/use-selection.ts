'use client'

import { useState } from 'react'
import type { TransactionRow } from '#lib/transaction-row.ts'

/** The selected rows, kept over pages. A selected row that is in the list is shown as it is there now. */
export function useSelection(rows: readonly TransactionRow[]) {
  const [kept, setKept] = useState<ReadonlyMap<string, TransactionRow>>(new Map())
  const present = new Map(rows.map((row) => [row.transactionId, row]))
  const selected = new Map([...kept].map(([id, row]) => [id, present.get(id) ?? row]))
  function select(ids: readonly string[]) {
    setKept(
      new Map(
        ids.flatMap((id) => {
          const row = selected.get(id) ?? present.get(id)
          return row ? [[id, row] as const] : []
        }),
      ),
    )
  }
  return {
    selected,
    select,
    toggle: ({ transactionId: id }: TransactionRow) =>
      select(selected.has(id) ? [...selected.keys()].filter((each) => each !== id) : [...selected.keys(), id]),
    clear: () => setKept(new Map()),
  }
}
