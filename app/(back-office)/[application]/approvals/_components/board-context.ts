import { createContext, useContext } from 'react'
import type { ApprovalRow } from '#lib/approvals.ts'

export type Question = 'validated' | 'rejected' | 'recall'
export type Board = { application: string; ask: (row: ApprovalRow, question: Question) => void }

/** What the cells of the table need of the board around it. */
export const BoardContext = createContext<Board | null>(null)

export function useBoard(): Board {
  const board = useContext(BoardContext)
  if (!board) throw new Error('A cell of the approvals stands outside their board')
  return board
}
