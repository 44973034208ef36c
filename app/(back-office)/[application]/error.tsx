'use client'

import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Shown if a page of the back office fails. The reference is also in the log. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const t = useT()
  return (
    <EmptyState
      icon="alert"
      title={<h1>{t('state.errorTitle')}</h1>}
      text={t('state.errorText', { reference: error.digest ?? '–' })}
      action={
        <Button variant="primary" onClick={reset}>
          {t('ui.retry')}
        </Button>
      }
    />
  )
}
