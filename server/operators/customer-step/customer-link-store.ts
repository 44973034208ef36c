import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { CustomerPageTerms } from '#lib/partner/customer-page.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { CODE_MINUTES, countRefusedCodes, NUMBER_REFUSALS_MAX, REFUSED_CODES_MAX } from './customer-code-store.ts'

type WorkKey = { applicationId: string; transactionId: string }

/** Stores where the customer has to go. The first link stays: the customer may have it already. */
export async function storeCustomerLink(queryable: Queryable, { applicationId, transactionId }: WorkKey, link: string): Promise<void> {
  await queryable.query({
    name: 'store_customer_link',
    text: `update operator_work set customer_link = $3 where application_id = $1 and transaction_id = $2 and customer_link is null`,
    values: [applicationId, transactionId, link],
  })
}

/** The token that names the customer's page. */
export async function findPayToken(queryable: Queryable, { applicationId, transactionId }: WorkKey): Promise<string | undefined> {
  const { rows } = await queryable.query<{ pay_token: string }>({
    name: 'find_pay_token',
    text: 'select pay_token from transactions where application_id = $1 and transaction_id = $2',
    values: [applicationId, transactionId],
  })
  return rows[0]?.pay_token
}

/** A collect as its customer sees it. */
export type CustomerPayment = {
  applicationName: string
  operator: OperatorCode
  status: TransactionStatus
  currency: Currency
  amountMinor: bigint
  phoneNumber: string
  purpose: string
  externalId: string
  operatorReference: string | null
  finalAt: Date | null
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
  /** The digest of the application's picture, by which it is served. */
  logoDigest: string | null
  /** The token of the payment link at which the customer started it; null: a program did. */
  linkToken: string | null
  page: Omit<CustomerPageTerms, 'logo'>
}

/** How long the result is shown. After it, a token is like one that never existed. */
const RESULT_HOURS = 24

/** The address of the customer's page of a collect, below ours; null for a deposit, and once the page has expired. */
export async function findCustomerPage(queryable: Queryable, { applicationId, transactionId }: WorkKey): Promise<string | null> {
  const { rows } = await queryable.query<{ payToken: string }>({
    name: 'find_customer_page',
    text: `select pay_token as "payToken" from transactions where application_id = $1 and transaction_id = $2 and type = 'COLLECT'
             and (final_at is null or final_at > clock_timestamp() - $3 * interval '1 hour')`,
    values: [applicationId, transactionId, RESULT_HOURS],
  })
  return rows[0] ? `/pay/${rows[0].payToken}` : null
}

const TOKEN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the collect that this token names, until a day after its end. The token was generated here; an operator's own one names nothing. */
export async function findCustomerPayment(queryable: Queryable, payToken: string): Promise<CustomerPayment | undefined> {
  if (!isPayToken(payToken)) return undefined
  const { rows } = await queryable.query<Omit<CustomerPayment, 'triesLeft' | 'page'> & Omit<CustomerPageTerms, 'logo'>>({
    name: 'find_customer_payment',
    text: `select a.name as "applicationName", t.operator, t.status, t.currency, t.amount_minor as "amountMinor", t.phone_number as "phoneNumber",
             t.purpose, t.external_id as "externalId", t.operator_reference as "operatorReference", t.final_at as "finalAt", p.logo_digest as "logoDigest",
             p.support, p.return_url as "returnUrl", coalesce(p.offers_retry, false) as "offersRetry",
             t.message, w.customer_link as "customerLink",
             (select l.token from payment_link_payments m join payment_links l on l.application_id = m.application_id and l.link_id = m.link_id
                where m.application_id = t.application_id and m.transaction_id = t.transaction_id) as "linkToken",
             coalesce(w.state = 'awaiting_code' and w.code_until > clock_timestamp(), false) as "awaitsCode",
             coalesce(w.refused_codes, 0) as "refusedCodes",
             coalesce(extract(epoch from w.code_until - clock_timestamp()) * 1000, 0)::float8 as "codeTimeLeftMs", (extract(epoch from clock_timestamp() - t.created_at) * 1000)::float8 as "ageMs"
           from transactions t
           join applications a on a.application_id = t.application_id
           left join customer_pages p on p.application_id = t.application_id
           left join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
           where t.pay_token = $1 and t.type = 'COLLECT'
             and (t.final_at is null or t.final_at > clock_timestamp() - $2 * interval '1 hour')
           limit 1`,
    values: [payToken, RESULT_HOURS],
  })
  const [row] = rows
  if (!row) return undefined
  const { support, returnUrl, offersRetry, ...payment } = row
  const refusedOfNumber = payment.awaitsCode ? await countRefusedCodes(queryable, payment) : 0
  return {
    ...payment,
    page: { support, returnUrl, offersRetry },
    triesLeft: Math.min(REFUSED_CODES_MAX - payment.refusedCodes, NUMBER_REFUSALS_MAX - refusedOfNumber),
  }
}

/** True for what this service generates. */
export function isPayToken(text: string): boolean {
  return TOKEN.test(text)
}

/** A customer whose code a payment awaits. */
type AwaitingCustomer = { payToken: string; phoneNumber: string; submissions: number }

/** A tester who opened the page and went away does not keep the payment open until its time ends. */
const TESTER_MINUTES = 5
const LISTED_MAX = 500

/** The payments that have awaited a code for so long, and whose page no tester has open. */
export async function listAwaitingCustomers(queryable: Queryable, afterMs: number): Promise<AwaitingCustomer[]> {
  const { rows } = await queryable.query<AwaitingCustomer>({
    name: 'list_awaiting_customers',
    text: `select t.pay_token as "payToken", t.phone_number as "phoneNumber", w.submissions
           from operator_work w
           join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
           where w.phase = 'awaiting_code' and w.customer_code is null
             and w.code_until > clock_timestamp()
             and w.code_until <= clock_timestamp() + $1 * interval '1 minute' - $2 * interval '1 millisecond'
             and (w.page_opened_at is null or w.page_opened_at < clock_timestamp() - $3 * interval '1 minute')
           order by w.code_until
           limit $4`,
    values: [CODE_MINUTES, afterMs, TESTER_MINUTES, LISTED_MAX],
  })
  return rows
}
