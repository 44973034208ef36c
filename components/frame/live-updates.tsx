'use client'

import { Icon } from '#components/ui/icon.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useIsOnline } from '#components/ui/use-is-online.ts'
import { SessionEnded } from './session-ended.tsx'
import { useLiveUpdates } from './use-live-updates.ts'

/**
 * Used once, in the frame: refreshes the queries of the application on every change. Connected while the page is
 * seen only, so that many tabs do not use up a browser's connections. Says so when the service cannot be reached.
 */
export function LiveUpdates({ application }: { application: string }) {
  const t = useT()
  const isOnline = useIsOnline()
  const connection = useLiveUpdates(application)
  return (
    <>
      <div role="status" aria-live="polite">
        {(connection === 'lost' || connection === 'database_lost') && isOnline && (
          <p className="flex items-center gap-2.5 border-b border-line bg-wait-soft px-4 py-2 text-wait md:px-6">
            <Icon name="offline" />
            {t(connection === 'lost' ? 'frame.connectionLost' : 'frame.databaseLost')}
          </p>
        )}
      </div>
      {connection === 'ended' && <SessionEnded />}
    </>
  )
}
