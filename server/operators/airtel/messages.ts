import { z } from 'zod'
import { type AnswerTable, ended, KNOWN, OUR_FAULT, refused, UNKNOWN } from '../answer-table.ts'
import type { StatusEnquiry } from '../connector.ts'
import { identifierSchema } from '../wire-formats.ts'

/** The messages that Airtel sends. Ours are written out in create-airtel-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // Text in the documentation; a number in some replies.
  expires_in: z.coerce.number().positive().max(86_400),
})

/** An error of the gateway, and one of the router behind it. */
export const problemSchema = z.object({
  error: z.string().optional(),
  status_code: z.string().optional(),
  status_message: z.string().optional(),
})

/** Airtel names a code in one of several fields, and leaves out what it has nothing for. */
const statusSchema = z.object({
  message: z.string().nullish(),
  result_code: identifierSchema,
  response_code: identifierSchema,
  success: z.boolean().optional(),
})

const transactionSchema = z.object({
  // Published samples of a payment have `false`, and no id.
  id: z.union([z.boolean().transform(() => undefined), identifierSchema]),
  status: z.string().nullish(),
  airtel_money_id: identifierSchema,
  reference_id: identifierSchema,
})

/** The answer to a payment, a disbursement and a status enquiry. Refusals come with HTTP 200 and without data. */
export const transferSchema = z.object({
  data: z.object({ transaction: transactionSchema.nullish() }).nullish(),
  status: statusSchema,
})
export type AirtelTransfer = z.infer<typeof transferSchema>

/** The answer to a refund. */
export const refundSchema = z.object({
  data: z.object({ transaction: z.object({ airtel_money_id: identifierSchema }).nullish() }).nullish(),
  status: statusSchema,
})

/** Codes with which Airtel refuses a refund: it did not carry it out, or knows no such payment. Any other one is unknown. */
export const REFUND_REFUSALS: ReadonlySet<string> = new Set(['ESB000011', 'ESB000045'])

export const keySchema = z.object({ data: z.object({ key: z.string().min(1).max(4_096) }) })

/** Thousands are separated by commas. Version 2 may send a number. */
export const balanceSchema = z.object({
  data: z.object({ balance: z.union([z.string(), z.number()]), currency: z.string().optional() }),
  status: statusSchema.optional(),
})

export const userSchema = z.object({
  // Which fields there are differs between versions. `msisdn` is the number that the answer is about.
  data: z
    .object({
      is_barred: z.boolean().nullish(),
      first_name: z.string().nullish(),
      last_name: z.string().nullish(),
      full_name: z.string().nullish(),
      msisdn: z.union([z.string(), z.number()]).nullish(),
    })
    .nullish(),
  status: statusSchema,
})

/** The transaction keeps every field and their order, because the hash is over all of them. */
export const callbackSchema = z.object({ transaction: z.record(z.string(), z.unknown()), hash: z.string().optional() })
export const callbackTransactionSchema = z.object({ id: z.string(), status_code: z.string() })

/**
 * Airtel's codes: collections DP008…, disbursements DP009…, customers DP022…, the router's, and those of `result_code`, which is deprecated and
 * read only where an answer has no `response_code`.
 */
export const AIRTEL_ANSWERS: AnswerTable = {
  DP00800001000: UNKNOWN,
  // The customer entered a wrong PIN, and may begin again.
  DP00800001002: refused('cancelledByCustomer'),
  DP00800001003: refused('other'),
  DP00800001004: refused('other'),
  // Airtel's label is "invalid id", its text says that no PIN was entered.
  DP00800001005: ended('operatorTimeout'),
  DP00800001007: refused('insufficientFunds'),
  DP00800001008: refused('cancelledByCustomer'),
  DP00800001009: refused('other'),
  DP00800001010: refused('notRegistered'),
  DP00800001024: ended('operatorTimeout'),
  DP00800001026: OUR_FAULT,
  DP00800001029: ended('operatorTimeout'),
  DP00900001000: UNKNOWN,
  DP00900001003: refused('other'),
  DP00900001004: refused('other'),
  DP00900001005: refused('other'),
  // Our own balance.
  DP00900001007: refused('insufficientFunds'),
  DP00900001009: refused('other'),
  DP00900001010: refused('other'),
  DP00900001011: KNOWN,
  DP00900001012: refused('invalidNumber'),
  // Any bad field. Its `result_code` or its message says which one (read-transfer.ts).
  DP00900001013: refused('other'),
  // Timed out: final only if a status enquiry reports it together with TF.
  DP00900001014: ended('operatorTimeout'),
  DP00900001016: OUR_FAULT,
  DP00900001017: KNOWN,
  DP00900001018: OUR_FAULT,
  DP00900001019: OUR_FAULT,
  DP02200000002: refused('notRegistered'),
  521002: refused('invalidNumber'),
  521050: KNOWN,
  // Ambiguous: Airtel asks for a status enquiry.
  ESB000001: UNKNOWN,
  ESB000004: UNKNOWN,
  ESB000008: UNKNOWN,
  ESB000014: UNKNOWN,
  '0000900': UNKNOWN,
  // "External Transaction ID already exists."
  ESB000041: KNOWN,
  // The PIN cannot be decrypted, or is wrong.
  ROUTER114: OUR_FAULT,
  ROUTER115: OUR_FAULT,
  ROUTER116: OUR_FAULT,
}

/** Airtel does not know the id. */
export const UNKNOWN_ID = new Set(['DP00800001025', 'DP00900001015'])

/** In progress: Airtel has the transaction. */
export const UNDER_WAY = new Set(['DP00800001006', 'DP00900001006'])

type Ids = Pick<StatusEnquiry, 'reference' | 'applicationId'>

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/**
 * Airtel's `transaction.id`: the transaction's id and the application's, without dashes. Together they have the 64 characters that Airtel
 * allows. A callback repeats nothing else, so it names the whole key of its row.
 */
export function airtelId({ reference, applicationId }: Ids): string {
  return (reference + applicationId).replaceAll('-', '')
}

/** Returns the ids in an id of Airtel's; undefined if it is not one of ours. */
export function idsIn(id: string): Ids | undefined {
  if (!/^[0-9a-f]{64}$/.test(id)) return undefined
  return { reference: id.slice(0, 32).replace(UUID, '$1-$2-$3-$4-$5'), applicationId: id.slice(32).replace(UUID, '$1-$2-$3-$4-$5') }
}
