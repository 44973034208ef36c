import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMinor } from '#lib/money.ts'
import type { SeedRows } from './seed-rows.ts'

/**
 * Writes what the operators' stand-in knows of the open transactions of the history: those submitted stay open for ever,
 * those unconfirmed were executed, which "Synchronise with the operator" then brings to light.
 */
export function writeSimulatorBooks(folder: string, histories: readonly SeedRows[]): void {
  const lines: string[] = []
  for (const { operator_work: work, transactions } of histories) {
    const rows = new Map(transactions.map((row) => [row.transaction_id, row]))
    for (const { transaction_id: reference, operator, state } of work) {
      const row = rows.get(reference)
      if (!row) continue
      const request = {
        reference,
        direction: row.type,
        amount: formatMinor(BigInt(row.amount_minor)),
        currency: row.currency,
        phoneNumber: row.phone_number,
        customerName: row.customer_name,
        context: row.application_id,
      }
      lines.push(JSON.stringify({ what: 'accepted', operator, dueAtMs: null, request }))
      if (state === 'unconfirmed') lines.push(JSON.stringify({ what: 'executed', reference }))
    }
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'books.jsonl'), lines.map((line) => `${line}\n`).join(''))
}
