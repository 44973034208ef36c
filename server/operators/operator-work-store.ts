import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

export type WorkState = 'queued' | 'refused' | 'submitting' | 'submitted' | 'unconfirmed'

/** A row of operator_work under this process's lease, with what a connector needs of its transaction. */
export type ClaimedWork = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  /** The state in which it was found; the claim moved `queued` and `submitting` on. */
  foundState: WorkState
  /** The number of the attempt that the claim began. */
  number: number
  submissions: number
  queries: number
  operatorReference: string | null
  operatorToken: string | null
  type: TransactionType
  currency: Currency
  amountMinor: bigint
  phoneNumber: string
  customerName: string
}

/** Claims due rows, at most `slots` of each operator, for `leaseMs`. One commit, before anything is sent. */
export async function claimDueWork(queryable: Queryable, slots: Map<OperatorCode, number>, leaseMs: number): Promise<ClaimedWork[]> {
  const { rows } = await queryable.query<ClaimedWork>({
    name: 'claim_operator_work',
    text: `select application_id as "applicationId", transaction_id as "transactionId", operator, found_state as "foundState", number,
             submissions, queries, operator_reference as "operatorReference", operator_token as "operatorToken", type, currency,
             amount_minor as "amountMinor", phone_number as "phoneNumber", customer_name as "customerName"
           from claim_operator_work($1, $2, $3)`,
    values: [[...slots.keys()], [...slots.values()], leaseMs],
  })
  return rows
}

/** One finished call. Names as in record_operator_answers; times in milliseconds. */
export type AnswerRow = {
  place: number
  app: string
  id: string
  number: number
  kind: 'submit' | 'query'
  submission: number
  outcome: string
  http_status: number | null
  answer: string
  duration_ms: number
  delay_ms: number
  requeue_ms: number
  reference?: string
  token?: string
}

export type AnswerRules = { absenceMs: number; acceptedAbsenceMs: number; hintGapMs: number }

/** Records finished calls and schedules what comes next. Returns the places of those that no later claim has overtaken. */
export async function recordAnswers(queryable: Queryable, answers: AnswerRow[], rules: AnswerRules): Promise<Set<number>> {
  const { rows } = await queryable.query<{ place: number }>({
    name: 'record_operator_answers',
    text: 'select place from record_operator_answers($1, $2, $3, $4)',
    values: [JSON.stringify(answers), rules.absenceMs, rules.acceptedAbsenceMs, rules.hintGapMs],
  })
  return new Set(rows.map((row) => row.place))
}

export type HintRow = { place: number; app: string; id: string; operator: OperatorCode; outcome: string; answer: string }

/** `taken`: due now. `busy`: another statement is changing the row; try again. `idle`: nothing waits for a result there. */
export type HintVerdict = 'taken' | 'busy' | 'idle'

/** Makes rows due because a callback came in. One verdict per hint, in order. */
export async function hintWork(queryable: Queryable, hints: HintRow[], gapMs: number): Promise<HintVerdict[]> {
  const { rows } = await queryable.query<{ place: number; isTaken: boolean }>({
    name: 'hint_operator_work',
    text: 'select place, is_taken as "isTaken" from hint_operator_work($1, $2)',
    values: [JSON.stringify(hints), gapMs],
  })
  const verdicts = new Array<HintVerdict>(hints.length).fill('idle')
  for (const row of rows) verdicts[row.place] = row.isTaken ? 'taken' : 'busy'
  return verdicts
}

/**
 * Makes rows due that are scheduled further ahead than any schedule reaches: the clock of the database was set back, or had
 * run ahead for a while. Returns how many.
 */
export async function pullBackWork(queryable: Queryable, operators: OperatorCode[], aheadMsMax: number): Promise<number> {
  const { rowCount } = await queryable.query({
    name: 'pull_back_operator_work',
    text: `update operator_work w set next_at = clock_timestamp()
             from (select o.application_id, o.transaction_id from operator_work o
                     where o.operator = any ($1) and o.next_at > clock_timestamp() + $2 * interval '1 millisecond'
                     order by o.application_id, o.transaction_id limit 10000 for update skip locked) far
             where w.application_id = far.application_id and w.transaction_id = far.transaction_id`,
    values: [operators, aheadMsMax],
  })
  return rowCount ?? 0
}

export type OpenWork = { state: WorkState; number: number; operatorReference: string | null; operatorToken: string | null }

/** Takes the next attempt number of a row without claiming it; undefined when there is nothing left to do for it. */
export async function takeAttemptNumber(queryable: Queryable, applicationId: string, transactionId: string): Promise<OpenWork | undefined> {
  const { rows } = await queryable.query<OpenWork>({
    name: 'take_attempt_number',
    text: `update operator_work set attempts = attempts + 1 where application_id = $1 and transaction_id = $2
           returning state, attempts as number, operator_reference as "operatorReference", operator_token as "operatorToken"`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

export type ForcedQuery = {
  applicationId: string
  transactionId: string
  number: number
  outcome: string
  httpStatus: number | null
  answer: string
  durationMs: number
  /** The schedule should look at the row soon. */
  isNews: boolean
}

/** Records queries that somebody asked for. The schedule of their rows stays; at most they come due now. */
export async function recordForcedQueries(queryable: Queryable, queries: ForcedQuery[]): Promise<void> {
  await queryable.query({
    name: 'record_forced_queries',
    text: 'select record_forced_queries($1)',
    values: [
      JSON.stringify(
        queries.map((query) => ({
          app: query.applicationId,
          id: query.transactionId,
          number: query.number,
          outcome: query.outcome,
          http_status: query.httpStatus,
          answer: query.answer,
          duration_ms: query.durationMs,
          is_news: query.isNews,
        })),
      ),
    ],
  })
}
