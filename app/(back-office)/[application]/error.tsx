'use client'

import { useEffect } from 'react'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { useIsOnline } from '#components/ui/offline-banner.tsx'
import { useT } from '#components/ui/translations.tsx'

type Props = { error: Error & { digest?: string }; reset: () => void }

/**
 * Shown if a page of the back office fails: says what happened and what to do. The reference of a failure on the server is also in the log. Code
 * that cannot be loaded is that of an earlier deployment, or there is no connection; then the page is loaded again, once connected.
 */
export default function ErrorPage({ error, reset }: Props) {
  const t = useT()
  const isOnline = useIsOnline()
  const isCodeMissing = error.name === 'ChunkLoadError'
  const kind = !isOnline ? 'offline' : isCodeMissing ? 'outdated' : 'error'
  useEffect(() => {
    if (isOnline) return
    const reload = () => location.reload()
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [isOnline])
  return (
    <EmptyState
      icon="alert"
      title={<h1>{t(`state.${kind}Title`)}</h1>}
      text={kind === 'error' ? t('state.errorText', { reference: error.digest ?? error.name }) : t(`state.${kind}Text`)}
      action={
        <Button variant="primary" onClick={kind === 'error' ? reset : () => location.reload()}>
          {t(kind === 'outdated' ? 'state.reload' : 'ui.retry')}
        </Button>
      }
    />
  )
}
