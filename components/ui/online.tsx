'use client'

import { useEffect, useSyncExternalStore } from 'react'
import { Icon } from './display/icon.tsx'
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

/** Shown above the page while the browser is offline. Until it is online again, no form of an action is sent. */
export function OfflineBanner() {
  const isOnline = useIsOnline()
  const t = useT()
  useEffect(() => {
    // Before React hears of it. Without an answer an action takes the whole page down; a form without script would leave it.
    addEventListener('submit', holdAction, true)
    return () => removeEventListener('submit', holdAction, true)
  }, [])
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

function holdAction(event: SubmitEvent): void {
  if (navigator.onLine || !(event.target instanceof HTMLFormElement)) return
  // React sets the address of an action's form to a script.
  const isAction = event.target.getAttribute('action')?.startsWith('javascript:')
  if (isAction || event.target.method === 'post') event.preventDefault()
}
