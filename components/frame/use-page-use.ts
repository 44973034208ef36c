import { useEffect } from 'react'
import { inUseHeader, noteInput } from '#lib/page-use.ts'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'

const CHECKED_EVERY_MS = 60_000

/**
 * Keeps the session while somebody uses the page without a request: reading, or typing a long note. Sessions of people who decide
 * end after 30 minutes without use.
 */
export function usePageUse(application: string): void {
  useEffect(() => {
    const options = { capture: true, passive: true }
    const events = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const
    for (const event of events) addEventListener(event, noteInput, options)
    const timer = setInterval(() => {
      if (Object.keys(inUseHeader()).length > 0)
        // biome-ignore lint/plugin/no-silent-error: a lost connection shows elsewhere, and the next check repeats it.
        void fetchData(paths.data(application, 'waiting'), hasParts<{ count: number }>('count')).catch(() => undefined)
    }, CHECKED_EVERY_MS)
    return () => {
      clearInterval(timer)
      for (const event of events) removeEventListener(event, noteInput, options)
    }
  }, [application])
}
