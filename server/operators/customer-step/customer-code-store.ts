import { OPERATORS } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { customerCodePlace } from '#server/secrets-at-rest/sealed-columns.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import type { Exchange } from '../connector.ts'
import { nationalNumber } from '../wire-formats.ts'
import type { ClaimedWork } from '../work/operator-work-store.ts'

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

/** Codes of one number that an operator may refuse within a day, over all payments of all applications. */
export const NUMBER_REFUSALS_MAX = 6

/** A customer may take so long, from the moment at which the page first shows the field. */
export const CODE_MINUTES = 30

type Payment = Pick<ClaimedWork, 'transactionId' | 'operator' | 'phoneNumber'>

/**
 * `occupied`: another payment of the number awaits a code, so that the customer would not know which payment a code is for. `blocked`: its codes
 * were refused too often, so that somebody could be trying them out.
 */
export type NumberRefusal = 'occupied' | 'blocked'

/**
 * The one spelling of a payment's number under which its codes are counted: without zeros after the dial code, which an operator may ignore.
 * Each spelling would otherwise have six tries of its own.
 */
function countedNumber(payment: Pick<Payment, 'operator' | 'phoneNumber'>): string {
  return OPERATORS[payment.operator].country.dialCode + nationalNumber(payment).replace(/^0+/, '')
}

/** Makes this payment the one that may ask the number for a code, as long as a customer may take. Undefined if it is. */
export async function holdNumber(queryable: Queryable, payment: Payment): Promise<NumberRefusal | undefined> {
  const { transactionId, operator } = payment
  const { rows } = await queryable.query<{ is_held: boolean; is_blocked: boolean }>({
    name: 'hold_customer_number',
    text: `with held as (
             insert into customer_code_numbers as n (operator, phone_number, transaction_id, held_until)
               values ($1, $2, $3, clock_timestamp() + $4 * interval '1 minute')
               on conflict (operator, phone_number) do update set transaction_id = excluded.transaction_id, held_until = excluded.held_until
                 where (n.transaction_id = excluded.transaction_id or n.held_until <= clock_timestamp())
                   and (select count(*) from unnest(n.refused_at) r where r > clock_timestamp() - interval '24 hours') < $5
               returning 1)
           select exists (select from held) as is_held,
                  coalesce((select count(*) >= $5 from customer_code_numbers n, unnest(n.refused_at) r
                    where n.operator = $1 and n.phone_number = $2 and r > clock_timestamp() - interval '24 hours'), false) as is_blocked`,
    values: [operator, countedNumber(payment), transactionId, CODE_MINUTES, NUMBER_REFUSALS_MAX],
  })
  const [row] = rows
  if (row?.is_held) return undefined
  return row?.is_blocked ? 'blocked' : 'occupied'
}

/** Another payment of the number may ask for a code. */
export async function releaseNumber(queryable: Queryable, payment: Payment): Promise<void> {
  const { transactionId, operator } = payment
  await queryable.query({
    name: 'release_customer_number',
    text: `update customer_code_numbers set held_until = clock_timestamp()
           where operator = $1 and phone_number = $2 and transaction_id = $3 and held_until > clock_timestamp()`,
    values: [operator, countedNumber(payment), transactionId],
  })
}

/** Counts a code that the operator refused. */
export async function storeRefusedCode(queryable: Queryable, payment: Payment): Promise<void> {
  const { transactionId, operator } = payment
  await queryable.query({
    name: 'store_refused_code',
    text: `insert into customer_code_numbers as n (operator, phone_number, transaction_id, held_until, refused_at)
             values ($1, $2, $3, clock_timestamp(), array[clock_timestamp()])
             on conflict (operator, phone_number) do update
               set refused_at = array(select r from unnest(n.refused_at) r where r > clock_timestamp() - interval '24 hours')
                 || clock_timestamp()`,
    values: [operator, countedNumber(payment), transactionId],
  })
}

/** Returns how many codes of a payment's number were refused within a day. */
export async function countRefusedCodes(queryable: Queryable, payment: Pick<Payment, 'operator' | 'phoneNumber'>): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>({
    name: 'count_refused_codes',
    text: `select count(*)::integer as count from customer_code_numbers n, unnest(n.refused_at) r
           where n.operator = $1 and n.phone_number = $2 and r > clock_timestamp() - interval '24 hours'`,
    values: [payment.operator, countedNumber(payment)],
  })
  return rows[0]?.count ?? 0
}

/** Removes the numbers whose refusals count no longer. */
export async function removeCodeNumbersBefore(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(
    'delete from customer_code_numbers where held_until < $1 and not exists (select from unnest(refused_at) r where r >= $1)',
    [before],
  )
}
