import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { ReversalDto, ReversalRefusal, ReversalState } from '#lib/operators/reversals.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'

/** Names one reversal of one payment. `applicationId`: of the payment. */
export type ReversalKey = { applicationId: string; transactionId: string; reversalId: string }

type NewReversal = ReversalKey & { changeApplicationId: string; operator: OperatorCode; confirmedBy: string }

/** Stores what two people have agreed on. Returns false if the payment is being taken back, or was. */
export async function insertReversal(trx: TrxClient, row: NewReversal): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into operator_reversals (application_id, transaction_id, reversal_id, change_application_id, operator, confirmed_by)
       values ($1, $2, $3, $4, $5, $6) on conflict (application_id, transaction_id) where state <> 'refused' do nothing`,
    [row.applicationId, row.transactionId, row.reversalId, row.changeApplicationId, row.operator, row.confirmedBy],
  )
  await announce(trx, row.applicationId)
  return rowCount === 1
}

/** Makes open pages read the transaction again. */
async function announce(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query('update application_counters set change_number = change_number + 1 where application_id = $1', [applicationId])
}

export type StoredReversal = ReversalKey & {
  changeApplicationId: string
  confirmedBy: string
  state: ReversalState
  /** Of the last that happened to it. */
  at: Date
  waitsForPeople: boolean
  refusal: ReversalRefusal | null
  reason: string
}

/** The newest reversal of a payment; undefined if nobody has asked for one. */
export async function findReversal(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<StoredReversal | undefined> {
  const { rows } = await queryable.query<StoredReversal>({
    name: 'find_reversal',
    text: `select application_id as "applicationId", transaction_id as "transactionId", reversal_id as "reversalId",
        change_application_id as "changeApplicationId", confirmed_by as "confirmedBy", state, coalesce(ended_at, asked_at) as at,
        state = 'asked' and next_at is null as "waitsForPeople", refusal, reason
      from operator_reversals where application_id = $1 and transaction_id = $2 order by asked_at desc limit 1`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** The same as pages show it. */
export async function readReversal(queryable: Queryable, applicationId: string, transactionId: string): Promise<ReversalDto | null> {
  const found = await findReversal(queryable, applicationId, transactionId)
  if (!found) return null
  const { state, at, waitsForPeople, refusal, reason } = found
  return { state, at: at.toISOString(), waitsForPeople, refusal, reason }
}

/** How much of a collect was refunded, or is being refunded, in hundredths. */
export async function readRefundedMinor(queryable: Queryable, applicationId: string, transactionId: string): Promise<bigint> {
  const { rows } = await queryable.query<{ refunded: bigint }>('select refunded_minor($1, $2) as refunded', [applicationId, transactionId])
  return rows[0]?.refunded ?? 0n
}

/** A reversal that is due, with its payment. `tries` names the claim: only the latest one stores an outcome. */
export type ClaimedReversal = ReversalKey & {
  type: TransactionType
  operator: OperatorCode
  status: TransactionStatus
  amountMinor: bigint
  currency: Currency
  phoneNumber: string
  isFound: boolean
  operatorReference: string | null
  operatorReferenceOther: string | null
  operatorToken: string | null
  calls: number
  tries: number
}

/** Claims the reversal that is due longest, for `leaseMs`; undefined if none is. */
export async function claimReversal(pool: Pool, leaseMs: number): Promise<ClaimedReversal | undefined> {
  const { rows } = await pool.query<ClaimedReversal>(
    `with due as (
       select application_id, transaction_id, reversal_id from operator_reversals
        where next_at <= clock_timestamp() and (claimed_until is null or claimed_until <= clock_timestamp())
        order by next_at limit 1 for update skip locked)
     update operator_reversals r set tries = r.tries + 1, claimed_until = clock_timestamp() + $1::double precision * interval '1 millisecond'
       from due join transactions t using (application_id, transaction_id)
      where r.application_id = due.application_id and r.transaction_id = due.transaction_id and r.reversal_id = due.reversal_id
     returning r.application_id as "applicationId", r.transaction_id as "transactionId", r.reversal_id as "reversalId", t.type, r.operator, t.status,
       t.amount_minor as "amountMinor", t.currency, t.phone_number as "phoneNumber", r.is_found as "isFound",
       case when r.is_found then r.operator_reference else t.operator_reference end as "operatorReference",
       case when r.is_found then r.operator_reference_other else t.operator_reference_other end as "operatorReferenceOther",
       t.operator_token as "operatorToken", r.calls, r.tries`,
    [leaseMs],
  )
  return rows[0]
}

type Claim = ReversalKey & { tries: number }
const MINE = `application_id = $1 and transaction_id = $2 and reversal_id = $3 and tries = $4 and state = 'asked'`
const claimOf = ({ applicationId, transactionId, reversalId, tries }: Claim) => [applicationId, transactionId, reversalId, tries]

/** Stores by which ids the operator has confirmed the payment. Returns false if the claim has been taken over. */
export async function storeFound(
  pool: Pool,
  claim: Claim,
  ids: { operatorReference: string | null; operatorReferenceOther: string | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update operator_reversals set is_found = true, operator_reference = $5, operator_reference_other = $6 where ${MINE}`,
    [...claimOf(claim), ids.operatorReference, ids.operatorReferenceOther],
  )
  return rowCount === 1
}

/** Counts a call before it is made. Returns false if the claim has ended or has been taken over: the call must not be made. */
export async function storeCall(pool: Pool, claim: Claim): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update operator_reversals set calls = calls + 1 where ${MINE} and is_found and claimed_until > clock_timestamp()`,
    claimOf(claim),
  )
  return rowCount === 1
}

/**
 * Stores an answer that ends nothing. `pauseMs`: when it is asked again; null: not automatically. `wasNotSent`: the call that was counted certainly did not
 * reach the operator.
 */
export async function postponeReversal(
  pool: Pool,
  claim: Claim,
  next: { pauseMs: number | null; wasNotSent: boolean; httpStatus: number | null; answer: string },
): Promise<void> {
  await pool.query(
    `with postponed as (
       update operator_reversals set claimed_until = null, next_at = clock_timestamp() + $5::double precision * interval '1 millisecond',
              calls = calls - case when $6 then 1 else 0 end, http_status = $7, answer = $8
        where ${MINE} returning application_id, next_at)
     update application_counters c set change_number = c.change_number + 1
       from postponed p where c.application_id = p.application_id and p.next_at is null`,
    [...claimOf(claim), next.pauseMs, next.wasNotSent, next.httpStatus, next.answer],
  )
}

export type ReversalEnd = {
  refusal: ReversalRefusal | null
  reason: string
  /** The operator's answer; null if there is none. */
  answered: { httpStatus: number | null; answer: string } | null
  /** The claim that a refusal is the outcome of: one that was overtaken says nothing about a later call. Undefined: of people. */
  tries?: number
}

/** Ends a reversal that was asked for. Returns false if it has ended meanwhile. The caller holds the lock of the application's money. */
export async function storeReversalEnd(
  trx: TrxClient,
  key: ReversalKey,
  { refusal, reason, answered, tries }: ReversalEnd,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update operator_reversals set state = $4, refusal = $5, reason = $6, http_status = coalesce($7, http_status), answer = coalesce($8, answer),
            next_at = null, claimed_until = null, ended_at = clock_timestamp()
      where application_id = $1 and transaction_id = $2 and reversal_id = $3 and state = 'asked'
        and ($5::text is null or $9::integer is null or tries = $9)`,
    [
      key.applicationId,
      key.transactionId,
      key.reversalId,
      refusal === null ? 'done' : 'refused',
      refusal,
      reason,
      answered?.httpStatus ?? null,
      answered?.answer ?? null,
      tries ?? null,
    ],
  )
  await announce(trx, key.applicationId)
  return rowCount === 1
}
