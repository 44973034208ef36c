import { namesOf } from './airtel/airtel-messages.ts'
import type { BookEntry } from './books.ts'
import { gatewayIdOf } from './gateway/gateway.ts'
import { digitsOf } from './http.ts'
import { referenceOf } from './moov/moov-messages.ts'
import { financialIdOf } from './mtn/mtn-messages.ts'
import { transIdOf } from './orange-bf/answer-orange-bf.ts'
import { txnidOf as cameroonIdOf } from './orange-cm/orange-cm-messages.ts'
import { transactionIdOf as sonatelIdOf } from './orange-sonatel/sonatel-messages.ts'
import { txnidOf as webIdOf } from './orange-web/answer-orange-web.ts'
import { transactionIdOf as waveIdOf } from './wave/wave-messages.ts'

/** The operator's own names of a transfer that ended. `other`: the second one of an operator that has two. */
type OperatorIds = { id: string | null; other: string | null }

type Ended = Pick<BookEntry, 'protocol' | 'reference' | 'context' | 'direction' | 'status' | 'message'>

/** Returns the names that the operator of this entry reports in its answers. Always the same for one entry. */
export function operatorIdsOf(entry: Ended): OperatorIds {
  const { protocol, reference, direction, status } = entry
  const isPaid = status === 'SUCCESS'
  switch (protocol) {
    case 'mtn-momo':
      return named(isPaid ? financialIdOf(reference) : null)
    case 'airtel': {
      if (!isPaid) return named(null)
      const { reference_id: statementId, airtel_money_id: moneyId } = namesOf(entry)
      return statementId === undefined ? named(moneyId) : named(statementId, moneyId)
    }
    case 'orange-cm':
      return named(cameroonIdOf(entry))
    case 'moov':
      return named(referenceOf(entry))
    case 'wave': {
      const transactionId = isPaid ? waveIdOf(reference) : null
      return direction === 'COLLECT' && isPaid ? named(transactionId, reference) : named(reference, transactionId)
    }
    case 'orange-sonatel':
      return named(sonatelIdOf(entry))
    case 'orange-web':
      return named(webIdOf(entry) || null)
    case 'orange-bf':
      return named(isPaid ? transIdOf(reference) : null)
    default:
      return named(gatewayIdOf(reference))
  }
}

/** Returns the name that a statement prints for this transfer; also for one that failed and that the operator's answers do not name. */
export function statementIdOf(entry: Ended): string {
  const { id, other } = operatorIdsOf(entry)
  // Wave's statements number payouts as they number payments.
  const printed = entry.protocol === 'wave' && entry.direction === 'DEPOSIT' ? (other ?? id) : id
  return printed ?? `X${digitsOf(entry.reference, 11)}`
}

/** The same for money of a transfer that went back. */
export function reversalIdOf(protocol: string, refundId: string): string {
  return protocol === 'wave' ? waveIdOf(refundId) : digitsOf(refundId, 12)
}

function named(id: string | null, other: string | null = null): OperatorIds {
  return { id, other }
}
