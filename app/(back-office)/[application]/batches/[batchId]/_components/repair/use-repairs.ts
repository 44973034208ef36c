import { useEffect, useReducer, useState } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { announce } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchRowDto } from '#lib/batches/batches.ts'
import { type CellPlace, isSameCell } from '#lib/batches/cell-place.ts'
import {
  acceptRequest,
  addRepair,
  type CellRepair,
  dropUnsaved,
  holdCells,
  markSent,
  newQueue,
  type RepairQueue,
  refuseRequest,
  resume,
  seeVersion,
  takeRequest,
  undoLast,
  unreadCells,
} from '#lib/batches/repair-queue.ts'
import { editRows } from '../../../actions.ts'
import { BATCH_CHANGE } from '../corrections.tsx'
import { keptKey } from '../row-cells.tsx'
import type { RowsProps } from '../rows-table.tsx'
import { keepCells, readKeptCells } from './kept-cells.ts'

const SAVING = { ...BATCH_CHANGE, words: { ...BATCH_CHANGE.words, offline: 'batches.repair.offline' } } as const
/** Codes of a request of which nobody knows whether it was stored. */
const UNANSWERED: ReadonlySet<string> = new Set(['offline', 'unavailable'])

export type Repairs = ReturnType<typeof useRepairs>

/** Saves what a person types in cells, one request after the other, and holds what was not saved. */
export function useRepairs({ application, batchId, version, rows: shown }: RowsProps) {
  const { t, readerId } = useTranslations()
  const storageKey = keptKey(readerId, batchId)
  const [queue, change] = useReducer(
    (before: RepairQueue, step: (before: RepairQueue) => RepairQueue) => step(before),
    null,
    // The grid is drawn in the browser only.
    () => holdCells(newQueue(version), readKeptCells(storageKey, shown)),
  )
  // A refusal stays on the page until what was refused is saved or dropped.
  const [refusal, setRefusal] = useState<string | null>(() => (queue.held.length > 0 ? t('batches.repair.left') : null))
  const { run, isPending, error } = useAction(
    (seen: number, cells: readonly CellRepair[]) => editRows(application, { batchId, version: seen, rows: toRows(cells) }),
    {
      ...SAVING,
      onDone({ version: made, rows }, [, cells]) {
        const isWrong = (cell: CellPlace) =>
          rows.some((row) => row.rowNumber === cell.rowNumber && row.problems.some(({ field }) => field === cell.field))
        change((before) => acceptRequest(before, made, isWrong))
        announce(t('batches.repair.saved', { count: cells.length }))
      },
      onRefused: (code) => change((before) => refuseRequest(before, !UNANSWERED.has(code))),
    },
  )
  useEffect(() => change((before) => seeVersion(before, version)), [version])
  useEffect(() => {
    if (error) setRefusal(error)
  }, [error])
  useEffect(() => {
    const request = isPending ? undefined : takeRequest(queue)
    if (!request) return
    change((before) => markSent(before, request.sent))
    // One that is on its way already is not sent twice: `run` ignores it.
    run(queue.version, request.cells)
  }, [queue, isPending, run])
  useEffect(() => keepCells(storageKey, unreadCells({ ...queue, done: [] }, queue.version)), [storageKey, queue])
  const unread = unreadCells(queue, version)
  const isUnsaved = queue.held.length > 0 || queue.isStopped
  return {
    version: queue.version,
    isBusy: isPending || (queue.waiting.length > 0 && !queue.isStopped),
    /** Refused or not answered, with the reason. */
    unsaved: isUnsaved ? { cells: queue.isStopped ? unreadCells({ ...queue, done: [] }, version) : queue.held, refusal } : null,
    done: queue.done,
    /** The text of a cell that the page has not read yet. */
    unreadOf: (place: CellPlace) => unread.find((cell) => isSameCell(cell, place)),
    isHeld: (place: CellPlace) => queue.isStopped || queue.held.some((cell) => isSameCell(cell, place)),
    save: (cells: readonly CellRepair[]) => change((before) => addRepair(before, { cells, isUndo: false })),
    hold: (cells: readonly CellRepair[]) => change((before) => holdCells(before, cells)),
    undo: () => change(undoLast),
    retry: () => change(resume),
    drop: () => change(dropUnsaved),
  }
}

/** A cell of a row with a new text, and what the page showed before. */
export function repairOf(row: BatchRowDto, place: CellPlace, text: string): CellRepair {
  const { field } = place
  const kind = row.problems.find((problem) => problem.field === field)?.kind ?? null
  return { ...place, text, before: { value: row.typed[field], edit: row.edits[field] ?? null, kind } }
}

function toRows(cells: readonly CellRepair[]): { rowNumber: number; fields: Partial<Record<CellRepair['field'], string | null>> }[] {
  const rows = new Map<number, Partial<Record<CellRepair['field'], string | null>>>()
  for (const { rowNumber, field, text } of cells) rows.set(rowNumber, { ...rows.get(rowNumber), [field]: text })
  return [...rows].map(([rowNumber, fields]) => ({ rowNumber, fields }))
}
