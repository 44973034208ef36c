'use client'

import { useEffect } from 'react'
import { ProgressBar } from '#components/ui/progress-bar.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { formatCount } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'

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
