import type { Currency } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { type BatchFunction, encodeRows, type RowOf } from '#server/database/json-row.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { ClaimedItem } from '#server/transactions/intake.ts'
import type { FinalOutcome } from '../connector.ts'
import { REFUSED_MESSAGE } from '../wire-formats.ts'

/** `unfunded`: the balance did not cover the deposit, so the dispatcher ends it without a call. */
type WorkState = 'queued' | 'paused' | 'unfunded' | 'awaiting_code' | 'submitting' | 'submitted' | 'unconfirmed'

/** A row of operator_work under this process's lease, with what a connector needs of its transaction. */
export type ClaimedWork = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  /** The state in which it was found; the claim moved `queued` and `submitting` on. */
  foundState: WorkState
  /** The number of the attempt that the claim started. */
  number: number
  submissions: number
  queries: number
  /**
   * An earlier submission may have reached the operator: one that was neither `not_sent` nor refused for the customer's code. Set for what is
   * submitted and for what waited for a code.
   */
  isRepeated: boolean
  /** The end of this claim, on the clock of `performance.now()`. The lease in the database ends no earlier. */
  leaseEndsAtMs: number
  /** The protocol and environment of its last submission; null before the first. */
  route: string | null
  operatorReference: string | null
  operatorReferenceOther: string | null
  operatorToken: string | null
  type: TransactionType
  currency: Currency
  amountMinor: bigint
  phoneNumber: string
  customerName: string
  /** The result of the submission, if the process that received it ended before it was settled. */
  result: FinalOutcome | null
}

type ClaimedRow = RowOf<
  typeof CLAIM_OPERATOR_WORK.result,
  { operator: OperatorCode; found_state: WorkState; type: TransactionType; currency: Currency }
>

/** Submissions of one direction, or everything that has started: queries, and what ends without a call. */
export type Lane = TransactionType | 'begun'

/**
 * This many rows of one lane of an operator may be claimed, for `leaseMs`. `enquiryDelayMs`: the pause after a submission before the
 * operator may be queried about it (`Terms.enquiryDelayMs`). `settingsVersion`: nothing is claimed to be sent through settings that had a
 * fault.
 */
export type FreeSlots = {
  operator: OperatorCode
  lane: Lane
  route: string | null
  slotsMax: number
  leaseMs: number
  enquiryDelayMs: number | undefined
  settingsVersion?: string | undefined
}

/**
 * Claims due rows within the free slots; what is submitted is queried after `firstQueryMs` and the operator's own pause, unless its answer
 * says something else. One commit, before anything is sent.
 */
export async function claimWork(queryable: Queryable, slots: readonly FreeSlots[], firstQueryMs: number): Promise<ClaimedWork[]> {
  const items = slots.map(({ operator, lane, route, slotsMax, leaseMs, enquiryDelayMs, settingsVersion }) => ({
    operator,
    lane,
    route,
    slots_max: slotsMax,
    lease_ms: leaseMs,
    first_query_ms: Math.max(firstQueryMs, enquiryDelayMs ?? 0),
    enquiry_delay_ms: enquiryDelayMs ?? null,
    settings_version: settingsVersion ?? null,
  }))
  const leasesMs = new Map(slots.map(({ operator, lane, leaseMs }) => [`${operator} ${lane}`, leaseMs]))
  // Read before the claim: the lease in the database cannot end earlier than counted from here.
  const claimedAtMs = performance.now()
  const { rows } = await queryable.query<ClaimedRow>({
    name: CLAIM_OPERATOR_WORK.name,
    text: 'select * from claim_operator_work($1)',
    values: [encodeRows(CLAIM_OPERATOR_WORK.item, items)],
  })
  return rows.map((row) => ({
    leaseEndsAtMs: claimedAtMs + (leasesMs.get(`${row.operator} ${row.found_state === 'queued' ? row.type : 'begun'}`) ?? 0),
    isRepeated: row.is_repeated,
    applicationId: row.application_id,
    transactionId: row.transaction_id,
    operator: row.operator,
    foundState: row.found_state,
    number: row.number,
    submissions: row.submissions,
    queries: row.queries,
    route: row.route,
    operatorReference: row.operator_reference,
    operatorReferenceOther: row.operator_reference_other,
    operatorToken: row.operator_token,
    type: row.type,
    currency: row.currency,
    amountMinor: row.amount_minor,
    phoneNumber: row.phone_number,
    customerName: row.customer_name,
    result: readResult(row),
  }))
}

/** The work of a new transaction, as start_transactions stored it under its claim. */
export function toClaimedWork({ item, claim, claimedAtMs }: ClaimedItem): ClaimedWork {
  const { applicationId, transactionId, operator, type, amountMinor, phoneNumber, customerName } = item
  return {
    applicationId,
    transactionId,
    operator,
    foundState: 'queued',
    number: 1,
    submissions: 1,
    queries: 0,
    isRepeated: false,
    leaseEndsAtMs: claimedAtMs + claim.leaseMs,
    route: claim.route,
    operatorReference: null,
    operatorReferenceOther: null,
    operatorToken: null,
    type,
    currency: OPERATORS[operator].country.currency,
    amountMinor,
    phoneNumber,
    customerName,
    result: null,
  }
}

function readResult(row: ClaimedRow): FinalOutcome | null {
  const exchange = { httpStatus: null, answer: row.last_answer ?? '' }
  if (row.result === 'succeeded') return { kind: 'succeeded', exchange }
  if (row.result === 'failed') {
    return { kind: 'failed', reason: row.result_reason ?? REFUSED_MESSAGE, operatorCode: row.result_code ?? undefined, exchange }
  }
  return null
}

/**
 * Stores the operator's identifiers and the customer's link in the middle of a submission. False if the row is no longer in this submission
 * or its lease has ended, so that the money must not be moved by it.
 */
export async function keepIdentifiers(
  queryable: Queryable,
  work: ClaimedWork,
  identifiers: { operatorReference?: string; operatorToken?: string; customerLink?: string | undefined },
): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'keep_operator_identifiers',
    text: `update operator_work set operator_reference = coalesce($4, operator_reference), operator_token = coalesce($5, operator_token),
             customer_link = coalesce($6, customer_link)
           where application_id = $1 and transaction_id = $2 and state = 'submitting' and submissions = $3
             and claimed_until > clock_timestamp()`,
    values: [
      work.applicationId,
      work.transactionId,
      work.submissions,
      identifiers.operatorReference ?? null,
      identifiers.operatorToken ?? null,
      identifiers.customerLink ?? null,
    ],
  })
  return rowCount === 1
}

export type AnswerRules = { absenceMs: number; acceptedAbsenceMs: number; hintGapMs: number }

/** Stores the answers to finished calls and schedules the next query. Returns the indexes of those that no later claim has overtaken. */
export async function storeAnswers(queryable: Queryable, answers: AnswerRow[], rules: AnswerRules): Promise<Set<number>> {
  const { rows } = await queryable.query<RowOf<typeof STORE_OPERATOR_ANSWERS.result>>({
    name: STORE_OPERATOR_ANSWERS.name,
    text: 'select item_index from store_operator_answers($1, $2, $3, $4)',
    values: [encodeRows(STORE_OPERATOR_ANSWERS.item, answers), rules.absenceMs, rules.acceptedAbsenceMs, rules.hintGapMs],
  })
  return new Set(rows.map((row) => row.item_index))
}

/** `taken`: due now. `busy`: another statement is changing the row; try again. `idle`: no result is awaited there. */
export type CallbackEffect = 'taken' | 'busy' | 'idle'

/** Stores callbacks and makes their rows due. Returns one effect per callback, in order. */
export async function storeCallbacks(queryable: Queryable, callbacks: CallbackRow[], gapMs: number): Promise<CallbackEffect[]> {
  const { rows } = await queryable.query<RowOf<typeof STORE_OPERATOR_CALLBACKS.result>>({
    name: STORE_OPERATOR_CALLBACKS.name,
    text: 'select item_index, is_taken from store_operator_callbacks($1, $2)',
    values: [encodeRows(STORE_OPERATOR_CALLBACKS.item, callbacks), gapMs],
  })
  const effects = new Array<CallbackEffect>(callbacks.length).fill('idle')
  for (const row of rows) effects[row.item_index] = row.is_taken ? 'taken' : 'busy'
  return effects
}

/** `isEarly`: the operator's own pause after the submission is not over (`Terms.enquiryDelayMs`). */
export type OpenWork = {
  state: WorkState
  number: number
  isEarly: boolean
  operatorReference: string | null
  operatorReferenceOther: string | null
  operatorToken: string | null
}

/** Takes the next attempt number of a row without claiming it, unless it is early; undefined when there is nothing left to do for it. */
export async function takeAttemptNumber(queryable: Queryable, applicationId: string, transactionId: string): Promise<OpenWork | undefined> {
  const { rows } = await queryable.query<OpenWork>({
    name: 'take_attempt_number',
    text: `update operator_work set attempts = attempts + case when enquire_at > clock_timestamp() then 0 else 1 end
           where application_id = $1 and transaction_id = $2
           returning coalesce(enquire_at > clock_timestamp(), false) as "isEarly", state, attempts as number, operator_reference as "operatorReference",
                     operator_reference_other as "operatorReferenceOther", operator_token as "operatorToken"`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

export type ForcedEnquiry = {
  applicationId: string
  transactionId: string
  number: number
  outcome: string
  httpStatus: number | null
  answer: string
  durationMs: number
  /** The answer does not fit the state of the row: its next scheduled query is made now. */
  needsQuery: boolean
}

/** Stores the answers to forced enquiries. The schedule of their rows stays; at most they come due now. */
export async function storeForcedEnquiries(queryable: Queryable, queries: ForcedEnquiry[]): Promise<void> {
  const items = queries.map((query) => ({
    application_id: query.applicationId,
    transaction_id: query.transactionId,
    number: query.number,
    outcome: query.outcome,
    http_status: query.httpStatus,
    answer: query.answer,
    duration_ms: query.durationMs,
    needs_query: query.needsQuery,
  }))
  await queryable.query({
    name: STORE_FORCED_ENQUIRIES.name,
    text: 'select store_forced_enquiries($1)',
    values: [encodeRows(STORE_FORCED_ENQUIRIES.item, items)],
  })
}

/** `lane`: submissions of one direction, through this `route`, or `begun` for everything else. `enquiry_delay_ms`: null for no such pause. */
const CLAIM_OPERATOR_WORK = {
  name: 'claim_operator_work',
  item: {
    operator: 'text',
    lane: 'text',
    route: 'text | null',
    slots_max: 'integer',
    lease_ms: 'integer',
    first_query_ms: 'integer',
    enquiry_delay_ms: 'integer | null',
    settings_version: 'text | null',
  },
  result: {
    application_id: 'uuid',
    transaction_id: 'uuid',
    operator: 'text',
    found_state: 'text',
    number: 'integer',
    submissions: 'integer',
    queries: 'integer',
    is_repeated: 'boolean',
    route: 'text | null',
    operator_reference: 'text | null',
    operator_reference_other: 'text | null',
    operator_token: 'text | null',
    type: 'text',
    currency: 'text',
    amount_minor: 'bigint',
    phone_number: 'text',
    customer_name: 'text',
    result: 'text | null',
    result_reason: 'text | null',
    result_code: 'text | null',
    last_answer: 'text | null',
  },
} as const satisfies BatchFunction

/**
 * One finished call. `delay_ms` is the pause before the next query, `requeue_ms` the one before the transfer is sent again. `reason` and
 * `operator_code` belong to a failure, or to the refusal of a repeated submission. `is_mismatch`: a success of another movement than ours.
 */
const STORE_OPERATOR_ANSWERS = {
  name: 'store_operator_answers',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    transaction_id: 'uuid',
    number: 'integer',
    kind: 'text',
    submission: 'integer',
    outcome: 'text',
    http_status: 'integer | null',
    answer: 'text',
    duration_ms: 'integer',
    delay_ms: 'integer',
    requeue_ms: 'integer',
    operator_reference: 'text | null',
    operator_reference_other: 'text | null',
    operator_token: 'text | null',
    reason: 'text | null',
    operator_code: 'text | null',
    is_mismatch: 'boolean',
  },
  result: { item_index: 'integer' },
} as const satisfies BatchFunction

const STORE_OPERATOR_CALLBACKS = {
  name: 'store_operator_callbacks',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    transaction_id: 'uuid',
    operator: 'text',
    outcome: 'text',
    answer: 'text',
    is_verified: 'boolean',
  },
  result: { item_index: 'integer', is_taken: 'boolean' },
} as const satisfies BatchFunction

/** `needs_query`: the answer does not fit the state of the row, so the next scheduled query is made now. */
const STORE_FORCED_ENQUIRIES = {
  name: 'store_forced_enquiries',
  item: {
    application_id: 'uuid',
    transaction_id: 'uuid',
    number: 'integer',
    outcome: 'text',
    http_status: 'integer | null',
    answer: 'text',
    duration_ms: 'integer',
    needs_query: 'boolean',
  },
  result: 'void',
} as const satisfies BatchFunction

/**
 * Locks the work of a transaction of which nothing can have reached its operator, until the caller's transaction ends. False if there is none, or if a
 * claim is at it: the operator may then have the transaction.
 */
export async function lockUnsent(
  trx: TrxClient,
  { applicationId, transactionId }: Pick<ClaimedWork, 'applicationId' | 'transactionId'>,
): Promise<boolean> {
  const { rows } = await trx.query<{ mayHaveLeft: boolean }>(
    `select w.state not in ('queued', 'paused') or w.is_claimed or may_have_left(w.application_id, w.transaction_id, w.submissions) as "mayHaveLeft"
       from operator_work w where w.application_id = $1 and w.transaction_id = $2 for update skip locked`,
    [applicationId, transactionId],
  )
  return rows[0]?.mayHaveLeft === false
}

export type AnswerRow = RowOf<typeof STORE_OPERATOR_ANSWERS.item, { kind: 'submit' | 'query' }>
export type CallbackRow = RowOf<typeof STORE_OPERATOR_CALLBACKS.item, { operator: OperatorCode }>
