'use client'

import { createContext, useContext } from 'react'

type OpenRow = {
  hrefOf: (transactionId: string) => string
  open: (transactionId: string) => void
  /** The rows of a day are below its heading. */
  isByDay: boolean
}

export const OpenRowContext = createContext<OpenRow | null>(null)

/** How a row is opened (its own address, and the panel beside the list) and how the list is grouped. Throws outside the list: that is a bug. */
export function useOpenRow(): OpenRow {
  const value = useContext(OpenRowContext)
  if (!value) throw new Error('useOpenRow needs the list around it')
  return value
}
