import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMinor, parseMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { airtelId } from '#server/operators/airtel/messages.ts'
import type { FinalOutcome } from '#server/operators/connector.ts'
import { mtnReference } from '#server/operators/mtn/messages.ts'
import type { Account, BookLine } from '#server/operators/simulator/books.ts'
import { digitsOf } from '#server/operators/simulator/http.ts'
import { operatorIdsOf } from '#server/operators/simulator/operator-ids.ts'
import { payoutIdOf } from '#server/operators/simulator/wave/wave-messages.ts'
import type { Brought, LiveTransaction } from './history/simulation.ts'
import { type Cases, type Change, NO_CASES, usualFeeMinor } from './statement-cases.ts'

/** A transaction that was submitted, and how far it came. */
export type Sent = Pick<LiveTransaction, 'item' | 'status' | 'message' | 'pendingAtMs' | 'final'> & {
  plan: Pick<LiveTransaction['plan'], 'operatorFate' | 'isContradicted'>
}

/**
 * Writes what the simulator of the operators knows of the history: every transaction that was submitted, the money brought in, and what the
 * operators did otherwise than our ledger says (statement-cases.ts). Those that are open stay open forever; those that are unconfirmed or
 * contradicted were executed, which the next query shows. The accounts begin with what makes them end as the ledger does.
 */
export function writeSimulatorBooks(
  folder: string,
  sent: readonly Sent[],
  brought: readonly Brought[] = [],
  cases: Cases = NO_CASES,
): void {
  const lines = [
    ...brought.map(({ operator, fundingId, amountMinor, atMs }): BookLine => {
      const id = `DEP${digitsOf(fundingId, 10)}`
      return { what: 'moved', id, operator, account: 'deposit', kind: 'funding', amount: formatMinor(amountMinor), atMs }
    }),
    ...sent.flatMap((transaction) => linesOf(transaction, cases.changes.get(transaction.item.transactionId))),
    ...cases.movements.map((movement): BookLine => ({ what: 'moved', ...movement })),
    ...cases.lostDays.map(({ operator, day }): BookLine => ({ what: 'day_lost', operator, day })),
  ]
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const all = [...openingsOf(sent, cases), ...lines]
  writeFileSync(path.join(folder, 'books.jsonl'), all.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

function linesOf(transaction: Sent, change: Change = {}): BookLine[] {
  const { item, plan, pendingAtMs } = transaction
  const { operator } = item
  const { protocol, ...written } = writtenFormOf(item)
  if (change.isAbsent) return []
  const request = {
    ...written,
    direction: item.type,
    amount: formatMinor(item.amountMinor + (change.moreMinor ?? 0n)),
    currency: OPERATORS[operator].country.currency,
    phoneNumber: item.phoneNumber,
    customerName: item.customerName,
  }
  const { reference } = written
  const lines: BookLine[] = [{ what: 'accepted', operator, protocol, dueAtMs: null, atMs: pendingAtMs, request }]
  const endedAtMs = endOf(transaction)
  const isPaid = isPaidThere(transaction, change)
  if (transaction.status === 'FAILED' || change.isPaid === false)
    lines.push({
      what: 'failed',
      reference,
      message: transaction.status === 'FAILED' ? (transaction.message ?? '') : FAILURE_MESSAGES.operatorTimeout,
    })
  if (isPaid) {
    const feeMinor = change.feeMinor ?? (plan.operatorFate === 'success' ? usualFeeMinor(item) : 0n)
    const atMs = change.executedAtMs ?? endedAtMs
    lines.push({ what: 'executed', reference, atMs, ...(feeMinor > 0n && { fee: formatMinor(feeMinor) }) })
  }
  if (change.reversedAtMs !== undefined) {
    const refund = { id: `${reference}-reversal`, amount: request.amount, atMs: change.reversedAtMs }
    lines.push({ what: 'refunded', reference, account: accountOf(item), refund })
  }
  return lines
}

/** When the operator had the result: before we asked for it. */
function endOf({ pendingAtMs, final }: Sent): number {
  return final ? Math.round(pendingAtMs + (final.atMs - pendingAtMs) * 0.8) : pendingAtMs
}

function isPaidThere({ status, plan }: Sent, change: Change): boolean {
  return change.isPaid ?? (status === 'SUCCESS' || plan.operatorFate === 'unconfirmed' || plan.isContradicted)
}

function accountOf({ type }: Pick<LiveTransaction['item'], 'type'>): Account {
  return type === 'COLLECT' ? 'collect' : 'deposit'
}

/** The amount by which the ledger exceeds the lines: the opening balance is lower by it. */
function openingsOf(sent: readonly Sent[], cases: Cases): BookLine[] {
  const openings = new Map(OPERATOR_CODES.map((operator) => [operator, { collect: 0n, deposit: 0n }]))
  const add = (operator: OperatorCode, account: Account, amountMinor: bigint) => {
    const opening = openings.get(operator)
    if (opening) opening[account] += amountMinor
  }
  for (const transaction of sent) {
    const { item, status, plan } = transaction
    const change = cases.changes.get(item.transactionId) ?? {}
    // Executed, and the service has not learned of it yet: the operator holds more or less than the ledger says.
    if (status === 'PENDING' || plan.isContradicted) continue
    const sign = item.type === 'COLLECT' ? 1n : -1n
    if (status === 'SUCCESS') add(item.operator, accountOf(item), sign * item.amountMinor)
    for (const line of linesOf(transaction, change))
      add(item.operator, accountOf(item), -movedBy(line, sign * (item.amountMinor + (change.moreMinor ?? 0n))))
  }
  for (const { operator, account, amount } of cases.movements) add(operator, account, -parseMinor(amount))
  return [...openings].map(([operator, { collect, deposit }]) => {
    return { what: 'opening', operator, collect: formatMinor(collect), deposit: formatMinor(deposit) }
  })
}

function movedBy(line: BookLine, executedMinor: bigint): bigint {
  if (line.what === 'executed') return executedMinor - parseMinor(line.fee ?? '0')
  return line.what === 'refunded' ? -executedMinor : 0n
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
