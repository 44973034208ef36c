'use client'

import { useRouter } from 'next/navigation'
import { lazy, Suspense, useEffect, useState } from 'react'

const KeyboardHelp = lazy(() => import('./keyboard-help.tsx'))

const SECOND_KEY_MS = 1_200

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

/** The keys that work on every page: `/` search, `?` help, G and a letter to go somewhere (`places`: letter to address). */
export function Shortcuts({ places, searchId }: { places: Readonly<Record<string, string>>; searchId: string }) {
  const router = useRouter()
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  useEffect(() => {
    let goingSinceMs = 0
    function onKeyDown(event: KeyboardEvent) {
      if (isTyping(event) || document.querySelector('dialog[open]')) return
      if (event.key === '/') {
        event.preventDefault()
        document.getElementById(searchId)?.focus()
      } else if (event.key === '?') {
        event.preventDefault()
        setIsHelpOpen(true)
      } else if (event.key === 'g') {
        goingSinceMs = Date.now()
        return
      } else if (Date.now() - goingSinceMs < SECOND_KEY_MS) {
        const place = places[event.key]
        if (place) router.push(place)
      }
      goingSinceMs = 0
    }
    function onHelp() {
      setIsHelpOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    addEventListener('countersign:help', onHelp)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('countersign:help', onHelp)
    }
  }, [places, router, searchId])
  return <Suspense>{isHelpOpen && <KeyboardHelp onClose={() => setIsHelpOpen(false)} />}</Suspense>
}
