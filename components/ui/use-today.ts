'use client'

import { dayIn } from '#lib/business-days.ts'
import type { UtcDay } from '#lib/time.ts'
import { useNow, useTranslations } from './translations.tsx'

/** Returns the present day in the application's business time zone. Apart from the translations, which every page loads. */
export function useToday(): UtcDay {
  const { businessZone } = useTranslations()
  return dayIn(businessZone, useNow())
}
