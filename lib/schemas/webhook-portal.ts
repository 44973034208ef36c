import { z } from 'zod'
import { isUtcDay } from '#lib/time.ts'
import { FAILED_OUTCOMES } from '#lib/webhook-portal.ts'
import { WEBHOOK_STATES } from '#lib/webhook-state.ts'

const day = z.string().refine(isUtcDay).nullable().default(null)

/** The address of the list of deliveries. `before`: the delivery after which the page begins. */
export const deliveryFilterSchema = z.object({
  state: z.enum(WEBHOOK_STATES).nullable().default(null),
  cause: z.enum(FAILED_OUTCOMES).nullable().default(null),
  from: day,
  to: day,
  before: z.uuid().nullable().default(null),
})
export type DeliveryFilter = z.output<typeof deliveryFilterSchema>

/** A clock time in the reader's zone, as a browser writes it: `2026-03-14T09:30`. */
const localTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/)
  .refine((text) => isUtcDay(text.slice(0, 10)))

/** Which deliveries to send again. */
export const recoverySchema = z.object({ since: localTime, includesDelivered: z.boolean() })
/** `counted` is what the person saw and agreed to. */
export const recoveryStartSchema = recoverySchema.extend({ counted: z.int().min(1).max(100_000_000) })
export const webhookTestSchema = z.object({ url: z.string().trim().min(1).max(2_048) })
