import type { OperatorCode } from '#lib/operators/operators.ts'
import type { ReplaceableEnd, TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { EVENT_PROGRAM_NAME } from '../approval-store.ts'
import { mayDecide } from '../may-decide.ts'

/** Another transaction with the same phone. Amounts in hundredths. */
export type PhoneRow = {
  transactionId: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: string
  amountMinor: bigint
  customerName: string
  createdAt: Date
  /** It failed, and its operator reports something else. */
  isContradicted: boolean
}

const IS_CONTRADICTED = `t.status = 'FAILED' and is_contradicted(t.application_id, t.transaction_id) as "isContradicted"`

/** The newest transactions of this person, at most `limit`: one index descent for each form of the number, however often it was paid. */
export async function selectOfPhone(
  queryable: Queryable,
  applicationId: string,
  phoneNumbers: readonly string[],
  exceptId: string,
  limit: number,
): Promise<PhoneRow[]> {
  const { rows } = await queryable.query<PhoneRow>({
    name: 'select_of_phones',
    text: `select t.transaction_id as "transactionId", t.type, t.status, t.operator, t.currency, t.amount_minor as "amountMinor",
        t.customer_name as "customerName", t.created_at as "createdAt", ${IS_CONTRADICTED}
      from unnest($2::text[]) as p (phone_number)
        cross join lateral (select n.* from transactions n where n.application_id = $1 and n.phone_number = p.phone_number
                            order by n.sequence desc limit $4 + 1) t
      where t.transaction_id <> $3 order by t.sequence desc limit $4`,
    values: [applicationId, phoneNumbers, exceptId, limit],
  })
  return rows
}

/** The same for several transactions at once, the newest of each first. */
export async function selectOfPhones(
  queryable: Queryable,
  applicationId: string,
  transactions: readonly { transactionId: string; phoneNumbers: readonly string[] }[],
  limit: number,
): Promise<(PhoneRow & { forId: string })[]> {
  const pairs = transactions.flatMap(({ transactionId, phoneNumbers }) =>
    phoneNumbers.map((phoneNumber) => ({ transactionId, phoneNumber })),
  )
  const { rows } = await queryable.query<PhoneRow & { forId: string }>({
    name: 'select_of_many_phones',
    text: `select p.transaction_id as "forId", t.transaction_id as "transactionId", t.type, t.status, t.operator, t.currency,
        t.amount_minor as "amountMinor", t.customer_name as "customerName", t.created_at as "createdAt", ${IS_CONTRADICTED}
      from unnest($2::uuid[], $3::text[]) as p (transaction_id, phone_number)
        cross join lateral (select n.* from transactions n where n.application_id = $1 and n.phone_number = p.phone_number
                            order by n.sequence desc limit $4 + 1) t
      where t.transaction_id <> p.transaction_id order by t.sequence desc`,
    values: [applicationId, pairs.map((pair) => pair.transactionId), pairs.map((pair) => pair.phoneNumber), limit],
  })
  return rows
}

/** Other phone numbers for which a payment to the same name waits, for each of these transactions that waits. */
export async function selectNamesakes(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<{ transactionId: string; phoneNumber: string }[]> {
  const { rows } = await queryable.query<{ transactionId: string; phoneNumber: string }>({
    name: 'select_namesakes',
    text: `select distinct t.transaction_id as "transactionId", w.phone_number as "phoneNumber"
      from transactions t join transactions w on w.application_id = t.application_id and w.is_waiting
        and lower(btrim(w.customer_name)) = lower(btrim(t.customer_name)) and w.phone_number <> t.phone_number
      where t.application_id = $1 and t.transaction_id = any ($2::uuid[]) and t.is_waiting order by 1, 2`,
    values: [applicationId, transactionIds],
  })
  return rows
}

/** Other phone numbers for which a payment to this name waits. */
export async function selectNamesakesOf(queryable: Queryable, applicationId: string, name: string): Promise<{ phoneNumber: string }[]> {
  const { rows } = await queryable.query<{ phoneNumber: string }>({
    name: 'select_namesakes_of',
    text: `select distinct w.phone_number as "phoneNumber" from transactions w
      where w.application_id = $1 and w.is_waiting and lower(btrim(w.customer_name)) = lower(btrim($2)) order by 1`,
    values: [applicationId, name],
  })
  return rows
}

/** The transaction that another one replaces: how it ended, by whom and why. */
export type ReplacedRow = {
  transactionId: string
  originId: string
  event: ReplaceableEnd
  by: string | null
  programName: string | null
  reason: string | null
  at: Date
}

/** The transactions that these replace; those that replace none are missing. */
export async function selectReplaced(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<ReplacedRow[]> {
  const { rows } = await queryable.query<ReplacedRow>({
    name: 'select_replaced',
    text: `select o.transaction_id as "transactionId", o.origin_id as "originId", e.event, p.name as by,
        ${EVENT_PROGRAM_NAME} as "programName", case when e.event = 'failed' then t.message else coalesce(e.reason, t.message) end as reason, e.at
      from transaction_origins o
      join transactions t on t.application_id = o.application_id and t.transaction_id = o.origin_id
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
      left join api_users u on e.actor_kind = 'api' and u.application_id = e.application_id and u.api_user_id = e.actor_id
      left join people p on p.person_id = case e.actor_kind when 'person' then e.actor_id when 'api' then t.checker_id end
      where o.application_id = $1 and o.transaction_id = any ($2::uuid[])`,
    values: [applicationId, transactionIds],
  })
  return rows
}

/** The collect that a deposit refunds, with the other refunds of it that have not failed; undefined for what is no refund. */
export async function selectRefunded(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ collectId: string; collectedMinor: bigint; at: Date; otherCount: number; othersMinor: bigint } | undefined> {
  const { rows } = await queryable.query<{ collectId: string; collectedMinor: bigint; at: Date; otherCount: number; othersMinor: bigint }>({
    name: 'select_refunded',
    text: `select r.collect_id as "collectId", c.amount_minor as "collectedMinor", coalesce(c.final_at, c.created_at) as at,
        count(o.transaction_id)::integer as "otherCount", coalesce(sum(o.refunded_minor), 0)::bigint as "othersMinor"
      from transaction_refunds r
      join transactions c on c.application_id = r.application_id and c.transaction_id = r.collect_id
      left join (transaction_refunds o join transactions t on t.application_id = o.application_id and t.transaction_id = o.transaction_id
                   and t.status <> 'FAILED')
        on o.application_id = r.application_id and o.collect_id = r.collect_id and o.transaction_id <> r.transaction_id
      where r.application_id = $1 and r.transaction_id = $2 group by 1, 2, 3`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** The free deposit balance of each of these operators; operators without an entry are missing. */
export async function selectDepositBalances(
  queryable: Queryable,
  applicationId: string,
  operators: readonly OperatorCode[],
): Promise<{ operator: OperatorCode; depositMinor: bigint }[]> {
  const { rows } = await queryable.query<{ operator: OperatorCode; depositMinor: bigint }>(
    `select operator, deposit_minor as "depositMinor" from ledger_balances where application_id = $1 and operator = any ($2::text[])`,
    [applicationId, operators],
  )
  return rows
}

/** Everybody who is or was a checker of an application, by name. */
export async function selectCheckers(queryable: Queryable, applicationId: string): Promise<{ personId: string; name: string }[]> {
  const { rows } = await queryable.query<{ personId: string; name: string }>(
    `select p.person_id as "personId", p.name from memberships m join people p on p.person_id = m.person_id
     where m.application_id = $1 and 'checker' = any (m.roles) order by p.name, p.person_id`,
    [applicationId],
  )
  return rows
}

/** The people who may decide a maker's payments now, by name: every checker who is not the maker, as in `mayDecide`. */
export async function selectFutureDeciders(queryable: Queryable, applicationId: string, makerId: string): Promise<{ name: string }[]> {
  const { rows } = await queryable.query<{ name: string }>({
    name: 'select_future_deciders',
    text: `select p.name from memberships m join people p on p.person_id = m.person_id
      where m.application_id = $1 and m.person_id <> $2 and is_checker(m.application_id, m.person_id) order by p.name, p.person_id`,
    values: [applicationId, makerId],
  })
  return rows
}

/** The approval band that would apply to a transaction of a person now; undefined if none does. The amount is in hundredths. */
export async function selectBand(
  queryable: Queryable,
  weighed: {
    applicationId: string
    type: TransactionType
    makerId: string
    phoneNumbers: readonly string[]
    amountMinor: bigint
    bands: readonly ApprovalBand[]
  },
): Promise<ApprovalBand | undefined> {
  const { applicationId, type, makerId, phoneNumbers, amountMinor, bands } = weighed
  const { rows } = await queryable.query<{ band: ApprovalBand | null }>({
    name: 'select_band',
    text: `select approval_band_for($1, $2, $3, 'person', $4::text[], $5, 0, 0, $6::jsonb, clock_timestamp()) as band`,
    values: [applicationId, type, makerId, phoneNumbers, amountMinor, JSON.stringify(bands)],
  })
  return rows[0]?.band ?? undefined
}

/** The free deposit balance at an operator, and what all waiting deposits there would take from it. */
export async function selectDepositFloat(
  queryable: Queryable,
  applicationId: string,
  operator: OperatorCode,
): Promise<{ depositMinor: bigint; waitingMinor: bigint; waitingCount: number }> {
  const { rows } = await queryable.query<{ depositMinor: bigint; waitingMinor: bigint; waitingCount: number }>(
    `select coalesce((select b.deposit_minor from ledger_balances b where b.application_id = $1 and b.operator = $2), 0) as "depositMinor",
       coalesce(sum(t.amount_minor + t.fee_system_minor + t.fee_app_minor), 0) as "waitingMinor", count(*)::integer as "waitingCount"
     from transactions t where t.application_id = $1 and t.is_waiting and t.type = 'DEPOSIT' and t.operator = $2`,
    [applicationId, operator],
  )
  return rows[0] ?? { depositMinor: 0n, waitingMinor: 0n, waitingCount: 0 }
}

/** The people who may decide on a transaction now, by name. */
export async function selectDeciders(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ personId: string; name: string }[]> {
  return runQuery<{ personId: string; name: string }>(
    queryable,
    sql`select p.person_id as "personId", p.name
    from transactions t
      join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
      join memberships m on m.application_id = t.application_id
      join people p on p.person_id = m.person_id
    where t.application_id = ${applicationId} and t.transaction_id = ${transactionId}
      and ${mayDecide(sql`m.application_id`, sql`m.person_id`)}
    order by p.name, p.person_id`,
  )
}
