import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { ClarificationDto } from '#lib/payments/transactions/transaction-dto.ts'
import {
  dueAt,
  type ExceptionDetailDto,
  type ExceptionDto,
  type ExceptionLineDto,
  type ExceptionPage,
  type ExceptionTransactionDto,
} from '#lib/reconciliation/exceptions.ts'
import { walletOf } from '#lib/reconciliation/wallets.ts'
import type { ExceptionFilter } from '#lib/schemas/exceptions.ts'
import { DAY_MS } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { isMatched, listLinesOfTransaction, listTransactionsOfLine } from '../matching/match-candidate-store.ts'
import {
  countExceptions,
  type ExceptionRow,
  findException,
  findExceptionOf,
  findLine,
  findTransactionEvidence,
  listExceptionEvents,
  selectExceptions,
} from './list-store.ts'

/** As many as a page of the list has. */
export const EXCEPTION_PAGE_SIZE = 50

type Asked = { applicationId: string; viewerId: string; filter: ExceptionFilter; now: Date }

/** A page of the exceptions that fit the filter, and how many there are. */
export async function listExceptions(queryable: Queryable, { filter, now, ...by }: Asked): Promise<ExceptionPage> {
  const asked = { ...by, filter, openedBefore: filter.days === null ? null : new Date(now.getTime() - filter.days * DAY_MS) }
  const [rows, total] = [await selectExceptions(queryable, asked, EXCEPTION_PAGE_SIZE), await countExceptions(queryable, asked)]
  return { rows: rows.map((row) => toDto(row, now)), total }
}

/** One exception with its evidence and everything that happened to it; undefined if there is none. */
export async function readException(
  queryable: Queryable,
  applicationId: string,
  exceptionId: string,
  now: Date,
): Promise<ExceptionDetailDto | undefined> {
  const row = await findException(queryable, applicationId, exceptionId)
  if (!row) return undefined
  const { lineId, ledger, transactionId } = row
  const events = await listExceptionEvents(queryable, applicationId, exceptionId)
  const line = lineId === null ? undefined : await findLine(queryable, applicationId, lineId)
  const paid = ledger === null || transactionId === null ? undefined : await findTransactionEvidence(queryable, ledger, transactionId)
  return {
    ...toDto(row, now),
    line: line ? toLine(line) : null,
    transaction: paid && ledger !== null && transactionId !== null ? toTransaction({ ...paid, ledger, transactionId }, row.operator) : null,
    answer: paid && paid.said !== null && paid.saidAt !== null ? { said: paid.said, at: paid.saidAt.toISOString() } : null,
    adjustment: paid && paid.changeId !== null && paid.kind !== null ? { changeId: paid.changeId, kind: `adjustment.${paid.kind}` } : null,
    events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
    ...(await readOtherSide(queryable, applicationId, row)),
  }
}

/** Returns the acts of people of an application about one of its transactions, whether that is known by its result or not; null if nobody has. */
export async function readClarification(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<ClarificationDto | null> {
  const found = await findExceptionOf(queryable, applicationId, transactionId)
  if (!found) return null
  const events = await listExceptionEvents(queryable, applicationId, found.exceptionId)
  return { owner: found.ownerName, events: events.map((event) => ({ ...event, at: event.at.toISOString() })) }
}

/** The candidates of an open exception whose line or transaction lacks the other side. */
async function readOtherSide(
  queryable: Queryable,
  applicationId: string,
  { outcome, class: name, lineId, ledger, transactionId, operator }: ExceptionRow,
): Promise<Pick<ExceptionDetailDto, 'candidates' | 'isMatched'>> {
  if (outcome !== null) return { candidates: [], isMatched: false }
  if (name === 'unknown_payment' && lineId !== null) {
    if (await isMatched(queryable, applicationId, { lineId })) return { candidates: [], isMatched: true }
    return { candidates: await listTransactionsOfLine(queryable, { applicationId, lineId, operator }), isMatched: false }
  }
  if (name === 'success_absent_there' && ledger !== null && transactionId !== null) {
    if (await isMatched(queryable, applicationId, { ledger, transactionId })) return { candidates: [], isMatched: true }
    return { candidates: await listLinesOfTransaction(queryable, { applicationId, ledger, transactionId }), isMatched: false }
  }
  return { candidates: [], isMatched: false }
}

function toDto(row: ExceptionRow, now: Date): ExceptionDto {
  const { exceptionId, outcome, ownerId, ownerName, openedAt, closedAt, operator, type, day, reference, phone, application } = row
  const due = dueAt(row.class, openedAt)
  return {
    ...{ exceptionId, outcome, day, reference, phone, application, class: row.class },
    state: outcome !== null ? 'closed' : ownerId === null ? 'open' : 'owned',
    wallet: row.wallet ?? walletOf(operator, type),
    amount: formatMinor(row.amountMinor),
    currency: OPERATORS[operator].country.currency,
    openedAt: openedAt.toISOString(),
    dueAt: due.toISOString(),
    isOverdue: outcome === null && due <= now,
    closedAt: closedAt?.toISOString() ?? null,
    owner: ownerId === null ? null : { personId: ownerId, name: ownerName ?? '' },
  }
}

function toLine(line: NonNullable<Awaited<ReturnType<typeof findLine>>>): ExceptionLineDto {
  const { lineId, at, grossMinor, feeMinor, fileId, fileName, ...shown } = line
  return {
    ...shown,
    lineId: String(lineId),
    at: at.toISOString(),
    amount: formatMinor(grossMinor),
    fee: formatMinor(feeMinor),
    file: { fileId, name: fileName },
  }
}

type Paid = NonNullable<Awaited<ReturnType<typeof findTransactionEvidence>>> & { ledger: string; transactionId: string }

function toTransaction(
  { changeId: _, kind: __, said: ___, saidAt: ____, amountMinor, at, ...paid }: Paid,
  operator: string,
): ExceptionTransactionDto {
  // As the statement signs it: what comes in is positive.
  const amount = formatMinor(paid.type === 'COLLECT' ? amountMinor : -amountMinor)
  return { ...paid, operator, amount, at: at.toISOString() }
}
