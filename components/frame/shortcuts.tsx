'use client'

import { useEffect, useState, useTransition } from 'react'
import { useRouter } from '#components/ui/use-router.ts'
import { isTyping } from './is-typing.ts'
import { KeyboardHelp } from './keyboard-help.tsx'

const SECOND_KEY_MS = 1_200

/** The keys that work on every page: `/` search, `?` help, G and a letter to go somewhere (`places`: letter to address). */
export function Shortcuts({ places, searchId }: { places: Readonly<Record<string, string>>; searchId: string }) {
  const router = useRouter()
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [isLeaving, startTransition] = useTransition()
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
        if (place) startTransition(() => router.push(place))
      }
      goingSinceMs = 0
    }
    // The button of the account menu, which the server rendered without a script of its own.
    function onClick({ target }: MouseEvent) {
      if (target instanceof Element && target.closest('[data-keyboard-help]')) setIsHelpOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    addEventListener('click', onClick)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('click', onClick)
    }
  }, [places, router, searchId])
  return (
    <>
      {isLeaving && <span data-leaving hidden />}
      {isHelpOpen && <KeyboardHelp onClose={() => setIsHelpOpen(false)} />}
    </>
  )
}
