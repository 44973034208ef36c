import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { LiveTransaction } from './simulation.ts'

/**
 * Writes what the simulator of the operators knows of the open transactions: those that were submitted stay open for ever, and those that
 * are unconfirmed were executed, which "Synchronise with the operator" then shows.
 */
export function writeSimulatorBooks(folder: string, open: readonly LiveTransaction[]): void {
  const lines = open.flatMap(({ item, plan }) => {
    const { transactionId: reference, operator } = item
    const request = {
      reference,
      direction: item.type,
      amount: formatMinor(item.amountMinor),
      currency: OPERATORS[operator].country.currency,
      phoneNumber: item.phoneNumber,
      customerName: item.customerName,
      context: item.applicationId,
    }
    const accepted = JSON.stringify({ what: 'accepted', operator, dueAtMs: null, request })
    return plan.operatorFate === 'unconfirmed' ? [accepted, JSON.stringify({ what: 'executed', reference })] : [accepted]
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'books.jsonl'), lines.map((line) => `${line}\n`).join(''))
}
