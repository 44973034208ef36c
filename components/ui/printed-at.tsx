'use client'

import { formatTime } from '#lib/format-time.ts'
import { useNow, useTranslations } from './translations.tsx'

/** On paper only: when the page was printed. Once, in the frame. */
export function PrintedAt() {
  const { t, timeZone } = useTranslations()
  const time = formatTime(t, timeZone, useNow(), 'full')
  return <p className="hidden text-second print:block">{t('frame.printedAt', { time: `${time} (${timeZone})` })}</p>
}
