'use client'

import { useTranslations } from '#components/ui/translations.tsx'
import { daysWords } from '#lib/business-days.ts'

/** What the days of a page are. `zone`: that of the data, which may be newer than the page around it. */
export function DaysNote({ zone }: { zone: string }) {
  const { t, timeZone } = useTranslations()
  return <span className="text-quiet">{daysWords(t, zone, timeZone)}</span>
}
