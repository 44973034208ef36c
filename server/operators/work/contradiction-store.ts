import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { type BatchFunction, encodeRows, type RowOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'

/**
 * SQL: a contradiction `c` of a transaction of application $1 that its operator, asked again, did not take back. Once people have closed its exception,
 * nobody has to act on it.
 */
export const OPEN_CONTRADICTION = `c.application_id = $1 and c.number = 1 and is_contradicted(c.application_id, c.transaction_id)
  and not exists (select from applications i
    join exceptions e on e.application_id = i.application_id and e.subject = format('transaction %s %s', c.application_id, c.transaction_id)
   where i.runs_installation and e.outcome is not null)`

/** An answer or a callback that may contradict a final result. */
const STORE_OPERATOR_CONTRADICTIONS = {
  name: 'store_operator_contradictions',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    transaction_id: 'uuid',
    operator: 'text',
    source: 'text',
    said: 'text',
    answer: 'text',
  },
  result: { item_index: 'integer', is_new: 'boolean' },
} as const satisfies BatchFunction

type ContradictionRow = RowOf<
  typeof STORE_OPERATOR_CONTRADICTIONS.item,
  { operator: OperatorCode; source: 'callback' | 'submit' | 'query' }
>

/** Stores those that contradict a final result. Returns their indexes; true for the first one of a transaction. */
export async function storeContradictions(queryable: Queryable, rows: ContradictionRow[]): Promise<Map<number, boolean>> {
  const found = await queryable.query<RowOf<typeof STORE_OPERATOR_CONTRADICTIONS.result>>({
    name: STORE_OPERATOR_CONTRADICTIONS.name,
    text: 'select item_index, is_new from store_operator_contradictions($1)',
    values: [encodeRows(STORE_OPERATOR_CONTRADICTIONS.item, rows)],
  })
  return new Map(found.rows.map((row) => [row.item_index, row.is_new]))
}

/** An unsigned callback about a transaction that no work is open for. */
type Hint = { applicationId: string; transactionId: string; operator: OperatorCode; said: string; answer: string }

/** Those that report the opposite of a final result and about which no query waits or was made within 24 hours. */
export async function selectContradictingHints<Row extends Hint>(queryable: Queryable, hints: readonly Row[]): Promise<Row[]> {
  const { rows } = await queryable.query<{ place: bigint }>({
    name: 'select_contradicting_hints',
    text: `select h.place from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) with ordinality
               as h (application_id, transaction_id, operator, said, place)
             join transactions t on t.application_id = h.application_id and t.transaction_id = h.transaction_id and t.operator = h.operator
             where ((t.status = 'FAILED' and h.said = 'succeeded') or (t.status = 'SUCCESS' and h.said = 'failed'))
               and not exists (select from contradiction_queries q where q.application_id = t.application_id
                 and q.transaction_id = t.transaction_id and q.kind = 'hint'
                 and (q.ended_at is null or q.ended_at > clock_timestamp() - interval '24 hours'))`,
    values: columnsOf(hints),
  })
  const places = new Set(rows.map((row) => Number(row.place) - 1))
  return hints.filter((_, place) => places.has(place))
}

/**
 * Queues one query about each of these transactions, at most one in 24 hours. No contradiction is recorded: anybody can send an unsigned
 * callback. Its text is kept once, in case the operator cannot answer.
 */
export async function askAboutHints(queryable: Queryable, hints: readonly Hint[]): Promise<void> {
  await queryable.query({
    name: 'ask_about_hints',
    text: `insert into contradiction_queries as q (application_id, transaction_id, kind, operator, said, answer, next_at)
           select distinct on (h.application_id, h.transaction_id) h.application_id, h.transaction_id, 'hint', h.operator, h.said, h.answer,
               clock_timestamp()
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) as h (application_id, transaction_id, operator, said, answer)
             order by h.application_id, h.transaction_id
           on conflict (application_id, transaction_id, kind) do update
             set next_at = excluded.next_at, said = excluded.said, answer = excluded.answer, tries = 0, ended_at = null
             where q.ended_at < clock_timestamp() - interval '24 hours'`,
    values: [...columnsOf(hints), hints.map((hint) => hint.answer)],
  })
}

function columnsOf(hints: readonly Hint[]): string[][] {
  return [
    hints.map((hint) => hint.applicationId),
    hints.map((hint) => hint.transactionId),
    hints.map((hint) => hint.operator),
    hints.map((hint) => hint.said),
  ]
}

/** Forgets hints that ended more than 24 hours ago; the next one about the same payment causes a query again. */
export async function forgetEndedHints(queryable: Queryable): Promise<void> {
  await queryable.query({
    name: 'forget_ended_hints',
    text: `delete from contradiction_queries q using (select o.application_id, o.transaction_id, o.kind from contradiction_queries o
             where o.ended_at < clock_timestamp() - interval '24 hours' order by o.ended_at limit 5000) e
           where q.application_id = e.application_id and q.transaction_id = e.transaction_id and q.kind = e.kind`,
  })
}

/**
 * Schedules the queries of payments that failed since the last call, at most `limit` of each application. `spreadMs`: they are due up to so
 * much later than an hour after the failure, so that those of one instant are not. Returns how many failures it read; 0: there are no more.
 */
export async function scheduleSecondLooks(queryable: Queryable, limit: number, spreadMs: number): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>({
    name: 'schedule_second_looks',
    text: 'select schedule_second_looks($1, $2) as count',
    values: [limit, spreadMs],
  })
  return Number(rows[0]?.count ?? 0n)
}

/** A query to an operator about a payment that has ended; `tries` counts this one. `amountMinor` in hundredths. */
export type ContradictionQuery = {
  applicationId: string
  transactionId: string
  kind: 'contradiction' | 'hint' | 'hour_look' | 'day_look'
  operator: OperatorCode
  tries: number
  type: TransactionType
  operatorReference: string | null
  operatorToken: string | null
  amountMinor: bigint
  currency: Currency
  phoneNumber: string
}

/** Claims due queries, at most `perOperator` of each operator, in turns by application. One without an answer is due again after `pauseMs`. */
export async function claimContradictionQueries(
  queryable: Queryable,
  operators: readonly OperatorCode[],
  perOperator: number,
  pauseMs: number,
): Promise<ContradictionQuery[]> {
  const { rows } = await queryable.query<ContradictionQuery>({
    name: 'claim_contradiction_queries',
    text: `select application_id as "applicationId", transaction_id as "transactionId", kind, operator, tries, type,
             operator_reference as "operatorReference", operator_token as "operatorToken", amount_minor as "amountMinor", currency,
             phone_number as "phoneNumber" from claim_contradiction_queries($1, $2, $3)`,
    values: [operators, perOperator, pauseMs],
  })
  return rows
}

type ContradictionAnswer = Pick<ContradictionQuery, 'applicationId' | 'transactionId'> & {
  said: string
  httpStatus: number | null
  answer: string
}

/**
 * Stores what the operator said about a contradiction that is recorded: the first answer whatever it is, and later ones that differ from
 * the last and are final. Without a recorded contradiction nothing is stored.
 */
export async function storeContradictionAnswer(queryable: Queryable, answer: ContradictionAnswer): Promise<void> {
  await queryable.query({
    name: 'record_contradiction_answer',
    text: `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
             select c.application_id, c.transaction_id, c.number + 1, 'query', $3, c.stored_status, $4, $5, clock_timestamp()
               from operator_contradictions c
               where c.application_id = $1 and c.transaction_id = $2 and c.number < 9
                 and not exists (select from operator_contradictions l where l.application_id = c.application_id
                   and l.transaction_id = c.transaction_id and l.number > c.number)
                 and (c.number = 1 or ($3 in ('succeeded', 'failed') and c.said <> $3))
             on conflict do nothing`,
    values: [answer.applicationId, answer.transactionId, answer.said, answer.httpStatus, answer.answer],
  })
}

/** Lists a hint that no answer of the operator confirmed or denied, like a contradiction, with the last answer. */
export async function storeUnconfirmedHint(queryable: Queryable, answer: ContradictionAnswer): Promise<void> {
  await queryable.query({
    name: 'record_unconfirmed_hint',
    text: `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
             select q.application_id, q.transaction_id, r.number, r.source, r.said, t.status, r.http_status, r.answer, clock_timestamp()
               from contradiction_queries q
               join transactions t on t.application_id = q.application_id and t.transaction_id = q.transaction_id
               cross join lateral (values (1, 'hint', q.said, null, q.answer), (2, 'query', $3, $4::integer, $5))
                 as r (number, source, said, http_status, answer)
               where q.application_id = $1 and q.transaction_id = $2 and q.kind = 'hint'
                 and not exists (select from operator_contradictions c where c.application_id = $1 and c.transaction_id = $2)
             on conflict do nothing`,
    values: [answer.applicationId, answer.transactionId, answer.said, answer.httpStatus, answer.answer],
  })
}

/**
 * Ends a query: the look after an hour is followed by the one after a day (up to `spreadMs` later), and a hint stays for a day, so that no
 * other one causes a query.
 */
export async function endContradictionQuery(
  queryable: Queryable,
  { applicationId, transactionId, kind }: Pick<ContradictionQuery, 'applicationId' | 'transactionId' | 'kind'>,
  spreadMs: number,
): Promise<void> {
  const values: unknown[] = [applicationId, transactionId, kind]
  const row = 'application_id = $1 and transaction_id = $2 and kind = $3'
  if (kind === 'hint')
    await queryable.query({
      name: 'end_hint_query',
      text: `update contradiction_queries set ended_at = clock_timestamp(), answer = null where ${row}`,
      values,
    })
  else if (kind === 'hour_look')
    await queryable.query({
      name: 'follow_hour_look',
      text: `with ended as (delete from contradiction_queries where ${row} returning application_id, transaction_id, operator)
             insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at)
               select t.application_id, t.transaction_id, 'day_look', e.operator,
                   t.final_at + interval '24 hours' + random() * $4 * interval '1 millisecond'
                 from ended e join transactions t on t.application_id = e.application_id and t.transaction_id = e.transaction_id
               on conflict do nothing`,
      values: [...values, spreadMs],
    })
  else await queryable.query({ name: 'end_contradiction_query', text: `delete from contradiction_queries where ${row}`, values })
}
