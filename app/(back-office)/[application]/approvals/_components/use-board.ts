import { useReducer } from 'react'
import type { DecisionActions } from '#components/domain/decision-text.ts'
import type { ApprovalQueue } from '#lib/approvals.ts'
import type { QueryValues } from '#lib/paths.ts'
import { reduceBoard, START, viewBoard } from './board-state.ts'
import { useApprovalList } from './use-approval-list.ts'
import { useBoardSteps } from './use-board-steps.ts'

export type BoardProps = {
  application: string
  queue: ApprovalQueue
  /** The queues that this person has; who cannot decide has none to decide. */
  queues: readonly ApprovalQueue[]
  page: number
  query: QueryValues
  actions: DecisionActions
}

/** The state of the approvals page, what it means for the rows of now, and what a person can do with it by pointer or key. */
export function useBoard({ application, queue, query, actions }: BoardProps) {
  const list = useApprovalList(application, queue, query)
  const [state, dispatch] = useReducer(reduceBoard, START)
  const view = viewBoard(state, list.rows, list.list, list.filter)
  const steps = useBoardSteps({ queue, list, state, view, dispatch })
  return { application, queue, query, actions, list, state, dispatch, ...view, ...steps }
}

export type Board = ReturnType<typeof useBoard>
