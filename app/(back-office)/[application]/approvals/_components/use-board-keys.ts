import { useEffect, useEffectEvent } from 'react'
import { isTyping } from '#components/frame/is-typing.ts'
import type { Board } from './use-board.ts'

/** J and K, Enter, V, R, X and Escape, on the list and in the panel; not while somebody types or another layer is open. */
export function useBoardKeys({ move, open, ask, toggle, dispatch, state, current, isPanelOver }: Board): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (isTyping(event) || event.shiftKey || (event.repeat && event.key !== 'j' && event.key !== 'k')) return
    if (document.querySelector('dialog[open], [popover]:popover-open')) return
    // The note is on its way to the screen: what is typed meanwhile is meant for it.
    if (state.focus.on === 'note' && !document.getElementById('field-note')) return
    switch (event.key) {
      case 'j':
        return move(1)
      case 'k':
        return move(-1)
      case 'v':
      case 'r':
        // The key must not land in the field that opens.
        event.preventDefault()
        return ask(event.key === 'v' ? 'validated' : 'rejected', null)
      case 'x':
        return toggle()
      case 'Escape':
        return isPanelOver() ? dispatch({ type: 'closed' }) : dispatch({ type: 'cleared' })
      case 'Enter':
        if (!current || (event.target instanceof Element && event.target.closest('a, button, input, select, summary, aside'))) return
        // Otherwise the same press would also press what the panel focuses.
        event.preventDefault()
        return open(current)
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
