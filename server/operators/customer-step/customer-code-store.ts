import type { Queryable } from '#server/database/pool.ts'
import type { Exchange } from '#server/operators/connector.ts'
import type { ClaimedWork } from '#server/operators/operator-work-store.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/process-keyring.ts'
import { customerCodePlace } from '#server/secrets-at-rest/sealed-columns.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import { CODE_MINUTES, countedNumber, holdNumber, NUMBER_REFUSALS_MAX, type NumberRefusal } from './code-number-store.ts'

/** After this many refused codes the payment ends: an operator's codes are short. */
export const REFUSED_CODES_MAX = 3

type Submission = Pick<ClaimedWork, 'applicationId' | 'transactionId' | 'operator' | 'phoneNumber' | 'submissions' | 'number'>

/**
 * Takes the code out of the row of this submission, so that it is sent at most once: a process that ends after this has not stored it
 * anywhere. Undefined if the customer has entered none, or if too many codes of the number were refused meanwhile.
 */
export async function takeCode(queryable: Queryable, work: Submission): Promise<{ customerCode: string } | undefined> {
  const { applicationId, transactionId, submissions } = work
  const { rows } = await queryable.query<{ customer_code: string }>({
    name: 'take_customer_code',
    text: `update operator_work set customer_code = null
           where application_id = $1 and transaction_id = $2 and state = 'submitting' and submissions = $3 and customer_code is not null
             and (select count(*) from customer_code_numbers n, unnest(n.refused_at) r
                    where n.operator = $4 and n.phone_number = $5 and r > clock_timestamp() - interval '24 hours') < $6
           returning old.customer_code`,
    values: [applicationId, transactionId, submissions, work.operator, countedNumber(work), NUMBER_REFUSALS_MAX],
  })
  const [row] = rows
  if (!row) return undefined
  const customerCode = keyringOfProcess().open(customerCodePlace(applicationId, transactionId), row.customer_code)
  return { customerCode }
}

/**
 * Ends a submission that sent nothing, or whose code was refused (`refusal`), and waits for the customer. Returns why the customer may not try
 * again, or `spent` after the last try of this payment; the row is then unchanged.
 */
export async function awaitCode(
  queryable: Queryable,
  work: Submission,
  refusal: Exchange | undefined,
): Promise<'awaiting' | 'spent' | NumberRefusal> {
  const refused = await holdNumber(queryable, work)
  if (refused) return refused
  const { rowCount } = await queryable.query({
    name: 'await_customer_code',
    text: `with waiting as (
             update operator_work set state = 'awaiting_code', is_claimed = false, last_answer = coalesce($6, last_answer),
                 refused_codes = refused_codes + case when $5::text is null then 0 else 1 end,
                 code_until = coalesce(code_until, clock_timestamp() + $8 * interval '1 minute'),
                 next_at = coalesce(code_until, clock_timestamp() + $8 * interval '1 minute')
               where application_id = $1 and transaction_id = $2 and state = 'submitting' and submissions = $3 and accepted_at is null
                 and ($5::text is null or refused_codes + 1 < $7)
               returning application_id, transaction_id, claimed_at)
           insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, answer)
             select w.application_id, w.transaction_id, $4, 'submit', w.claimed_at, clock_timestamp(), coalesce($5, 'not_sent'),
                    coalesce($6, 'Waits for the code of the customer')
               from waiting w
             on conflict (application_id, transaction_id, number) do update
               set finished_at = excluded.finished_at, outcome = excluded.outcome, answer = excluded.answer`,
    values: [
      work.applicationId,
      work.transactionId,
      work.submissions,
      work.number,
      refusal ? 'wrong_code' : null,
      refusal?.answer ?? null,
      REFUSED_CODES_MAX,
      CODE_MINUTES,
    ],
  })
  return rowCount === 1 ? 'awaiting' : 'spent'
}

/** Stores the code that a customer entered, encrypted, and makes its submission due. False if no code is awaited. */
export async function storeCode(queryable: Queryable, payToken: string, code: string): Promise<boolean> {
  const { rows } = await queryable.query<{ application_id: string; transaction_id: string }>({
    name: 'find_awaited_code',
    text: `select w.application_id, w.transaction_id from transactions t
             join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
           where t.pay_token = $1 and t.type = 'COLLECT' and w.state = 'awaiting_code'`,
    values: [payToken],
  })
  const [row] = rows
  if (!row) return false
  const sealed = keyringOfProcess().seal(customerCodePlace(row.application_id, row.transaction_id), code)
  // If people paused or stopped its batch meanwhile, it waits with it, or is ended with it.
  const { rowCount } = await queryable.query({
    name: 'store_customer_code',
    text: `update operator_work w set customer_code = $3,
               state = case when h.is_held then 'paused' else 'queued' end,
               next_at = case when h.is_held then 'infinity' else clock_timestamp() end
             from (select coalesce(batch_run_state_of($1, $2) <> 'running', false) as is_held) h
             where w.application_id = $1 and w.transaction_id = $2 and w.state = 'awaiting_code' and w.code_until > clock_timestamp()`,
    values: [row.application_id, row.transaction_id, sealed],
  })
  return rowCount === 1
}

/**
 * Ends the wait of a row whose earlier submission may have reached the operator: it is queried, with this refusal as its result if the operator
 * denies for long enough that it knows the payment (store-operator-answers.sql).
 */
export async function doubtMissingCode(
  queryable: Queryable,
  { applicationId, transactionId, submissions }: Pick<ClaimedWork, 'applicationId' | 'transactionId' | 'submissions'>,
  refusal: Pick<TransitionItem, 'message' | 'reason'>,
): Promise<void> {
  await queryable.query({
    name: 'doubt_missing_code',
    text: `update operator_work set state = 'unconfirmed', is_claimed = false, next_at = clock_timestamp(), queries = 0, absent_since = null,
             result = 'refused', result_reason = $4, result_code = $5, unconfirmed_since = coalesce(unconfirmed_since, clock_timestamp())
           where application_id = $1 and transaction_id = $2 and state = 'awaiting_code' and submissions = $3`,
    values: [applicationId, transactionId, submissions, refusal.message ?? null, refusal.reason ?? null],
  })
}

/** Notes that a tester has opened the page of this token, if it awaits a code. */
export async function storeTester(queryable: Queryable, payToken: string): Promise<void> {
  await queryable.query({
    name: 'note_page_opened',
    text: `update operator_work w set page_opened_at = clock_timestamp() from transactions t
           where t.pay_token = $1 and t.type = 'COLLECT' and w.application_id = t.application_id and w.transaction_id = t.transaction_id
             and w.state = 'awaiting_code'`,
    values: [payToken],
  })
}
