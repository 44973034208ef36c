import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { airtelId } from '#server/operators/airtel/messages.ts'
import type { FinalOutcome } from '#server/operators/connector.ts'
import { mtnReference } from '#server/operators/mtn/messages.ts'
import type { BookLine } from '#server/operators/simulator/books.ts'
import { operatorIdsOf } from '#server/operators/simulator/operator-ids.ts'
import { payoutIdOf } from '#server/operators/simulator/wave/wave-messages.ts'
import type { LiveTransaction } from './history/simulation.ts'
import type { Opening } from './seed-store.ts'

type Known = Pick<LiveTransaction, 'item'> & { plan: Pick<LiveTransaction['plan'], 'atMs' | 'operatorFate' | 'isContradicted'> }

/**
 * Writes what the simulator of the operators knows of these transactions: those that were submitted stay open forever. Those that are
 * unconfirmed or contradicted were executed, which the next query shows. The openings are what it holds of ours before all of them.
 */
export function writeSimulatorBooks(folder: string, known: readonly Known[], openings: readonly Opening[] = []): void {
  const opened = openings.map(({ operator, collectMinor, depositMinor }): BookLine => {
    return { what: 'opening', operator, collect: formatMinor(collectMinor), deposit: formatMinor(depositMinor) }
  })
  const lines = known.flatMap(({ item, plan: { atMs, operatorFate, isContradicted } }): BookLine[] => {
    const { operator } = item
    const { protocol, ...written } = writtenFormOf(item)
    const request = {
      ...written,
      direction: item.type,
      amount: formatMinor(item.amountMinor),
      currency: OPERATORS[operator].country.currency,
      phoneNumber: item.phoneNumber,
      customerName: item.customerName,
    }
    const accepted: BookLine = { what: 'accepted', operator, protocol, dueAtMs: null, atMs, request }
    const isExecuted = operatorFate === 'unconfirmed' || isContradicted
    return isExecuted ? [accepted, { what: 'executed', reference: written.reference, atMs }] : [accepted]
  })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(folder, 'books.jsonl'), [...opened, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''))
}

type Written = { protocol: string; reference: string; context: string; details?: Record<string, string> }

/** A page of Orange Web Payment as the books keep it. */
type OrangePage = { orderId: string; payToken: string }

/** The reference and the text beside it, as the connector of the operator's protocol sends both. */
function writtenFormOf({ operator, transactionId, applicationId, type }: LiveTransaction['item']): Written {
  const ids = { reference: transactionId, applicationId }
  switch (OPERATORS[operator].protocol) {
    case 'mtn-momo':
      return { protocol: 'mtn-momo', reference: mtnReference(transactionId), context: `${transactionId}.${applicationId}` }
    case 'airtel':
      return { protocol: 'airtel', reference: airtelId(ids), context: transactionId.replaceAll('-', '') }
    case 'orange-cm':
      return { protocol: 'orange-cm', reference: payTokenOf(transactionId), context: transactionId }
    case 'moov':
      return { protocol: 'moov', reference: transactionId, context: transactionId }
    case 'wave': {
      const context = `${transactionId}.${applicationId}`
      const reference = type === 'COLLECT' ? `cos-${transactionId.replaceAll('-', '').slice(-16)}` : payoutIdOf(operator, transactionId)
      return { protocol: 'wave', reference, context }
    }
    case 'orange-sonatel':
      return { protocol: 'orange-sonatel', reference: transactionId, context: transactionId }
    case 'orange-bf':
      if (type === 'DEPOSIT') break
      return { protocol: 'orange-bf', reference: transactionId, context: transactionId }
    case 'orange-web': {
      if (type === 'DEPOSIT') break
      const { orderId, payToken } = orangePageOf(transactionId)
      return { protocol: 'orange-web', reference: orderId, context: transactionId, details: { pay_token: payToken } }
    }
    default:
  }
  return { protocol: 'gateway', reference: transactionId, context: applicationId }
}

/** A payToken that Orange made once, for a transaction of the sandbox's history. */
function payTokenOf(transactionId: string): string {
  return `MP${transactionId.replaceAll('-', '').slice(0, 26).toUpperCase()}`
}

/** A page that Orange opened once, for a transaction of the sandbox's history. */
function orangePageOf(transactionId: string): OrangePage {
  const hex = transactionId.replaceAll('-', '')
  const orderId = `${BigInt(`0x${hex}`).toString(36).padStart(25, '0')}-0001`
  return { orderId, payToken: hex + hex }
}

/** Returns the names under which the operator reports a transaction with this result. */
export function referencesOf(
  item: LiveTransaction['item'],
  outcome: FinalOutcome,
): { operatorReference: string | null; operatorReferenceOther: string | null } {
  const { protocol, reference, context } = writtenFormOf(item)
  const result = outcome.kind === 'failed' ? ({ status: 'FAILED', message: outcome.reason } as const) : ({ status: 'SUCCESS' } as const)
  const { id, other } = operatorIdsOf({ protocol, reference, context, direction: item.type, ...result })
  return { operatorReference: id, operatorReferenceOther: other }
}

/** Returns the identifiers kept in the operator work of this transaction, so that the operator can be queried about it. */
export function keptOf({ operator, type, transactionId }: Pick<LiveTransaction['item'], 'operator' | 'type' | 'transactionId'>): {
  operatorReference: string | null
  operatorToken: string | null
} {
  const { protocol } = OPERATORS[operator]
  if (protocol === 'orange-cm') return { operatorReference: null, operatorToken: payTokenOf(transactionId) }
  if (protocol !== 'orange-web' || type !== 'COLLECT') return { operatorReference: null, operatorToken: null }
  const { orderId, payToken } = orangePageOf(transactionId)
  return { operatorReference: orderId, operatorToken: payToken }
}
