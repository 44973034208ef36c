'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import { submitBatch } from '../../actions.ts'
import { useChange } from './use-change.ts'

type Props = { application: string; batchId: string; version: number; ready: number; problems: number; twin: BatchDto['twin'] }

/** Submits the rows without problems; the same payments as before only with a reason. */
export function SubmitPanel({ application, batchId, version, ready, problems, twin }: Props) {
  const t = useT()
  const { change, error, isBusy } = useChange()
  const [reason, setReason] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  async function submit() {
    const repeatReason = reason.trim() || null
    setIsMissing(twin !== null && repeatReason === null)
    if (twin !== null && repeatReason === null) return
    await change(() => submitBatch(application, { batchId, version, repeatReason }))
  }
  return (
    <div className="grid gap-3">
      {problems > 0 && <p className="text-wait">{t('batches.problemsStay', { count: problems })}</p>}
      {twin !== null && (
        <TextField
          id="repeat-reason"
          label={t('batches.repeatReason')}
          value={reason}
          maxLength={500}
          error={isMissing ? t('form.field.required') : undefined}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {error && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" disabled={ready === 0} isBusy={isBusy} onClick={() => void submit()}>
          {t('batches.submit')}
        </Button>
        <span className="text-ink-2">{t('batches.submitCount', { count: ready })}</span>
      </div>
    </div>
  )
}
