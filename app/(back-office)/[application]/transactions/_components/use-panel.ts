'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useState } from 'react'

/** The panel is in the address (`open`), so that a link shows it and Back closes it; the list beside it is not loaded again. */
export function usePanel() {
  const pathname = usePathname()
  const openId = useSearchParams().get('open')
  const [wasOpenedHere, setWasOpenedHere] = useState(false)
  const withOpen = (transactionId: string) => {
    const next = new URLSearchParams(location.search)
    next.set('open', transactionId)
    return `${pathname}?${next}`
  }
  return {
    openId,
    /** One entry in the history, however many rows the panel then shows. */
    open(transactionId: string) {
      if (openId !== null) return history.replaceState(null, '', withOpen(transactionId))
      setWasOpenedHere(true)
      history.pushState(null, '', withOpen(transactionId))
    },
    close() {
      if (wasOpenedHere) {
        setWasOpenedHere(false)
        return history.back()
      }
      const next = new URLSearchParams(location.search)
      next.delete('open')
      history.replaceState(null, '', next.size > 0 ? `${pathname}?${next}` : pathname)
    },
  }
}
