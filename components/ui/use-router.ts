import { useRouter as useNextRouter } from 'next/navigation'
import { useMemo } from 'react'
import { isReachable, onReachableChange } from './link.tsx'

/** Sent to the window with an address that was not opened, because the service cannot be reached. `frame/link-guard` offers it again. */
export const HELD_EVENT = 'held-address'

type Router = {
  push: (href: string, options?: { scroll?: boolean }) => void
  refresh: () => void
}

/**
 * The router for everything that is not a link. If the service cannot be reached, Next's own would replace the page, and all that was typed in
 * it, by the browser's error page: here the page stays, an address is offered again, and a refresh follows once it can be reached.
 */
export function useRouter(): Router {
  const router = useNextRouter()
  return useMemo(() => {
    let isWaiting = false
    return {
      push(href, options) {
        if (isReachable()) router.push(href, options)
        else dispatchEvent(new CustomEvent(HELD_EVENT, { detail: href }))
      },
      refresh() {
        if (isReachable()) return router.refresh()
        if (isWaiting) return
        isWaiting = true
        const stop = onReachableChange(() => {
          if (!isReachable()) return
          stop()
          isWaiting = false
          router.refresh()
        })
      },
    }
  }, [router])
}
