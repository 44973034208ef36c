import { z } from 'zod'
import { reportedAmountSchema } from '#server/operators/wire-formats.ts'

/** The messages that Orange sends. Ours are written out in create-orange-cm-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // The remaining lifetime: the same token is returned until it ends, and in its last second that is 0.
  expires_in: z.coerce.number().nonnegative().max(86_400),
})

/** Nothing that is kept may be cut or cleaned on the way: another form is not a payToken. */
export const initSchema = z.object({ data: z.object({ payToken: z.string().regex(/^[\w.-]{1,100}$/) }) })

/** Text, numbers and null are mixed in the replies that were seen. */
const text = z.union([z.string(), z.number()]).transform(String).nullish()

const paymentSchema = z.object({
  payToken: text,
  status: text,
  /** Repeats our orderId. */
  txnmode: text,
  txnid: text,
  inittxnstatus: text,
  confirmtxnstatus: text,
  subscriberMsisdn: text,
  amount: reportedAmountSchema,
})
export type OrangePayment = z.infer<typeof paymentSchema>

/** The answer to `pay` and `paymentstatus`; a refusal may have no data. An error of the gateway has neither, but `fault`. */
export const paymentAnswerSchema = z.object({ message: text, data: paymentSchema.nullish() })
export type OrangePaymentAnswer = z.infer<typeof paymentAnswerSchema>

export const subscriberSchema = z.object({
  message: text,
  data: z.object({ firstName: z.string().nullish(), lastName: z.string().nullish() }).nullish(),
})

export const notificationSchema = z.object({ payToken: z.string(), status: z.string() })

/** The ids that we put into the address for notifications. */
export const notificationAddressSchema = z.object({ transaction: z.uuid(), application: z.uuid() })
