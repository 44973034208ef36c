import { OPERATORS } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { ClaimedWork } from '#server/operators/operator-work-store.ts'
import { nationalNumber } from '#server/operators/wire-formats.ts'

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
export function countedNumber(payment: Pick<Payment, 'operator' | 'phoneNumber'>): string {
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
