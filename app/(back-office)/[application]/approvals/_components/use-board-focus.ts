import { useEffect, useRef } from 'react'
import type { Board } from './use-board.ts'

/** Moves the focus where the state wants it: to the current row, to the panel, or to the page when nothing is left. The note focuses itself. */
export function useBoardFocus({ state: { focus, report }, current }: Board): void {
  const granted = useRef(0)
  useEffect(() => {
    if (focus.count === granted.current) return
    granted.current = focus.count
    if (focus.on === 'note' || focus.on === 'nothing') return
    const isPanel = focus.on === 'panel' && (current || report)
    const target = document.getElementById(isPanel ? 'approval-panel' : current ? `row-${current.transactionId}` : 'content')
    if (!target) return
    target.tabIndex = -1
    target.focus({ preventScroll: true })
    if (!isPanel) target.scrollIntoView({ block: 'nearest' })
  }, [focus, current, report])
}
