import { useEffect, useRef } from 'react'
import { isTyping } from '#components/frame/shortcuts.tsx'

export type BoardKeys = {
  /** A question is on its way to the screen: what is typed meanwhile is meant for it. */
  isPaused: boolean
  move: (by: 1 | -1) => void
  open: () => void
  ask: (question: 'validated' | 'rejected') => void
  select: () => void
  clear: () => void
}

/** J and K, Enter, V, R, X and Escape on the list; V and R also in the panel that lies over it. */
export function useBoardKeys(keys: BoardKeys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (isTyping(event) || event.shiftKey || (event.repeat && event.key !== 'j' && event.key !== 'k')) return
      const dialogs = document.querySelectorAll('dialog[open]')
      const isInSheet = dialogs.length === 1 && dialogs[0]?.querySelector('[data-approval-sheet]') != null
      if (dialogs.length > 0 && !(isInSheet && (event.key === 'v' || event.key === 'r'))) return
      if (document.querySelector('[popover]:popover-open')) return
      const { isPaused, move, open, ask, select, clear } = latest.current
      if (isPaused) return
      switch (event.key) {
        case 'j':
          return move(1)
        case 'k':
          return move(-1)
        case 'v':
        case 'r':
          // The key must not land in the field that opens.
          event.preventDefault()
          return ask(event.key === 'v' ? 'validated' : 'rejected')
        case 'x':
          return select()
        case 'Escape':
          return clear()
        case 'Enter':
          if (event.target instanceof Element && event.target.closest('a, button, input, select, summary')) return
          // Else the same press would go on to press the button that the panel focuses.
          event.preventDefault()
          return open()
      }
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
