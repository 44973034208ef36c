import { useReducer } from 'react'
import { reasonText } from '#components/domain/approval-reason.tsx'
import type { DecisionActions, Intent } from '#components/domain/decision-text.ts'
import { announce, toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalQueue, ApprovalRow, BulkSnapshot } from '#lib/approvals.ts'
import { moneyText } from '#lib/format.ts'
import type { QueryValues } from '#lib/paths.ts'
import { oneRow, reduceBoard, START, viewBoard } from './board-state.ts'
import { useApprovalList } from './use-approval-list.ts'

/** From this width on the panel stands beside the list; below it lies over it. The classes of board-panel.tsx say the same. */
const WIDE = '(min-width: 1400px)'
/** Below this width the panel covers the list. */
const COVERED = '(max-width: 639px)'

export type BoardProps = {
  application: string
  queue: ApprovalQueue
  /** The queues that this person has; who cannot decide has none to decide. */
  queues: readonly ApprovalQueue[]
  page: number
  query: QueryValues
  actions: DecisionActions
}

/** The state of the approvals page, and what a person can do with it by pointer or key. */
export function useBoard({ application, queue, query, actions }: BoardProps) {
  const { t, locale } = useTranslations()
  const list = useApprovalList(application, queue, query)
  const [state, dispatch] = useReducer(reduceBoard, START)
  const { rows, filter } = list
  const view = viewBoard(state, rows, list.list, filter)
  const { current, index, selection, selected, subject } = view
  const placeOf = (row: ApprovalRow) => ({
    list: list.list,
    id: row.transactionId,
    index: rows.findIndex((each) => each.transactionId === row.transactionId),
  })

  function goTo(row: ApprovalRow | undefined, focus: 'row' | 'panel') {
    if (!row) return
    const place = placeOf(row)
    dispatch({ type: 'moved', place, focus })
    announce(
      t('approvals.spoken.row', {
        position: place.index + 1,
        total: rows.length,
        amount: moneyText(row, locale),
        name: row.customerName,
        why: reasonText(t, locale, row),
      }),
    )
  }

  function ask(intent: Intent, row: ApprovalRow | null) {
    if (row) return dispatch({ type: 'asked', intent, subject: oneRow(row), place: placeOf(row) })
    if (!subject) return
    const obstacle = subject.kind === 'one' && (intent === 'validated' ? subject.row.canApprove : subject.row.canReject)
    if (obstacle !== false && obstacle !== true) return toast(t(`approvals.obstacle.${obstacle}`))
    dispatch({ type: 'asked', intent, subject, place: subject.kind === 'one' && current ? placeOf(current) : null })
  }

  const select = (ids: Readonly<Record<string, true>>, whole: BulkSnapshot | null = null) =>
    dispatch({ type: 'selected', selection: { filter, ids, whole } })

  return {
    application,
    queue,
    query,
    actions,
    list,
    state,
    ...view,
    dispatch,
    isPanelOver: () => state.isPanelOpen && !matchMedia(WIDE).matches,
    coveredFocus: (): 'row' | 'panel' => (state.isPanelOpen && matchMedia(COVERED).matches ? 'panel' : 'row'),
    ask,
    select,
    placeOf,
    /** Nobody has moved yet: the first step goes to the first row. */
    move: (by: 1 | -1, focus: 'row' | 'panel' = 'row') =>
      goTo(rows[Math.max(0, Math.min(rows.length - 1, state.place.id === null && by === 1 ? 0 : index + by))], focus),
    open: (row: ApprovalRow | null, focus: 'panel' | 'nothing' = 'panel') =>
      dispatch({ type: 'opened', place: row && placeOf(row), focus: matchMedia(COVERED).matches ? 'panel' : focus }),
    toggle() {
      if (queue !== 'mine' || !current) return
      const { [current.transactionId]: isSelected, ...others } = selection.ids
      select(isSelected ? others : { ...selection.ids, [current.transactionId]: true })
      announce(t(isSelected ? 'approvals.spoken.unselected' : 'approvals.spoken.selected', { name: current.customerName }))
    },
    isSelecting: selected.length > 0,
  }
}

export type Board = ReturnType<typeof useBoard>
