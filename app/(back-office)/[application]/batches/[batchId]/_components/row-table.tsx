'use client'

import { useCallback, useEffect, useState } from 'react'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { CellPlace } from '#lib/batches/cell-place.ts'
import { CellButton, isRepairable, keptKey, usePasteOnCell } from './row-cells.tsx'
import { type FirstCell, RowsTable, type RowTableProps } from './rows-table.tsx'

const repairGrid = definePart(async () => ({ default: (await import('./repair/repair-grid.tsx')).RepairGrid }))

/** The rows of the file. The grid that edits them where they are is loaded when a maker opens the first cell. */
export function RowTable(props: RowTableProps) {
  const [first, setFirst] = useState<FirstCell | null>(null)
  const { application, batchId, version, rows, mayChange } = props
  const onPaste = useCallback((place: CellPlace, pasted: string) => setFirst((before) => before ?? { place, pasted }), [])
  usePasteOnCell(onPaste)
  const { readerId } = useTranslations()
  useEffect(() => {
    if (sessionStorage.getItem(keptKey(readerId, batchId)) !== null) setFirst((before) => before ?? { place: null, pasted: null })
  }, [readerId, batchId])
  const table = (
    <RowsTable
      application={application}
      batchId={batchId}
      version={version}
      rows={rows}
      mayChange={mayChange}
      drawCell={(row, field, shown) =>
        mayChange && isRepairable(row) ? (
          <CellButton row={row} field={field} onOpen={() => setFirst({ place: { rowNumber: row.rowNumber, field }, pasted: null })}>
            {shown}
          </CellButton>
        ) : (
          shown
        )
      }
    />
  )
  return first && mayChange ? <LazyPart part={repairGrid} props={{ ...props, first }} fallback={table} /> : table
}
