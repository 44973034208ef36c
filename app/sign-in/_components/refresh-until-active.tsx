'use client'

import { useEffect } from 'react'
import { useRouter } from '#components/ui/use-router.ts'

const EVERY_MS = 5_000

/** Asks the page again while it is visible, so that it continues to the application as soon as the code was entered. */
export function RefreshUntilActive() {
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && navigator.onLine) router.refresh()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [router])
  return null
}
