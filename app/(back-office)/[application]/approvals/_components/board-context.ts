import { createContext, useContext } from 'react'
import type { Board } from './use-board.ts'

/** The board around the cells of the table and the parts of the panel. */
export const BoardContext = createContext<Board | null>(null)

export function useBoardContext(): Board {
  const board = useContext(BoardContext)
  if (!board) throw new Error('A part of the approvals is used outside their board')
  return board
}
