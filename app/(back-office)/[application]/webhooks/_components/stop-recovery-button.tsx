'use client'

import { useEffect, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { stopRecovery } from '../actions.ts'

const REFRESH_MS = 3_000

/** Stops a recovery that is under way. While it is shown, the page refreshes, so that its progress is current. */
export function StopRecoveryButton({ application, recoveryId }: { application: string; recoveryId: string }) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && router.refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [router])
  function stop() {
    startTransition(async () => {
      const result = await callAction(() => stopRecovery(application, { recoveryId }))
      if (!result.ok && result.error.code !== 'not_found')
        return setError(refusalText(t, result.error.code, { not_permitted: 'action.forbidden', offline: 'action.offline' }))
      router.refresh()
    })
  }
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button size="small" isBusy={isPending} onClick={stop}>
        {t('webhooks.stop')}
      </Button>
    </>
  )
}
