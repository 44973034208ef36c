import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { mtnReference } from '#server/operators/mtn/reference.ts'
import { idOf } from '#server/operators/simulator/wave/wave-messages.ts'
import type { LiveTransaction } from './simulation.ts'

type Known = Pick<LiveTransaction, 'item'> & { plan: Pick<LiveTransaction['plan'], 'operatorFate' | 'isContradicted'> }

/**
 * Writes what the simulator of the operators knows of these transactions: those that were submitted stay open for ever. Those that are
 * unconfirmed or contradicted were executed, which the next query shows.
 */
export function writeSimulatorBooks(folder: string, known: readonly Known[]): void {
  const lines = known.flatMap(({ item, plan }) => {
    const { operator } = item
    const { protocol, reference, context } = identityOf(item)
    const request = {
      reference,
      direction: item.type,
      amount: formatMinor(item.amountMinor),
      currency: OPERATORS[operator].country.currency,
      phoneNumber: item.phoneNumber,
      customerName: item.customerName,
      context,
    }
    const accepted = JSON.stringify({ what: 'accepted', operator, protocol, dueAtMs: null, request })
    const isExecuted = plan.operatorFate === 'unconfirmed' || plan.isContradicted
    return isExecuted ? [accepted, JSON.stringify({ what: 'executed', reference })] : [accepted]
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'books.jsonl'), lines.map((line) => `${line}\n`).join(''))
}

/** What identifies a transaction at its operator, as the connector of the protocol writes it or the operator derives it. */
function identityOf({ applicationId, transactionId, operator, type }: LiveTransaction['item']) {
  const context = `${transactionId}.${applicationId}`
  switch (OPERATORS[operator].protocol) {
    case 'mtn-momo':
      return { protocol: 'mtn-momo', reference: mtnReference(transactionId), context }
    case 'wave':
      return { protocol: 'wave', reference: idOf(type === 'COLLECT' ? 'cos' : 'pt', context), context }
    default:
      return { protocol: 'gateway', reference: transactionId, context: applicationId }
  }
}
