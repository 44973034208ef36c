import { z } from 'zod'

const code = z.string().regex(/^-?\d{1,4}$/)

/** The messages that Moov sends, as the texts of the elements of an answer. Ours are written out in create-moov-connector.ts. */
export const pushSchema = z.object({ status: code, referenceid: z.string().optional(), transid: z.string().optional() })

export const transferSchema = z.object({ status: code, referenceid: z.string().optional(), transactionid: z.string().optional() })

export const balanceSchema = z.object({ status: code, balance: z.string() })

export const accountSchema = z.object({ status: code, allowedtransfer: z.string().optional() })
