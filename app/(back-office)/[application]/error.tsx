'use client'

import { useParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { useIsOnline } from '#components/ui/online.tsx'
import { useT } from '#components/ui/translations.tsx'
import { reloadOnceAnswered } from '#lib/reload-once-answered.ts'
import { DATABASE_AWAY_DIGEST } from '#lib/result.ts'

/**
 * Shown if a page of the back office fails: says what happened and what to do. The reference is also in the log; that of a failure in the
 * browser appears once it was reported. Code that cannot be loaded belongs to an earlier deployment, or there is no connection: then the page
 * is loaded again once connected, as it is once the database can be reached again. "Try again" loads it again too, because what failed may be in the data that it holds.
 */
export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  const t = useT()
  const isOnline = useIsOnline()
  const { application } = useParams<{ application: string }>()
  const [reference, setReference] = useState(error.digest)
  const isCodeMissing = error.name === 'ChunkLoadError'
  const kind = !isOnline ? 'offline' : isCodeMissing ? 'outdated' : error.digest === DATABASE_AWAY_DIGEST ? 'unavailable' : 'error'
  useEffect(() => {
    if (isOnline) return
    const reload = () => location.reload()
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [isOnline])
  useEffect(() => (kind === 'unavailable' ? reloadOnceAnswered() : undefined), [kind])
  useEffect(() => {
    if (kind !== 'error' || error.digest) return
    import('./_components/report-failure.ts')
      .then(({ reportFailure }) => reportFailure(application, error))
      // biome-ignore lint/plugin/no-silent-error: the failure was not reported, and the page says what to do all the same.
      .then(setReference, () => undefined)
  }, [application, error, kind])
  return (
    // Its code is loaded with every page, because what failed may be the connection: no component beyond what it needs.
    <div className="flex flex-col items-start gap-3 py-12 sm:items-center sm:text-center">
      {/* The title of the page may have failed as well. */}
      <title>{`${t(`state.${kind}Title`)} · Countersign`}</title>
      <h1>{t(`state.${kind}Title`)}</h1>
      <p className="max-w-lg text-ink-2">
        {kind === 'error' ? t('state.errorText', { reference: reference ?? '–' }) : t(`state.${kind}Text`)}
      </p>
      <button type="button" onClick={() => location.reload()} className="button button-primary button-medium">
        {t(kind === 'outdated' ? 'state.reload' : 'ui.retry')}
      </button>
    </div>
  )
}
