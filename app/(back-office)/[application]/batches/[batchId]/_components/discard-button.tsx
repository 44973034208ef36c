'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { discardBatch } from '../../actions.ts'
import { useChange } from './use-change.ts'

/** Discards the batch, after a second press. */
export function DiscardButton({ application, batchId, version }: { application: string; batchId: string; version: number }) {
  const t = useT()
  const { change, error, isBusy } = useChange()
  const [isAsking, setIsAsking] = useState(false)
  if (!isAsking) return <Button onClick={() => setIsAsking(true)}>{t('batches.discard')}</Button>
  return (
    <>
      <Button
        variant="danger"
        isBusy={isBusy}
        onClick={() => void change(() => discardBatch(application, { batchId, version }), t('batches.discarded'))}
      >
        {t('batches.discardReally')}
      </Button>
      <Button onClick={() => setIsAsking(false)}>{t('ui.cancel')}</Button>
      {error && (
        <p role="alert" className="basis-full text-bad">
          {error}
        </p>
      )}
    </>
  )
}
