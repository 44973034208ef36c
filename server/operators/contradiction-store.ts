import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { encodeRows, type RowOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ContradictionRow, STORE_OPERATOR_CONTRADICTIONS } from './sql-functions.ts'

/** Stores those that contradict a final result. Returns their indexes; true for the first one of a transaction. */
export async function storeContradictions(queryable: Queryable, rows: ContradictionRow[]): Promise<Map<number, boolean>> {
  const found = await queryable.query<RowOf<typeof STORE_OPERATOR_CONTRADICTIONS.result>>({
    name: STORE_OPERATOR_CONTRADICTIONS.name,
    text: 'select item_index, is_new from store_operator_contradictions($1)',
    values: [encodeRows(STORE_OPERATOR_CONTRADICTIONS.item, rows)],
  })
  return new Map(found.rows.map((row) => [row.item_index, row.is_new]))
}

/**
 * Queues one query about each transaction whose final result these unverified callbacks contradict. Nothing is recorded: anybody can
 * send them.
 */
export async function askAboutHints(
  queryable: Queryable,
  hints: readonly { application_id: string; transaction_id: string; operator: OperatorCode; outcome: string }[],
): Promise<void> {
  await queryable.query({
    name: 'ask_about_hints',
    text: `insert into contradiction_queries (application_id, transaction_id, operator, next_at)
           select t.application_id, t.transaction_id, t.operator, clock_timestamp()
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as h (application_id, transaction_id, operator, said)
             join transactions t on t.application_id = h.application_id and t.transaction_id = h.transaction_id and t.operator = h.operator
             where (t.status = 'FAILED' and h.said = 'succeeded') or (t.status = 'SUCCESS' and h.said = 'failed')
             order by t.application_id, t.transaction_id
           on conflict do nothing`,
    values: [
      hints.map((hint) => hint.application_id),
      hints.map((hint) => hint.transaction_id),
      hints.map((hint) => hint.operator),
      hints.map((hint) => hint.outcome),
    ],
  })
}

/** A contradiction about which the operator must be queried now; `tries` counts this query. */
export type ContradictionQuery = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  tries: number
  type: TransactionType
  operatorToken: string | null
}

/** Claims due queries, at most `perOperator` of each operator. */
export async function claimContradictionQueries(
  queryable: Queryable,
  operators: OperatorCode[],
  perOperator: number,
  pauseMs: number,
): Promise<ContradictionQuery[]> {
  const { rows } = await queryable.query<ContradictionQuery>({
    name: 'claim_contradiction_queries',
    text: `select application_id as "applicationId", transaction_id as "transactionId", operator, tries, type,
             operator_token as "operatorToken" from claim_contradiction_queries($1, $2, $3)`,
    values: [operators, perOperator, pauseMs],
  })
  return rows
}

type ContradictionAnswer = Pick<ContradictionQuery, 'applicationId' | 'transactionId'> & {
  said: string
  httpStatus: number | null
  answer: string
}

/** Stores what the operator said next to the contradiction, and ends the queries about it. */
export async function storeContradictionAnswer(queryable: Queryable, answer: ContradictionAnswer): Promise<void> {
  await queryable.query({
    name: 'record_contradiction_answer',
    text: `with ended as (
             delete from contradiction_queries where application_id = $1 and transaction_id = $2 returning 1
           )
           insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
             select c.application_id, c.transaction_id, 2, 'query', $3, c.stored_status, $4, $5, clock_timestamp()
               from operator_contradictions c, ended
               where c.application_id = $1 and c.transaction_id = $2 and c.number = 1
             on conflict do nothing`,
    values: [answer.applicationId, answer.transactionId, answer.said, answer.httpStatus, answer.answer],
  })
}
