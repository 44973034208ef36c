import type { KeyboardEvent as ReactKeyboardEvent } from 'react'

/** Returns whether a key press belongs to a field or an open dialog, not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true
  const target = event.target
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox' && target.type !== 'radio'
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
  )
}

/** Handles the keys that the search field receives while suggestions are listed. */
export type SuggestionKeys = (event: ReactKeyboardEvent) => void
