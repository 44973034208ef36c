import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { CURRENCIES, type Currency } from '#lib/money/money.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { identifierSchema, reportedAmountSchema } from '../wire-formats.ts'

/** POST /v1/<operator>/transfers. Amounts are decimal strings: nothing on the way can round them. */
export type TransferRequest = {
  reference: string
  direction: TransactionType
  amount: string
  currency: Currency
  phoneNumber: string
  customerName: string
  /** Sent back in callbacks as it came. */
  context: string
  callbackUrl: string | undefined
}

/** The answer to a submission and to a status enquiry, and the body of a callback. */
export const transferSchema = z.object({
  reference: z.string(),
  status: z.enum(['PENDING', 'SUCCESS', 'FAILED']),
  message: z.string().optional(),
  operatorReference: z.string(),
  token: z.string().optional(),
  context: z.string(),
  /** The movement as the operator has it. A gateway may leave it out; then it is not compared. */
  amount: reportedAmountSchema,
  currency: z.string().nullish(),
  phoneNumber: identifierSchema,
})
export type Transfer = z.infer<typeof transferSchema>

/** Any refusal: `code` says which. */
export const problemSchema = z.object({ code: z.string(), message: z.string() })

/** GET /v1/<operator>/balance. */
export const balanceSchema = z.object({ collect: z.string(), deposit: z.string(), currency: z.enum(CURRENCIES) })

/** The header that carries `t=<unix seconds>,v1=<hex>`. */
export const SIGNATURE_HEADER = 'x-sandbox-signature'

/** An older signature is refused: a recorded callback cannot be replayed later. */
const AGE_SECONDS_MAX = 300

/** Signs the raw bytes of a callback together with its time. */
export function signCallback(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000)
  return `t=${seconds},v1=${digest(secret, seconds, Buffer.from(body))}`
}

/** True for a signature of exactly these bytes, made with this secret within the last five minutes. Constant time. */
export function isSignedCallback(secret: string, header: string, body: Buffer, now: Date): boolean {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header)
  if (!match) return false
  const [, time = '', hex = ''] = match
  if (Math.abs(now.getTime() / 1_000 - Number(time)) > AGE_SECONDS_MAX) return false
  return timingSafeEqual(Buffer.from(hex, 'hex'), Buffer.from(digest(secret, Number(time), body), 'hex'))
}

function digest(secret: string, seconds: number, body: Buffer): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
}
