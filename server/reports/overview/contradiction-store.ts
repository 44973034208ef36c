import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { OperatorOutcome } from '#lib/transaction-detail.ts'
import type { Queryable } from '#server/database/pool.ts'

export type ContradictionRow = {
  number: number
  /** `hint`: a callback without a signature that the operator could neither confirm nor deny. */
  source: 'callback' | 'hint' | 'submit' | 'query'
  said: OperatorOutcome
  storedStatus: 'SUCCESS' | 'FAILED'
  httpStatus: number | null
  answer: string
  at: Date
}

/** Returns the contradiction of a transaction's result, then the operator's answers to the queries about it, in order. */
export async function selectContradiction(queryable: Queryable, applicationId: string, transactionId: string): Promise<ContradictionRow[]> {
  const { rows } = await queryable.query<ContradictionRow>({
    name: 'select_contradiction',
    text: `select c.number, c.source, c.said, c.stored_status as "storedStatus", c.http_status as "httpStatus", c.answer, c.at
      from operator_contradictions c where c.application_id = $1 and c.transaction_id = $2 order by c.number`,
    values: [applicationId, transactionId],
  })
  return rows
}

/** A final transaction that somebody has to clarify with its operator. */
export type AlertedRow = {
  transactionId: string
  operator: OperatorCode
  currency: Currency
  amountMinor: bigint
  status: 'SUCCESS' | 'FAILED'
  at: Date
}

const OPEN = 'c.application_id = $1 and c.number = 1 and is_contradicted(c.application_id, c.transaction_id)'

/** Contradictions in which the operator, asked again, did not confirm the stored result; the newest first. */
export async function selectOpenContradictions(queryable: Queryable, applicationId: string, limit: number): Promise<AlertedRow[]> {
  const { rows } = await queryable.query<AlertedRow>({
    name: 'select_open_contradictions',
    text: `select c.transaction_id as "transactionId", t.operator, t.currency, t.amount_minor as "amountMinor", c.stored_status as status, c.at
      from operator_contradictions c
      join transactions t on t.application_id = c.application_id and t.transaction_id = c.transaction_id
      where ${OPEN} order by c.at desc limit $2`,
    values: [applicationId, limit],
  })
  return rows
}

/** How many there are, counted up to `limit`. */
export async function countOpenContradictions(queryable: Queryable, applicationId: string, limit: number): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>({
    name: 'count_open_contradictions',
    text: `select count(*) as count from (select 1 from operator_contradictions c where ${OPEN} limit $2) counted`,
    values: [applicationId, limit],
  })
  return Number(rows[0]?.count ?? 0n)
}
