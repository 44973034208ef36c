'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { useTranslations } from '#components/ui/translations.tsx'
import { formatCount } from '#lib/format.ts'

const REFRESH_MS = 1_500

/** How many rows have been prepared for approval; the page is read again until all are. */
export function Submitting({ started, total }: { started: number; total: number }) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [router])
  return (
    <section className="grid max-w-xl gap-2" aria-label={t('batches.submitting')}>
      <p role="status">{t('batches.submittingText', { started: formatCount(started, locale), total: formatCount(total, locale) })}</p>
      <progress value={started} max={Math.max(total, 1)} aria-label={t('batches.submitting')} className="h-2 w-full accent-accent" />
      <p className="text-second text-quiet">{t('batches.submittingHint')}</p>
    </section>
  )
}
