'use client'

import { useEffect, useState } from 'react'
import { buttonClass } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/paths.ts'

/**
 * Covers a page whose session has ended while somebody was typing. Signing in happens in another window, so the page keeps what was typed.
 * The live connection closes this when it is accepted again.
 */
export function SessionEnded() {
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
