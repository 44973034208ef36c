'use client'

import { useEffect, useState } from 'react'
import { ReleaseField } from '#components/form/release-field.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { ProgressBar } from '#components/ui/display/badge.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { BatchDto } from '#lib/batches/batches.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import { instantIn } from '#lib/time/format-time.ts'
import { discardBatch, submitBatch } from '../../actions.ts'
import { BATCH_CHANGE } from './corrections.tsx'

type Props = { application: string; batchId: string; version: number; ready: number; problems: number; twin: BatchDto['twin'] }

/** Submits the rows without problems; the same payments as before only with a reason. */
export function SubmitPanel({ application, batchId, version, ready, problems, twin }: Props) {
  const { t, businessZone } = useTranslations()
  const { run, isPending, error } = useAction(
    (repeatReason: string | null, releaseAt: string | null) => submitBatch(application, { batchId, version, repeatReason, releaseAt }),
    BATCH_CHANGE,
  )
  const [reason, setReason] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const [local, setLocal] = useState('')
  const [isTimeWrong, setIsTimeWrong] = useState(false)
  function submit() {
    const repeatReason = reason.trim() || null
    setIsMissing(twin !== null && repeatReason === null)
    const releaseAt = local === '' ? null : instantIn(businessZone, local)
    setIsTimeWrong(releaseAt === undefined)
    if ((twin === null || repeatReason !== null) && releaseAt !== undefined) run(repeatReason, releaseAt?.toISOString() ?? null)
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
      <ReleaseField
        id="release-at"
        value={local}
        hint={t('batch.release.hint')}
        error={isTimeWrong ? t('batch.refused.wrong_time') : undefined}
        onChange={setLocal}
      />
      {error && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" disabled={ready === 0} isBusy={isPending} onClick={submit}>
          {t('batches.submit')}
        </Button>
        <span className="text-ink-2">{t('batches.submitCount', { count: ready })}</span>
      </div>
    </div>
  )
}

/** Discards the batch, after a second press. */
export function DiscardButton({ application, batchId, version }: { application: string; batchId: string; version: number }) {
  const t = useT()
  const { run, isPending, error } = useAction(() => discardBatch(application, { batchId, version }), {
    ...BATCH_CHANGE,
    said: () => t('batches.discarded'),
  })
  const [isAsking, setIsAsking] = useState(false)
  if (!isAsking) return <Button onClick={() => setIsAsking(true)}>{t('batches.discard')}</Button>
  return (
    <>
      <Button variant="danger" isBusy={isPending} onClick={() => run()}>
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

const REFRESH_MS = 1_500

/** How many rows have been prepared for approval; the page is read again until all are. */
export function Submitting({ application, started, total }: { application: string; started: number; total: number }) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  useEffect(() => {
    // Asked for first: a page that is read again without an answer would be replaced by the browser's error page.
    const read = () =>
      fetch(paths.data(application, 'waiting')).then(
        (answer) => answer.ok && router.refresh(),
        // biome-ignore lint/plugin/no-silent-error: asked again in a moment.
        () => undefined,
      )
    const timer = setInterval(() => void read(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [application, router])
  return (
    <section className="grid max-w-xl gap-2" aria-label={t('batches.submitting')}>
      <p role="status">{t('batches.submittingText', { started: formatCount(started, locale), total: formatCount(total, locale) })}</p>
      <ProgressBar label={t('batches.submitting')} value={started} max={total} />
      <p className="text-second text-quiet">{t('batches.submittingHint')}</p>
    </section>
  )
}
