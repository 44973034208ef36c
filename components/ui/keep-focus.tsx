'use client'

import { type ReactNode, useEffect, useRef } from 'react'

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary'

/**
 * Keeps the place of somebody who works by keyboard: when the element that has the focus goes away (its row is corrected, its button has done its
 * work), the focus moves to the element that takes its place, or to the last one.
 */
export function KeepFocus({ className, children }: { className?: string; children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const within = root.current
    if (!within) return
    let last: { element: Element; place: number } | null = null
    const reachable = () => [...within.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((element) => !element.closest('dialog'))
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target.closest('dialog')) return
      last = { element: target, place: reachable().indexOf(target) }
    }
    const observer = new MutationObserver(() => {
      if (last === null || last.element.isConnected || document.activeElement !== document.body) return
      const all = reachable()
      const next = all[Math.min(Math.max(last.place, 0), all.length - 1)]
      last = null
      next?.focus({ preventScroll: false })
    })
    within.addEventListener('focusin', note)
    observer.observe(within, { childList: true, subtree: true })
    return () => {
      within.removeEventListener('focusin', note)
      observer.disconnect()
    }
  }, [])
  return (
    <div ref={root} className={className}>
      {children}
    </div>
  )
}
