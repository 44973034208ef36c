import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'

export type ListedPair = { phoneNumber: string; customerName: string; foldedName: string; words: readonly string[] }
export type UnlistedRow = { sequence: bigint; phoneNumber: string; customerName: string }
export type CustomerRow = {
  phoneNumber: string
  customerName: string
  latestAt: Date
  latestOperator: OperatorCode
  latestAmountMinor: bigint
  latestCurrency: Currency
}

/** The applications that have transactions which are not in the list of customers yet, with the sequence from which they lack. */
export async function selectApplicationsBehind(queryable: Queryable): Promise<{ applicationId: string; listedUntil: bigint }[]> {
  const { rows } = await queryable.query<{ applicationId: string; listedUntil: bigint }>(
    `select c.application_id as "applicationId", coalesce(m.listed_until, 0) as "listedUntil"
       from application_counters c left join customer_marks m using (application_id)
      where c.transaction_count > coalesce(m.listed_until, 0)`,
  )
  return rows
}

/** The next transactions after a sequence, in order. Sequences have no gaps and commit in order, so none is passed over. */
export async function selectUnlisted(
  queryable: Queryable,
  applicationId: string,
  listedUntil: bigint,
  countMax: number,
): Promise<UnlistedRow[]> {
  const { rows } = await queryable.query<UnlistedRow>(
    `select t.sequence, t.phone_number as "phoneNumber", t.customer_name as "customerName" from transactions t
      where t.application_id = $1 and t.sequence > $2 order by t.sequence limit $3`,
    [applicationId, listedUntil, countMax],
  )
  return rows
}

/** Adds customers that are not listed yet and moves the mark, in one statement. Twice does no harm. */
export async function insertCustomers(pool: Pool, applicationId: string, pairs: readonly ListedPair[], listedUntil: bigint): Promise<void> {
  const words = pairs.flatMap(({ phoneNumber, words }) => words.map((word) => ({ word, phoneNumber })))
  await pool.query(
    `with listed as (
       insert into customers (application_id, phone_number, folded_name, customer_name)
         select $1, n.phone_number, n.folded_name, n.customer_name
           from unnest($2::text[], $3::text[], $4::text[]) as n (phone_number, folded_name, customer_name)
       on conflict do nothing
     ), worded as (
       insert into customer_words (application_id, word, phone_number)
         select $1, w.word, w.phone_number from unnest($5::text[], $6::text[]) as w (word, phone_number)
       on conflict do nothing
     )
     insert into customer_marks as m (application_id, listed_until) values ($1, $7)
       on conflict (application_id) do update set listed_until = greatest(m.listed_until, excluded.listed_until)`,
    [
      applicationId,
      pairs.map(({ phoneNumber }) => phoneNumber),
      pairs.map(({ foldedName }) => foldedName),
      pairs.map(({ customerName }) => customerName),
      words.map(({ word }) => word),
      words.map(({ phoneNumber }) => phoneNumber),
      listedUntil,
    ],
  )
}

/** How many customers are compared by their latest transaction: a common first name has tens of thousands. */
const COMPARED_MAX = 500
/** How many are read where a second word must fit as well. */
const READ_MAX = 10_000

/**
 * The latest transaction of a number. A range of one number instead of equality: with equality, the planner walks all transactions by sequence
 * until it meets the number, for a number that it believes to be frequent. In the collation of the index, which is not that of the list.
 */
const LATEST = `cross join lateral (
  select t.created_at, t.operator, t.amount_minor, t.currency from transactions t
   where t.application_id = $1 and t.phone_number >= found.phone_number collate "default"
     and t.phone_number <= found.phone_number collate "default"
   order by t.phone_number desc, t.sequence desc limit 1
) as latest (at, operator, amount_minor, currency)`
const LATEST_COLUMNS =
  'latest.at as "latestAt", latest.operator as "latestOperator", latest.amount_minor as "latestAmountMinor", latest.currency as "latestCurrency"'

/** Customers whose name has a word with this prefix and contains the other words, the latest transaction first. All texts are folded. */
export async function selectCustomersByName(
  queryable: Queryable,
  applicationId: string,
  prefix: string,
  others: readonly string[],
  countMax: number,
): Promise<CustomerRow[]> {
  const { rows } = await queryable.query<CustomerRow>(
    `select found.phone_number as "phoneNumber", found.customer_name as "customerName", ${LATEST_COLUMNS}
       from (select c.phone_number, c.customer_name
               from (select n.phone_number from customer_words n
                      where n.application_id = $1 and n.word >= $2 and n.word < $3 limit ${READ_MAX}) w
               -- Looked up one by one (offset 0), because a join would read every customer of the application.
               cross join lateral (select k.phone_number, k.customer_name from customers k
                 where k.application_id = $1 and k.phone_number = w.phone_number and (' ' || k.folded_name) like all ($4::text[]) offset 0) c
              limit ${COMPARED_MAX}) found ${LATEST}
      order by latest.at desc limit $5`,
    [applicationId, prefix, after(prefix), [prefix, ...others].map((word) => `% ${word}%`), countMax],
  )
  return rows
}

/** Customers whose phone number begins with one of these, the latest transaction first. */
export async function selectCustomersByPhone(
  queryable: Queryable,
  applicationId: string,
  prefixes: readonly string[],
  countMax: number,
): Promise<CustomerRow[]> {
  const { rows } = await queryable.query<CustomerRow>(
    `select found.phone_number as "phoneNumber", found.customer_name as "customerName", ${LATEST_COLUMNS}
       from (select distinct on (c.phone_number) c.phone_number, c.customer_name
               from unnest($2::text[], $3::text[]) as p (low, high)
               cross join lateral (select k.phone_number, k.customer_name from customers k
                 where k.application_id = $1 and k.phone_number >= p.low and k.phone_number < p.high limit ${COMPARED_MAX}) c) found ${LATEST}
      order by latest.at desc limit $4`,
    [applicationId, prefixes, prefixes.map(after), countMax],
  )
  return rows
}

/** The first text after all those that begin with this one, in the order of code points. */
function after(prefix: string): string {
  return `${prefix}\u{10FFFF}`
}

type SuccessRow = { phoneNumber: string; amountMinor: bigint; currency: Currency; operator: OperatorCode; at: Date }

/** How many of the newest transactions of a number are looked through. */
const LOOKED_MAX = 200

/** The latest success of this type with each of these numbers. Numbers without one are missing. */
export async function selectLastSuccesses(
  queryable: Queryable,
  applicationId: string,
  type: TransactionType,
  phoneNumbers: readonly string[],
): Promise<SuccessRow[]> {
  if (phoneNumbers.length === 0) return []
  const { rows } = await queryable.query<SuccessRow>({
    name: 'select_last_successes',
    text: `select p.phone_number as "phoneNumber", t.amount_minor as "amountMinor", t.currency, t.operator, t.created_at as at
      from unnest($2::text[]) as p (phone_number)
        cross join lateral (
          select l.* from (select n.* from transactions n where n.application_id = $1 and n.phone_number = p.phone_number
                           order by n.sequence desc limit ${LOOKED_MAX}) l
            where l.type = $3 and l.status = 'SUCCESS' order by l.sequence desc limit 1) t`,
    values: [applicationId, phoneNumbers, type],
  })
  return rows
}
