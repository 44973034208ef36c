import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { mtnReference } from '#server/operators/mtn/reference.ts'
import type { LiveTransaction } from './simulation.ts'

/**
 * Writes what the simulator of the operators knows of these transactions: those that were submitted stay open for ever. Those that are
 * unconfirmed or contradicted were executed, which the next query shows.
 */
export function writeSimulatorBooks(folder: string, known: readonly LiveTransaction[]): void {
  const lines = known.flatMap(({ item, plan }) => {
    const { transactionId, operator } = item
    const speaksMtn = OPERATORS[operator].protocol === 'mtn-momo'
    // As the connector of the protocol writes both.
    const reference = speaksMtn ? mtnReference(transactionId) : transactionId
    const request = {
      reference,
      direction: item.type,
      amount: formatMinor(item.amountMinor),
      currency: OPERATORS[operator].country.currency,
      phoneNumber: item.phoneNumber,
      customerName: item.customerName,
      context: speaksMtn ? `${transactionId}.${item.applicationId}` : item.applicationId,
    }
    const accepted = JSON.stringify({ what: 'accepted', operator, dueAtMs: null, request })
    const isExecuted = plan.operatorFate === 'unconfirmed' || plan.isContradicted
    return isExecuted ? [accepted, JSON.stringify({ what: 'executed', reference })] : [accepted]
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'books.jsonl'), lines.map((line) => `${line}\n`).join(''))
}
