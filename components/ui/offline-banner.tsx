'use client'

import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'
import { useT } from './translations.tsx'

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** Returns whether the browser is online; true on the server. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )
}

/** Shown above the page while the browser is offline. */
export function OfflineBanner() {
  const isOnline = useIsOnline()
  const t = useT()
  return (
    <div role="status" aria-live="polite">
      {!isOnline && (
        <p className="flex items-center gap-2.5 border-b border-line bg-wait-soft px-4 py-2 text-wait md:px-6">
          <Icon name="offline" />
          {t('frame.offline')}
        </p>
      )}
    </div>
  )
}
