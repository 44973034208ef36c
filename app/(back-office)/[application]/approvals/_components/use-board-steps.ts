import type { Dispatch } from 'react'
import { reasonText } from '#components/domain/approval-reason.tsx'
import type { Intent } from '#components/domain/decision-text.ts'
import { announce, toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalQueue, ApprovalRow, BulkSnapshot } from '#lib/approvals.ts'
import { moneyText } from '#lib/format.ts'
import { type BoardEvent, type BoardState, type BoardView, oneRow } from './board-state.ts'
import type { ApprovalList } from './use-approval-list.ts'

/** From this width on the panel is beside the list; below it is on top of it. The utility `approval-panel` says the same. */
const WIDE = '(min-width: 1400px)'
/** Below this width the panel covers the list. */
const COVERED = '(max-width: 639px)'

type Ground = { queue: ApprovalQueue; list: ApprovalList; state: BoardState; view: BoardView; dispatch: Dispatch<BoardEvent> }

/** What a person can do on the page: move, open, select, ask to decide. Each step is one event of the state. */
export function useBoardSteps({ queue, list, state, view, dispatch }: Ground) {
  const { t } = useTranslations()
  const sayRow = useSayRow(list.rows)
  const { rows } = list
  const { current, index, hasMoved, selection, subject } = view
  const indexOf = (row: ApprovalRow) => rows.findIndex((each) => each.transactionId === row.transactionId)
  const placeOf = (row: ApprovalRow) => ({ list: list.list, id: row.transactionId, index: indexOf(row) })

  function ask(intent: Intent, row: ApprovalRow | null) {
    if (row) return dispatch({ type: 'asked', intent, subject: oneRow(row), place: placeOf(row) })
    if (!subject) return
    const obstacle = subject.kind === 'one' && (intent === 'validated' ? subject.row.canApprove : subject.row.canReject)
    if (obstacle !== false && obstacle !== true) return toast(t(`approvals.obstacle.${obstacle}`))
    dispatch({ type: 'asked', intent, subject, place: subject.kind === 'one' && current ? placeOf(current) : null })
  }

  function move(by: 1 | -1, focus: 'row' | 'panel' = 'row') {
    const next = rows[Math.max(0, Math.min(rows.length - 1, hasMoved || by === -1 ? index + by : 0))]
    if (!next) return
    dispatch({ type: 'moved', place: placeOf(next), focus })
    sayRow(next, indexOf(next))
  }

  const select = (ids: Readonly<Record<string, true>>, whole: BulkSnapshot | null = null) =>
    dispatch({ type: 'selected', selection: { filter: list.filter, ids, whole } })

  function toggle() {
    if (queue !== 'mine' || !current) return
    const { [current.transactionId]: isSelected, ...others } = selection.ids
    select(isSelected ? others : { ...selection.ids, [current.transactionId]: true })
    announce(t(isSelected ? 'approvals.spoken.unselected' : 'approvals.spoken.selected', { name: current.customerName }))
  }

  return {
    ask,
    move,
    select,
    toggle,
    open: (row: ApprovalRow | null, focus: 'panel' | 'nothing' = 'panel') =>
      dispatch({ type: 'opened', place: row && placeOf(row), focus: matchMedia(COVERED).matches ? 'panel' : focus }),
    isPanelOver: () => state.isPanelOpen && !matchMedia(WIDE).matches,
    /** Where the focus goes after a decision: not to a row that the panel covers. */
    focusAfter: (): 'row' | 'panel' => (state.isPanelOpen && matchMedia(COVERED).matches ? 'panel' : 'row'),
  }
}

/** Tells screen readers which row is the current one. */
function useSayRow(rows: readonly ApprovalRow[]) {
  const { t, locale } = useTranslations()
  return (row: ApprovalRow, index: number) => {
    const values = { amount: moneyText(row, locale), name: row.customerName, why: reasonText(t, locale, row) }
    announce(t('approvals.spoken.row', { position: index + 1, total: rows.length, ...values }))
  }
}
