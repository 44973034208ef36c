import type { Locale } from '#lib/i18n/locale.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isTimeZone } from '#lib/time-zones.ts'
import { appendAudit, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updatePreferences } from './signed-in-store.ts'

type ChangeOwnPreferences = { personId: string; locale?: Locale | undefined; timeZone?: string | undefined }

/**
 * A person chooses their language, their time zone (an IANA name that this machine knows), or both; omitted settings are unchanged. In
 * force with their next page, on every device.
 */
export async function changeOwnPreferences(
  pool: Pool,
  command: ChangeOwnPreferences,
): Promise<Result<void, 'unknown_time_zone' | 'unknown_person'>> {
  const { personId, locale, timeZone } = command
  if (timeZone !== undefined && !isTimeZone(timeZone)) return err('unknown_time_zone')
  return withTransaction<void, 'unknown_person'>(pool, async (trx) => {
    if (!(await updatePreferences(trx, personId, { locale, timeZone }))) return err('unknown_person')
    await appendAudit(trx, {
      applicationId: SERVICE_WIDE,
      actor: { kind: 'person', id: personId },
      action: 'person.preferences_changed',
      subject: personId,
      details: { ...(locale && { locale }), ...(timeZone && { timeZone }) },
    })
    return ok(undefined)
  })
}
