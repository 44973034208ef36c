import { type BatchField, EDITED_CELLS_MAX, type ProblemKind } from './batch-fields.ts'
import { type CellPlace, isCorrectedAlike, isSameCell } from './cell-place.ts'

/** A cell with the text that a person wants in it (null: that of the file), and what it had before. */
export type CellRepair = CellPlace & {
  text: string | null
  before: { value: string; edit: string | null; kind: ProblemKind | null }
}

/** Cells that were changed at once: typed, pasted, corrected alike, or taken back. */
export type Repair = { cells: readonly CellRepair[]; isUndo: boolean }

/**
 * The texts that a person types on a page of rows, from the key press until the page shows them. No text is dropped before
 * it is stored, unless the person drops it.
 */
export type RepairQueue = {
  /** The newest version that the person has seen or made. */
  version: number
  /** In order. The first `sent` of them are one request. */
  waiting: readonly Repair[]
  sent: number
  /** The request was not answered: it is sent again, as it was, when the person says so or goes on. */
  isStopped: boolean
  /** Refused. They wait until the person sends them again or drops them. */
  held: readonly CellRepair[]
  /** Stored, oldest first, with the version that each made: what can be taken back. */
  done: readonly (Repair & { version: number; isRight: boolean })[]
}

export function newQueue(version: number): RepairQueue {
  return { version, waiting: [], sent: 0, isStopped: false, held: [], done: [] }
}

/** Adds cells behind those that wait. A newer text of a cell replaces one that was refused. */
export function addRepair(queue: RepairQueue, repair: Repair): RepairQueue {
  const held = queue.held.filter((each) => !repair.cells.some((cell) => isSameCell(cell, each)))
  return { ...queue, waiting: [...queue.waiting, repair], held, isStopped: false }
}

/** The next request: as many of the waiting repairs as fit into one. A repetition has the same content as before. */
export function takeRequest(queue: RepairQueue): { sent: number; cells: CellRepair[] } | undefined {
  if (queue.isStopped || queue.waiting.length === 0) return undefined
  let [sent, count] = [queue.sent, 0]
  if (sent === 0)
    for (const { cells } of queue.waiting) {
      count += cells.length
      if (sent > 0 && count > EDITED_CELLS_MAX) break
      sent += 1
    }
  const cells = new Map<string, CellRepair>()
  for (const cell of queue.waiting.slice(0, sent).flatMap((repair) => repair.cells)) cells.set(`${cell.rowNumber} ${cell.field}`, cell)
  return { sent, cells: [...cells.values()] }
}

/** The first `sent` repairs are in a request. */
export function markSent(queue: RepairQueue, sent: number): RepairQueue {
  return queue.sent === sent ? queue : { ...queue, sent }
}

/** The request is stored. `isWrong` says of a cell whether it still has a problem. */
export function acceptRequest(queue: RepairQueue, version: number, isWrong: (cell: CellPlace) => boolean): RepairQueue {
  const stored = queue.waiting.slice(0, queue.sent).filter((repair) => !repair.isUndo)
  return {
    ...queue,
    version: Math.max(queue.version, version),
    waiting: queue.waiting.slice(queue.sent),
    sent: 0,
    done: [...queue.done, ...stored.map((repair) => ({ ...repair, version, isRight: !repair.cells.some(isWrong) }))],
  }
}

/** The request was refused: its texts are held. Without an answer it may have been stored, and it is kept as it is. */
export function refuseRequest(queue: RepairQueue, isAnswered: boolean): RepairQueue {
  if (!isAnswered) return { ...queue, isStopped: true }
  const refused = queue.waiting.slice(0, queue.sent).flatMap((repair) => repair.cells)
  return { ...queue, waiting: queue.waiting.slice(queue.sent), sent: 0, held: mergeCells([...queue.held, ...refused]) }
}

/** Sends again what was refused or not answered. */
export function resume(queue: RepairQueue): RepairQueue {
  const waiting = queue.held.length > 0 ? [...queue.waiting, { cells: queue.held, isUndo: false }] : queue.waiting
  return { ...queue, waiting, held: [], isStopped: false }
}

/** Drops the texts that were not stored, because the person says so. */
export function dropUnsaved(queue: RepairQueue): RepairQueue {
  return { ...queue, held: [], ...(queue.isStopped ? { waiting: [], sent: 0, isStopped: false } : {}) }
}

/** Holds texts that cannot be sent for now. */
export function holdCells(queue: RepairQueue, cells: readonly CellRepair[]): RepairQueue {
  return { ...queue, held: mergeCells([...queue.held, ...cells]) }
}

/** The page shows this version. If another change made it, nothing before it is taken back: that could replace what a colleague did. */
export function seeVersion(queue: RepairQueue, version: number): RepairQueue {
  return version > queue.version ? { ...queue, version, done: [] } : queue
}

/** Takes the last repair back: its cells become what they were. */
export function undoLast(queue: RepairQueue): RepairQueue {
  const last = queue.done.at(-1)
  if (!last) return queue
  const cells = last.cells.map(({ text, before, ...place }) => ({
    ...place,
    text: before.edit,
    before: { value: text ?? '', edit: text, kind: null },
  }))
  return addRepair({ ...queue, done: queue.done.slice(0, -1) }, { cells, isUndo: true })
}

/** The texts that the page shows instead of what it has read at `shownVersion`: not stored yet, or stored since. */
export function unreadCells(queue: RepairQueue, shownVersion: number): CellRepair[] {
  const stored = queue.done.filter((repair) => repair.version > shownVersion).flatMap((repair) => repair.cells)
  return mergeCells([...stored, ...queue.waiting.flatMap((repair) => repair.cells), ...queue.held])
}

/** The mistake that a repair has corrected, if all its cells had the same one and are right now. */
export function correctedMistake(
  repair: RepairQueue['done'][number] | undefined,
): { field: BatchField; kind: ProblemKind; value: string; text: string } | undefined {
  const first = repair?.cells[0]
  if (!repair?.isRight || !first || first.text === null || first.before.kind === null || !isCorrectedAlike(first.before.kind))
    return undefined
  const { field, text, before } = first
  const isOne = repair.cells.every(
    (cell) => cell.field === field && cell.text === text && cell.before.kind === before.kind && cell.before.value === before.value,
  )
  return isOne ? { field, kind: first.before.kind, value: before.value, text } : undefined
}

/** Each cell once, with its newest text and the oldest `before`. */
function mergeCells(cells: readonly CellRepair[]): CellRepair[] {
  const merged = new Map<string, CellRepair>()
  for (const cell of cells) {
    const key = `${cell.rowNumber} ${cell.field}`
    merged.set(key, { ...cell, before: merged.get(key)?.before ?? cell.before })
  }
  return [...merged.values()]
}
