import { ok } from '#lib/result.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Connectors, Exchange, GuardedConnector, Reversals, StatusEnquiry } from '#server/operators/connector.ts'
import { endReversal } from './end-reversal.ts'
import {
  type ClaimedReversal,
  claimReversal,
  findReversal,
  postponeReversal,
  type ReversalEnd,
  storeCall,
  storeFound,
} from './reversal-store.ts'

/** Longer than a query and the longest call that moves money. */
const LEASE_MS = 120_000
/** It is asked again after this pause, which doubles each time up to an hour. */
const PAUSE_MS = 30_000
const PAUSE_MS_MAX = 3_600_000

type Deps = { pool: Pool; connectors: Connectors }
type Claimed = { reversal: ClaimedReversal; leaseEndsAtMs: number }

/** Asks the operators for the reversals that are due, one after the other. A task runs it each minute; `isEnding` ends it early. */
export async function carryOutReversals(deps: Deps, isEnding: () => boolean = () => false): Promise<void> {
  while (!isEnding()) {
    const leaseEndsAtMs = performance.now() + LEASE_MS
    const reversal = await claimReversal(deps.pool, LEASE_MS)
    if (!reversal) return
    await carryOut(deps, { reversal, leaseEndsAtMs })
  }
}

async function carryOut(deps: Deps, claimed: Claimed): Promise<void> {
  const { reversal } = claimed
  const connector = deps.connectors.get(reversal.operator)
  const offered = connector?.reversals?.types.includes(reversal.type) ? connector.reversals : undefined
  if (!connector) return postpone(deps, reversal, notAnswered('The operator is switched off'))
  if (!offered && reversal.calls > 0) return postpone(deps, reversal, notAnswered('The protocol of the operator takes nothing back now'))
  if (!offered) return end(deps, reversal, { refusal: 'not_offered', reason: '', answered: null })
  // A process ended between a call and its answer.
  if (reversal.calls > 0 && !offered.isRepeatable) return leaveToPeople(deps, reversal, notAnswered('The answer was lost'))
  const enquiry = reversal.isFound ? enquiryOf(reversal) : await findPayment(deps, connector, reversal)
  if (enquiry) await send(deps, offered, claimed, enquiry)
}

/** Has the operator confirm the payment, and stores by which ids. Undefined if it does not: then nothing is sent. */
async function findPayment(deps: Deps, connector: GuardedConnector, reversal: ClaimedReversal): Promise<StatusEnquiry | undefined> {
  const enquiry = enquiryOf(reversal)
  const outcome = await connector.query(enquiry)
  const { exchange } = outcome
  if (outcome.kind === 'failed') {
    await end(deps, reversal, { refusal: 'not_paid', reason: outcome.reason, answered: exchange })
    return undefined
  }
  if (outcome.kind === 'not_found') {
    await end(deps, reversal, { refusal: 'not_paid', reason: '', answered: exchange })
    return undefined
  }
  if (outcome.kind !== 'succeeded') {
    await postpone(deps, reversal, exchange)
    return undefined
  }
  const operatorReference = outcome.operatorReference ?? reversal.operatorReference
  const operatorReferenceOther = outcome.operatorReferenceOther ?? reversal.operatorReferenceOther
  if (!(await storeFound(deps.pool, reversal, { operatorReference, operatorReferenceOther }))) return undefined
  return enquiryOf({ ...reversal, operatorReference, operatorReferenceOther })
}

async function send(deps: Deps, offered: Reversals, { reversal, leaseEndsAtMs }: Claimed, enquiry: StatusEnquiry): Promise<void> {
  if (!(await storeCall(deps.pool, reversal))) return
  const outcome = await offered.reverse({
    ...enquiry,
    reversalReference: reversal.reversalId,
    isRepeated: reversal.calls > 0,
    writeBeforeMs: leaseEndsAtMs,
  })
  const { exchange } = outcome
  switch (outcome.kind) {
    case 'succeeded':
      return end(deps, reversal, { refusal: null, reason: '', answered: exchange })
    case 'failed':
      return end(deps, reversal, { refusal: 'operator', reason: outcome.reason, answered: exchange })
    case 'not_sent':
      return postpone(deps, reversal, exchange, true)
    case 'accepted':
      return postpone(deps, reversal, exchange)
    default: {
      const isSettledByPeople = !offered.isRepeatable || outcome.doubt !== undefined
      return isSettledByPeople ? leaveToPeople(deps, reversal, exchange) : postpone(deps, reversal, exchange)
    }
  }
}

async function end({ pool }: Deps, reversal: ClaimedReversal, ended: ReversalEnd): Promise<void> {
  await withTransaction<null, never>(pool, async (trx) => {
    const stored = await findReversal(trx, reversal.applicationId, reversal.transactionId)
    if (stored?.reversalId === reversal.reversalId) await endReversal(trx, stored, { ...ended, tries: reversal.tries, actor: SYSTEM_ACTOR })
    return ok(null)
  })
}

async function postpone({ pool }: Deps, reversal: ClaimedReversal, exchange: Exchange, wasNotSent = false): Promise<void> {
  const pauseMs = Math.min(PAUSE_MS * 2 ** (reversal.tries - 1), PAUSE_MS_MAX)
  await postponeReversal(pool, reversal, { pauseMs, wasNotSent, ...exchange })
}

/** It may have been carried out, and a repeated call could take the money back twice, or says nothing more. */
async function leaveToPeople({ pool }: Deps, reversal: ClaimedReversal, exchange: Exchange): Promise<void> {
  await postponeReversal(pool, reversal, { pauseMs: null, wasNotSent: false, ...exchange })
}

function notAnswered(answer: string): Exchange {
  return { httpStatus: null, answer }
}

function enquiryOf(reversal: ClaimedReversal): StatusEnquiry {
  const { applicationId, transactionId, operator, type, amountMinor, currency, phoneNumber } = reversal
  const { operatorReference, operatorReferenceOther, operatorToken } = reversal
  return {
    ...{ reference: transactionId, applicationId, operator, type, amountMinor, currency, phoneNumber },
    ...(operatorReference !== null && { operatorReference }),
    ...(operatorReferenceOther !== null && { operatorReferenceOther }),
    ...(operatorToken !== null && { operatorToken }),
  }
}
