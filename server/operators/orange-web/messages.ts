import { z } from 'zod'
import { identifierSchema } from '#server/operators/wire-formats.ts'

/** The messages that Orange sends. Ours are written out in create-orange-web-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // A number in the documentation; text in some answers.
  expires_in: z.coerce.number().positive().max(31_536_000),
})

export const pageSchema = z.object({ pay_token: z.string().min(1).max(200), payment_url: z.url() })

/** `code` is read for settings with meanings of codes. As far as is published, Orange sends none. */
export const statusSchema = z.object({ status: z.string(), order_id: z.string(), txnid: identifierSchema, code: identifierSchema })

/** The body of a notification. Its notif_token is not compared: a notification is a hint, and the query that follows decides. */
export const notificationSchema = z.object({ status: z.string(), notif_token: z.string() })
