import type { Queryable } from '#server/database/pool.ts'
import { CODE_MINUTES } from './code-number-store.ts'

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
