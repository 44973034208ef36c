import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

/** What may contradict a final result. Names as in record_operator_contradictions. */
export type ContradictionRow = {
  place: number
  app: string
  id: string
  operator: OperatorCode
  source: 'callback' | 'submit' | 'query'
  said: string
  http_status?: number | null
  answer: string
}

/** Records those that contradict a final result. Returns their places; true for a transaction's first one. */
export async function recordContradictions(queryable: Queryable, rows: ContradictionRow[]): Promise<Map<number, boolean>> {
  const found = await queryable.query<{ place: number; isNew: boolean }>({
    name: 'record_operator_contradictions',
    text: 'select place, is_new as "isNew" from record_operator_contradictions($1)',
    values: [JSON.stringify(rows)],
  })
  return new Map(found.rows.map((row) => [row.place, row.isNew]))
}

/** A contradiction about which the operator is to be asked now; `tries` counts this one. */
export type ContradictionQuery = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  tries: number
  type: TransactionType
  operatorToken: string | null
}

/** Claims due questions, at most `perOperator` of each operator. */
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

export type ContradictionAnswer = Pick<ContradictionQuery, 'applicationId' | 'transactionId'> & {
  said: string
  httpStatus: number | null
  answer: string
}

/** Records what the operator said, beside the contradiction that it was asked about, and ends the question. */
export async function recordContradictionAnswer(queryable: Queryable, answer: ContradictionAnswer): Promise<void> {
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
