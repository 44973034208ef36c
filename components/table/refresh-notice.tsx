'use client'

import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Shown above a list that could not be refreshed, with a button to retry. */
export function RefreshNotice({ isFailed, onRetry }: { isFailed: boolean; onRetry: () => void }) {
  const t = useT()
  if (!isFailed) return null
  return (
    <div className="mb-3">
      <Notice
        tone="wait"
        action={
          <Button size="small" onClick={onRetry}>
            {t('ui.retry')}
          </Button>
        }
      >
        {t('state.loadFailed')}
      </Notice>
    </div>
  )
}
