import type { Report } from '#components/decision/decision-report.tsx'
import type { Intent } from '#components/decision/decision-text.tsx'
import type { ApprovalRow, BulkSnapshot, DecidedItem } from '#lib/approvals/approvals.ts'

/** The subject of the panel and of a decision: one transaction or the selection. */
export type Subject =
  | { kind: 'one'; row: ApprovalRow; items: readonly [ApprovalRow] }
  | { kind: 'several'; items: readonly DecidedItem[]; total: number }

/** The current row of one list by its id, and where it was, for when it is gone. Index -1: nobody has moved yet. */
type Place = { list: string; id: string | null; index: number }
/** Rows one by one, or all that fitted the filter when that was asked for. It ends with the filter. */
type Selection = { filter: string; ids: Readonly<Record<string, true>>; whole: BulkSnapshot | null }
const NOTHING_SELECTED: Selection = { filter: '', ids: {}, whole: null }

export type BoardState = {
  place: Place
  selection: Selection
  /** Where there is no room beside the list, the panel lies over it while it is open. */
  isPanelOpen: boolean
  intent: Intent | null
  /** Somebody is writing the note of this decision: it stays as it was, even if the list changes. */
  held: Subject | null
  report: Report | null
  /** Where the focus goes; `count` increases with each wish. */
  focus: { on: 'row' | 'panel' | 'note' | 'nothing'; count: number }
}

export const START: BoardState = {
  place: { list: '', id: null, index: -1 },
  selection: NOTHING_SELECTED,
  isPanelOpen: false,
  intent: null,
  held: null,
  report: null,
  focus: { on: 'nothing', count: 0 },
}

export type BoardEvent =
  /** To another row, by key or button. */
  | { type: 'moved'; place: Place; focus: 'row' | 'panel' }
  | { type: 'opened'; place: Place | null; focus: 'panel' | 'nothing' }
  | { type: 'closed' }
  /** Somebody wants to decide: the panel opens on the subject with the focus in the note. */
  | { type: 'asked'; intent: Intent; subject: Subject; place: Place | null }
  | { type: 'drafted'; subject: Subject }
  /** The payment open in the panel has left the list: the panel keeps it and says who decided. */
  | { type: 'kept'; row: ApprovalRow; place: Place }
  /** Back from a rejection or a recall. */
  | { type: 'withdrawn' }
  | { type: 'selected'; selection: Selection }
  | { type: 'cleared' }
  | { type: 'decided'; place: Place; report: Report | null; focus: 'row' | 'panel' }
  | { type: 'reportClosed' }

/** Moving, selecting and closing leave the form: a note never reaches another transaction than the one it was for, for which it is remembered. */
export function reduceBoard(state: BoardState, event: BoardEvent): BoardState {
  const focus = (on: BoardState['focus']['on']) => ({ on, count: state.focus.count + 1 })
  const undecided = { intent: null, held: null, report: null }
  switch (event.type) {
    case 'moved':
      return { ...state, ...undecided, place: event.place, focus: focus(event.focus) }
    case 'opened':
      return { ...state, ...undecided, place: event.place ?? state.place, isPanelOpen: true, focus: focus(event.focus) }
    case 'closed':
      return { ...state, ...undecided, isPanelOpen: false, focus: focus('row') }
    case 'asked':
      return {
        ...state,
        place: event.place ?? state.place,
        intent: event.intent,
        held: event.subject,
        report: null,
        isPanelOpen: true,
        focus: focus('note'),
      }
    case 'drafted':
      return { ...state, held: event.subject }
    case 'kept':
      return { ...state, held: oneRow(event.row), place: event.place }
    case 'withdrawn':
      return { ...state, ...undecided, focus: focus('panel') }
    case 'selected':
      return { ...state, ...undecided, selection: event.selection }
    case 'cleared':
      return { ...state, ...undecided, selection: NOTHING_SELECTED }
    case 'decided':
      return {
        ...state,
        ...undecided,
        place: event.place,
        selection: NOTHING_SELECTED,
        report: event.report,
        isPanelOpen: state.isPanelOpen,
        focus: focus(event.focus),
      }
    case 'reportClosed':
      return { ...state, report: null, focus: focus('row') }
  }
}

export type BoardView = {
  index: number
  /** False: the first step goes to the first row. */
  hasMoved: boolean
  /** The panel keeps a payment that has left the list: no row is the current one, and `index` is that of the row after it. */
  isKept: boolean
  current: ApprovalRow | null
  selection: Selection
  selected: readonly DecidedItem[]
  subject: Subject | null
}

/** Resolves the state against the rows that are listed now. */
export function viewBoard(state: BoardState, rows: readonly ApprovalRow[], list: string, filter: string): BoardView {
  const place = state.place.list === list ? state.place : START.place
  const foundAt = rows.findIndex((row) => row.transactionId === place.id)
  const index = foundAt >= 0 ? foundAt : Math.min(Math.max(0, place.index), rows.length - 1)
  const isKept = state.held?.kind === 'one' && !hasRow(rows, state.held.row)
  const current = isKept ? null : (rows[index] ?? null)
  const selection = state.selection.filter === filter ? state.selection : NOTHING_SELECTED
  const selected = selection.whole?.items ?? rows.filter((row) => selection.ids[row.transactionId])
  const subject = state.held ?? subjectOf(current, selected, selection)
  return { index, hasMoved: place.index >= 0, isKept, current, selection, selected, subject }
}

export function hasRow(rows: readonly ApprovalRow[], { transactionId }: ApprovalRow): boolean {
  return rows.some((row) => row.transactionId === transactionId)
}

function subjectOf(current: ApprovalRow | null, selected: readonly DecidedItem[], { whole }: Selection): Subject | null {
  if (selected.length > 0) return { kind: 'several', items: selected, total: whole?.total ?? selected.length }
  return current && oneRow(current)
}

export function oneRow(row: ApprovalRow): Subject {
  return { kind: 'one', row, items: [row] }
}
