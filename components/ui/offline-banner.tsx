'use client'

import { Icon } from './icon.tsx'
import { useT } from './translations.tsx'
import { useIsOnline } from './use-is-online.ts'

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
