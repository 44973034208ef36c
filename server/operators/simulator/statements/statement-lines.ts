import { formatMinor, parseMinor } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Account, BookEntry, Books, Movement } from '../books.ts'
import { reversalIdOf, statementIdOf } from '../operator-ids.ts'

/** A line as the operator knows it, before it is written in the layout of its statements. Amounts in hundredths, positive into the wallet. */
export type StatementLine = {
  /** When the money moved; of a line that failed, when it was taken in. */
  atMs: number
  initiatedAtMs: number
  /** The operator's own name of it. */
  id: string
  /** The text that its sender wrote beside it; empty where there is none. */
  context: string
  account: Account
  kind: Movement['kind']
  status: 'SUCCESS' | 'FAILED'
  /** The requested amount. Of a line that failed none of it moved. */
  grossMinor: bigint
  /** The operator's fee, positive. */
  feeMinor: bigint
  /** The change of the balance: 0 for a line that failed. */
  netMinor: bigint
  balanceMinor: bigint
  phoneNumber: string
  message: string
}

/** The period of a statement, from and before, and one account of a wallet that has two; undefined: all of it. */
export type StatementOrder = { operator: OperatorCode; account: Account | undefined; fromMs: number; beforeMs: number }

type Statement = { lines: StatementLine[]; openingMinor: bigint; closingMinor: bigint }

/**
 * Returns what the books hold for a period, in order of time, with the balance after each line. The balances are counted backwards from
 * today's, because the books keep no earlier ones.
 */
export function readStatement(books: Books, { operator, account, fromMs, beforeMs }: StatementOrder): Statement {
  const { collectMinor, depositMinor, bothMinor } = books.accountsOf(operator)
  let balanceMinor = account === undefined ? bothMinor : account === 'collect' ? collectMinor : depositMinor
  const latestFirst = linesOf(books, operator)
    .filter((line) => account === undefined || line.account === account)
    .toSorted((left, right) => left.atMs - right.atMs)
    .reverse()
  let closingMinor = balanceMinor
  const lines: StatementLine[] = []
  for (const line of latestFirst) {
    if (line.atMs < fromMs) break
    if (line.atMs < beforeMs) lines.push({ ...line, balanceMinor })
    balanceMinor -= line.netMinor
    if (line.atMs >= beforeMs) closingMinor = balanceMinor
  }
  return { lines: lines.toReversed(), openingMinor: balanceMinor, closingMinor }
}

type Unbalanced = Omit<StatementLine, 'balanceMinor'>

function linesOf(books: Books, operator: OperatorCode): Unbalanced[] {
  const lines: Unbalanced[] = []
  for (const entry of books.entries()) if (entry.operator === operator) lines.push(...linesOfTransfer(entry))
  for (const movement of books.movements()) if (movement.operator === operator) lines.push(lineOfMovement(movement))
  return lines
}

/** A transfer that ended, and what went back of it. */
function linesOfTransfer(entry: BookEntry): Unbalanced[] {
  if (entry.status === 'PENDING') return []
  const isPaid = entry.status === 'SUCCESS'
  const sign = entry.direction === 'COLLECT' ? 1n : -1n
  const account = entry.direction === 'COLLECT' ? 'collect' : 'deposit'
  const grossMinor = sign * parseMinor(entry.amount)
  const feeMinor = isPaid ? parseMinor(entry.fee ?? '0') : 0n
  const common = { initiatedAtMs: entry.acceptedAtMs, context: entry.context, account, phoneNumber: entry.phoneNumber } as const
  const payment: Unbalanced = {
    ...common,
    atMs: entry.executedAtMs ?? entry.acceptedAtMs,
    id: statementIdOf(entry),
    kind: 'payment',
    status: isPaid ? 'SUCCESS' : 'FAILED',
    grossMinor,
    feeMinor,
    netMinor: isPaid ? grossMinor - feeMinor : 0n,
    message: entry.message ?? '',
  }
  const refunds = entry.refunds.map(({ id: refundId, amount, atMs, account: refundedFrom = account }): Unbalanced => {
    const backMinor = -sign * parseMinor(amount)
    const own = { account: refundedFrom, id: reversalIdOf(entry.protocol, refundId), atMs, initiatedAtMs: atMs, context: '' }
    return { ...common, ...own, kind: 'reversal', status: 'SUCCESS', grossMinor: backMinor, feeMinor: 0n, netMinor: backMinor, message: '' }
  })
  return [payment, ...refunds]
}

function lineOfMovement({ id, account, kind, amount, atMs, context = '', phoneNumber = '' }: Movement): Unbalanced {
  const movedMinor = parseMinor(amount)
  const moved = { grossMinor: movedMinor, feeMinor: 0n, netMinor: movedMinor }
  return { atMs, initiatedAtMs: atMs, id, context, account, kind, status: 'SUCCESS', ...moved, phoneNumber, message: '' }
}

/** An amount without its sign, as most layouts print it. */
export function unsigned(amountMinor: bigint): string {
  return formatMinor(amountMinor < 0n ? -amountMinor : amountMinor)
}
