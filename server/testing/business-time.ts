import type { BusinessTime } from '#lib/time/format-time.ts'

/** An application whose days are UTC days. */
export function inUtc(applicationId: string): BusinessTime {
  return { applicationId, businessZone: 'UTC' }
}
