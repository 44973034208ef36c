import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { countRefusedCodes, NUMBER_REFUSALS_MAX } from './code-number-store.ts'
import { REFUSED_CODES_MAX } from './customer-code-store.ts'

/** A collect as its customer sees it. */
export type CustomerPayment = {
  applicationName: string
  operator: OperatorCode
  status: TransactionStatus
  currency: Currency
  amountMinor: bigint
  phoneNumber: string
  message: string | null
  customerLink: string | null
  /** The operator waits for the customer's code. */
  awaitsCode: boolean
  /** Codes that the operator refused. */
  refusedCodes: number
  /** How many more codes it may refuse before the payment has failed: of this payment, and of the number. */
  triesLeft: number
  /** While a code is awaited: until the payment ends without one. */
  codeTimeLeftMs: number
  ageMs: number
}

/** How long the result is shown. After it, a token is like one that never existed. */
const RESULT_HOURS = 24

const TOKEN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the collect that this token names, until a day after its end. The token was generated here; an operator's own one names nothing. */
export async function findCustomerPayment(queryable: Queryable, payToken: string): Promise<CustomerPayment | undefined> {
  if (!isPayToken(payToken)) return undefined
  const { rows } = await queryable.query<Omit<CustomerPayment, 'triesLeft'>>({
    name: 'find_customer_payment',
    text: `select a.name as "applicationName", t.operator, t.status, t.currency, t.amount_minor as "amountMinor", t.phone_number as "phoneNumber",
             t.message, w.customer_link as "customerLink",
             coalesce(w.state = 'awaiting_code' and w.code_until > clock_timestamp(), false) as "awaitsCode",
             coalesce(w.refused_codes, 0) as "refusedCodes",
             coalesce(extract(epoch from w.code_until - clock_timestamp()) * 1000, 0)::float8 as "codeTimeLeftMs", (extract(epoch from clock_timestamp() - t.created_at) * 1000)::float8 as "ageMs"
           from transactions t
           join applications a on a.application_id = t.application_id
           left join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
           where t.pay_token = $1 and t.type = 'COLLECT'
             and (t.final_at is null or t.final_at > clock_timestamp() - $2 * interval '1 hour')
           limit 1`,
    values: [payToken, RESULT_HOURS],
  })
  const [payment] = rows
  if (!payment) return undefined
  const refusedOfNumber = payment.awaitsCode ? await countRefusedCodes(queryable, payment) : 0
  return { ...payment, triesLeft: Math.min(REFUSED_CODES_MAX - payment.refusedCodes, NUMBER_REFUSALS_MAX - refusedOfNumber) }
}

/** True for what this service generates. */
export function isPayToken(text: string): boolean {
  return TOKEN.test(text)
}
