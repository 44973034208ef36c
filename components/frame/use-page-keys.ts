import { useEffect, useEffectEvent } from 'react'
import { isTyping } from './keyboard.ts'

/**
 * Runs what a key means on a page, by the key's name: not while somebody types or a dialog is open, and once for a press that is held. A key whose
 * action this person may not use is left out, or false.
 */
export function usePageKeys(actions: Readonly<Record<string, (() => void) | false>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const run = Object.hasOwn(actions, event.key) && actions[event.key]
    if (!run || isTyping(event) || event.repeat || document.querySelector('dialog[open], [popover]:popover-open')) return
    run()
    // Otherwise the letter would be typed into the dialog that it opens.
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
