import { useEffect, useState } from 'react'
import { buttonClass } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
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

/**
 * Covers a page whose session has ended while somebody was typing. Signing in happens in another window, so the page keeps what was typed.
 * The live connection closes this when it is accepted again.
 */
function SessionEnded() {
  const t = useT()
  const router = useRouter()
  const [isClosed, setIsClosed] = useState(false)
  // The person who signed in again is named by the frame, and sees what they may see.
  useEffect(() => () => router.refresh(), [router])
  if (isClosed) return null
  return (
    <Dialog title={t('frame.sessionEnded')} onClose={() => setIsClosed(true)}>
      <div data-session-ended className="grid justify-items-start gap-4">
        <p>{t('frame.sessionEndedText')}</p>
        <a href={paths.signIn(location.pathname + location.search)} target="_blank" rel="noreferrer" className={buttonClass('primary')}>
          {t('frame.signIn')}
        </a>
      </div>
    </Dialog>
  )
}
