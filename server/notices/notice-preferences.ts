import { z } from 'zod'
import { ok } from '#lib/result.ts'
import type { NoticeCause } from '#lib/webhooks/notice-event.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { upsertPreferences, upsertTimes } from './notice-store.ts'
import { noticeTimesSchema } from './notice-times.ts'

/** The causes that a person can choose about. A sign-in from a new device and a new passkey are always reported. */
export const CHOSEN_CAUSES = [
  'approval_waiting',
  'approval_expiring',
  'change_waiting',
  'change_expiring',
  'change_confirmed',
  'change_refused',
  'payment_rejected',
  'payment_expired',
  'payment_failed',
  'batch_ended',
  'list_not_prepared',
  'exception_overdue',
  'balance_low',
  'float_short',
  'operator_down',
  'webhooks_failing',
  'key_expiring',
  'monthly_totals',
] as const satisfies readonly NoticeCause[]
export const DELIVERIES = ['at_once', 'digest', 'never'] as const

/** A choice for every cause. */
export const noticePreferencesSchema = z.record(z.enum(CHOSEN_CAUSES), z.enum(DELIVERIES))
/** `causes`: by e-mail. `inBrowser`: those that are reported in the person's browsers too. */
export const noticeSettingsSchema = z.object({
  causes: noticePreferencesSchema,
  inBrowser: z.array(z.enum(CHOSEN_CAUSES)).max(CHOSEN_CAUSES.length),
  times: noticeTimesSchema,
})
type NoticeSettings = z.infer<typeof noticeSettingsSchema>

/**
 * Stores how a person wants to be told of each cause, and when. Applies to messages that are not stored yet; `never`, the choice of browsers and quiet
 * hours to all that are not sent.
 */
export async function changeNoticeSettings(pool: Pool, personId: string, { causes, inBrowser, times }: NoticeSettings): Promise<void> {
  await withTransaction(pool, async (trx) => {
    await upsertPreferences(trx, personId, causes, inBrowser)
    await upsertTimes(trx, personId, times)
    return ok(undefined)
  })
}
