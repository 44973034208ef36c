import { useRouter as useNextRouter } from 'next/navigation'
import { useMemo } from 'react'

/** Sent to the window with an address that was not opened, because there is no connection. `frame/link-guard` offers it again. */
export const HELD_EVENT = 'held-address'

type Router = {
  push: (href: string, options?: { scroll?: boolean }) => void
  refresh: () => void
}

/**
 * The router for everything that is not a link. Without a connection Next's own would replace the page, and all that was typed in it, by the
 * browser's error page: here the page stays, an address is offered again, and a refresh follows once there is a connection.
 */
export function useRouter(): Router {
  const router = useNextRouter()
  return useMemo(
    () => ({
      push(href, options) {
        if (navigator.onLine) router.push(href, options)
        else dispatchEvent(new CustomEvent(HELD_EVENT, { detail: href }))
      },
      refresh() {
        if (navigator.onLine) router.refresh()
        else addEventListener('online', () => router.refresh(), { once: true })
      },
    }),
    [router],
  )
}
