import { useCallback, useEffect, useRef, useState } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BatchField } from '#lib/batches/batch-fields.ts'
import type { BatchRowDto } from '#lib/batches/batches.ts'
import { type CellPlace, isSameCell } from '#lib/batches/cell-place.ts'
import { readPastedColumn } from '#lib/batches/read-pasted-column.ts'
import type { CellRepair } from '#lib/batches/repair-queue.ts'
import { paths } from '#lib/pages/paths.ts'
import { CellButton, isRepairable, usePasteOnCell } from '../row-cells.tsx'
import { type FirstCell, RowsTable, type RowTableProps } from '../rows-table.tsx'
import { CellEditor, type Move } from './cell-editor.tsx'
import { PasteDialog, type PastedFrom } from './paste-dialog.tsx'
import { RepairBar } from './repair-bar.tsx'
import { useProblemWalk } from './use-problem-walk.ts'
import { type Repairs, repairOf, useRepairs } from './use-repairs.ts'

/** The cell that is being edited, with what it had when it was opened. */
type OpenCell = { place: CellPlace; initial: string; before: CellRepair['before'] }

/** The rows of the file with cells that are edited where they are: typed, pasted, corrected alike and taken back, by keyboard too. */
export function RepairGrid(props: RowTableProps & { first: FirstCell }) {
  const { application, batchId, rows, mayChange, show, page, pages } = props
  const repairs = useRepairs(props)
  const cells = useOpenCell(rows, repairs)
  const [column, setColumn] = useState<PastedFrom | null>(null)
  const { open } = cells
  const walk = useProblemWalk({
    rows: rows.map((row) => withoutRepaired(row, repairs)),
    page,
    pages,
    isBusy: repairs.isBusy,
    hrefFor: (number) => paths.batch(application, batchId, { show, page: number || null }),
    onFound: (place) => cells.openAt(place),
  })
  const paste = usePaste(cells.openAt, setColumn)
  useFirstCell(props.first, cells.openAt, paste)
  function openByHand(place: CellPlace) {
    walk.stop()
    cells.openAt(place)
  }
  function commit(text: string, move: Move) {
    if (open) cells.close(text)
    if (open && (move === 'next' || move === 'previous')) walk.go(open.place, move === 'next' ? 1 : -1)
  }
  return (
    <div className="grid grid-cols-1 gap-3">
      <RowsTable
        application={application}
        batchId={batchId}
        version={repairs.version}
        rows={rows}
        mayChange={mayChange}
        drawCell={(row, field, shown) => {
          const place = { rowNumber: row.rowNumber, field }
          const unread = repairs.unreadOf(place)
          if (open && isSameCell(open.place, place))
            return (
              <CellEditor
                key={`${place.rowNumber} ${field}`}
                place={place}
                initial={open.initial}
                isWrong={row.problems.some((problem) => problem.field === field)}
                onText={cells.noteText}
                onCommit={commit}
                onCancel={cells.cancel}
                onPasteColumn={(text) => {
                  cells.cancel()
                  paste(place, text)
                }}
              />
            )
          if (!unread && !isRepairable(row)) return shown
          return (
            <CellButton row={row} field={field} unsaved={unread && unsavedOf(row, unread, repairs)} onOpen={() => openByHand(place)}>
              {shown}
            </CellButton>
          )
        }}
      />
      <RepairBar application={application} batchId={batchId} repairs={repairs} isEditing={open !== null} onOpen={openByHand} />
      {column && (
        <PasteDialog
          {...column}
          application={application}
          batchId={batchId}
          version={repairs.version}
          show={show}
          onApply={repairs.save}
          onClose={() => setColumn(null)}
        />
      )}
    </div>
  )
}

/** A row as it will be read again: what was just corrected is no problem of it, unless the correction was refused. */
function withoutRepaired(row: BatchRowDto, repairs: Repairs): BatchRowDto {
  const isOpen = (field: BatchField) => {
    const place = { rowNumber: row.rowNumber, field }
    return !repairs.unreadOf(place) || repairs.isHeld(place)
  }
  return { ...row, problems: row.problems.filter(({ field }) => isOpen(field)) }
}

function unsavedOf(row: BatchRowDto, cell: CellRepair, repairs: Repairs) {
  return { text: cell.text ?? row.inFile[cell.field] ?? row.typed[cell.field], isHeld: repairs.isHeld(cell) }
}

/** Which cell is open. What was typed in it is saved when it closes, and kept if its row leaves the page before. */
function useOpenCell(rows: readonly BatchRowDto[], repairs: Repairs) {
  const [open, setOpen] = useState<OpenCell | null>(null)
  const text = useRef('')
  function openAt(place: CellPlace, pasted?: string) {
    const row = rows.find(({ rowNumber }) => rowNumber === place.rowNumber)
    if (!row) return
    const unread = repairs.unreadOf(place)
    const { before } = repairOf(row, place, '')
    const value = unread ? unsavedOf(row, unread, repairs).text : before.value
    const isStored = unread && !repairs.isHeld(place)
    text.current = pasted ?? value
    setOpen({ place, initial: pasted ?? value, before: isStored ? { ...before, value, edit: unread.text } : before })
  }
  function close(typed: string) {
    setOpen(null)
    if (!open) return
    const wanted = typed.trim()
    if (wanted !== open.before.value.trim() || repairs.isHeld(open.place))
      repairs.save([{ ...open.place, text: wanted, before: open.before }])
  }
  const isGone = open !== null && !rows.some(({ rowNumber }) => rowNumber === open.place.rowNumber)
  useEffect(() => {
    if (!isGone) return
    setOpen(null)
    if (text.current !== open.before.value) repairs.hold([{ ...open.place, text: text.current.trim(), before: open.before }])
  }, [isGone, open, repairs])
  return {
    open,
    openAt,
    close,
    cancel: () => setOpen(null),
    noteText: (typed: string) => {
      text.current = typed
    },
  }
}

/** Opens the cell for one pasted value; more of them are shown before they fill the rows below. */
function usePaste(openAt: (place: CellPlace, pasted?: string) => void, fill: (column: PastedFrom) => void) {
  const t = useT()
  const latest = useRef(openAt)
  useEffect(() => {
    latest.current = openAt
  })
  const paste = useCallback(
    (place: CellPlace, text: string) => {
      const read = readPastedColumn(text)
      if ('problem' in read) toast(t(`batches.repair.paste.${read.problem}`), 'bad')
      else if (read.values.length > 1) fill({ place, values: read.values })
      else latest.current(place, read.values[0])
    },
    [fill, t],
  )
  usePasteOnCell(paste)
  return paste
}

function useFirstCell(first: FirstCell, openAt: (place: CellPlace) => void, paste: (place: CellPlace, text: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the grid has been loaded
  useEffect(() => {
    if (first.place === null) return
    if (first.pasted === null) openAt(first.place)
    else paste(first.place, first.pasted)
  }, [])
}
