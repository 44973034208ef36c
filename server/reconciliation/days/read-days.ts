import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { GRAVE_CLASSES, LINE_CLASSES } from '#lib/reconciliation/classes.ts'
import { DAY_CLASSES, type DayClass, type DayRow, type WalletDayDto } from '#lib/reconciliation/days.ts'
import { daysBetween } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import {
  type BookedSum,
  type BookSum,
  type DayScope,
  findBalanceBefore,
  type LineSum,
  listBookSums,
  listCoveredDays,
  readSums,
} from './day-store.ts'

/** Classes of a line whose money we booked ourselves; what remains of it is the fee and a difference of the amount. */
const BOOKED_CLASSES: ReadonlySet<string> = new Set(['matched', 'fee_differs', 'amount_differs'])

/**
 * Compares a wallet with its statement, day by day. Statement less ours of a day is the sum of its terms: each line and each of our postings is in
 * exactly one. What the terms do not explain is `unexplained`; it is not zero if a line or a posting is in no class, which would be a bug, or if
 * the printed balances show that the statement lacks lines. `sumsOf`: `readKeptSums` for pages.
 */
export async function readDays(queryable: Queryable, scope: DayScope, sumsOf = readSums): Promise<WalletDayDto[]> {
  const { applicationId, wallet, from, to } = scope
  const { lines, booked, printed } = await sumsOf(queryable, scope)
  const book = await listBookSums(queryable, scope)
  const covered = await listCoveredDays(queryable, applicationId, from, to)
  let before = await findBalanceBefore(queryable, scope)
  return daysBetween(from, to).map((day) => {
    const own = printed.find((each) => each.day === day)
    const opening = before ?? own?.openingMinor ?? (wallet.openingDay === day ? wallet.openingMinor : null)
    const moved = sum(lines, (each) => (each.day === day ? each.netMinor : 0n))
    before = own?.closingMinor ?? (before === null ? null : before + moved)
    return compare({
      wallet: wallet.wallet,
      day,
      currency: OPERATORS[wallet.operator].country.currency,
      isCovered: covered.some((each) => each.wallet === wallet.wallet && each.day === day),
      lines: lines.filter((each) => each.day === day),
      booked: booked.filter((each) => each.day === day),
      book: book.filter((each) => each.day === day),
      opening,
      closing: own?.closingMinor ?? null,
    })
  })
}

type Facts = Pick<WalletDayDto, 'wallet' | 'day' | 'currency' | 'isCovered'> & {
  lines: readonly LineSum[]
  booked: readonly BookedSum[]
  book: readonly BookSum[]
  opening: bigint | null
  closing: bigint | null
}

function compare({ lines, booked, book, opening, closing, ...about }: Facts): WalletDayDto {
  const theirs = sum(lines, ({ netMinor }) => netMinor)
  const ledgerMinor = sum(booked, ({ effectMinor }) => effectMinor)
  const bookMinor = sum(book, ({ walletMinor }) => walletMinor)
  const ours = ledgerMinor + bookMinor
  const fees = sum(lines, ({ netMinor, ...line }) => netMinor - movedBy(line))
  const terms = termsOf(lines, booked, book)
  const explained = fees + sum([...terms.values()], ({ amount }) => amount)
  const proof = opening === null || closing === null ? null : closing - opening - theirs
  const unexplained = theirs - ours - explained + (proof ?? 0n)
  const shown = DAY_CLASSES.filter((each) => terms.has(each))
  const classes = LINE_CLASSES.map((each) => ({ class: each, of: lines.filter((line) => line.class === each) }))
  return {
    ...about,
    rows: rowsOf({ lines, booked, book, opening, closing, theirs, ours }),
    classes: classes.flatMap(({ class: name, of }) =>
      of.length === 0 ? [] : [{ class: name, count: of.reduce((all, { count }) => all + count, 0), amount: formatMinor(sum(of, movedBy)) }],
    ),
    ledger: formatMinor(ledgerMinor),
    book: formatMinor(bookMinor),
    terms: shown.map((each) => ({ class: each, count: terms.get(each)?.count ?? 0, amount: formatMinor(terms.get(each)?.amount ?? 0n) })),
    fees: formatMinor(fees),
    difference: formatMinor(theirs - ours),
    proof: proof === null ? null : formatMinor(proof),
    unexplained: formatMinor(unexplained),
    grave: shown.reduce((count, each) => count + (GRAVE_CLASSES.has(each) ? (terms.get(each)?.count ?? 0) : 0), 0),
  }
}

/** The amount a line moved before its fee: nothing if it failed. */
function movedBy({ class: lineClass, grossMinor }: Pick<LineSum, 'class' | 'grossMinor'>): bigint {
  return lineClass === 'failed' ? 0n : grossMinor
}

/** A line whose money we booked on the same day: statement and ledger differ by its fee only. */
function settlesToday({ class: lineClass, isSameDay }: LineSum): boolean {
  return BOOKED_CLASSES.has(lineClass) && isSameDay
}

type Term = { count: number; amount: bigint }

/** Each class with its count and with what it adds to statement less ours. */
function termsOf(lines: readonly LineSum[], booked: readonly BookedSum[], book: readonly BookSum[]): Map<DayClass, Term> {
  const terms = new Map<DayClass, Term>()
  const add = (name: DayClass, count: number, amount: bigint) => {
    const before = terms.get(name) ?? { count: 0, amount: 0n }
    terms.set(name, { count: before.count + count, amount: before.amount + amount })
  }
  for (const line of lines) {
    if (settlesToday(line)) add(line.class, line.count, line.grossMinor - (line.isIn ? line.amountMinor : -line.amountMinor))
    else add(line.class, line.count, movedBy(line))
  }
  for (const { class: name, count, effectMinor } of booked) {
    // Its line is counted above.
    if (name !== 'matched') add(name, count, -effectMinor)
  }
  for (const { kind, count, walletMinor } of book) add(`book_${kind}`, count, -walletMinor)
  return terms
}

type RowFacts = Pick<Facts, 'lines' | 'booked' | 'book' | 'opening' | 'closing'> & { theirs: bigint; ours: bigint }

function rowsOf({ lines, booked, book, opening, closing, theirs, ours }: RowFacts): DayRow[] {
  const line = (is: (each: LineSum) => boolean, of: (each: LineSum) => bigint = ({ netMinor }) => netMinor) =>
    sum(lines, (each) => (is(each) ? of(each) : 0n))
  const posted = (is: (each: BookedSum) => boolean) => sum(booked, (each) => (is(each) ? each.effectMinor : 0n))
  const entered = (is: (each: BookSum) => boolean) => sum(book, (each) => (is(each) ? each.walletMinor : 0n))
  const isCost = ({ kind }: BookSum) => kind === 'fee' || kind === 'tax' || kind === 'commission'
  const isPayment = ({ class: name }: LineSum) => !['fee', 'tax', 'commission', 'transfer', 'reversal', 'other', 'failed'].includes(name)
  const isOneOf =
    (...names: readonly string[]) =>
    ({ class: name }: LineSum) =>
      names.includes(name)
  const inLine = line(
    (each) => isPayment(each) && each.isIn,
    ({ grossMinor }) => grossMinor,
  )
  const outLine = line(
    (each) => isPayment(each) && !each.isIn,
    ({ grossMinor }) => grossMinor,
  )
  const feeLines = line(isOneOf('fee', 'tax', 'commission')) - line(isPayment, ({ feeMinor }) => feeMinor)
  const movement = { ours, statement: theirs }
  return [
    balanceRow('opening', opening),
    row('collects', { ours: posted(({ kind, isIn }) => kind === 'settle' && isIn), statement: inLine }),
    row('deposits', { ours: posted(({ kind, isIn }) => kind === 'settle' && !isIn), statement: outLine }),
    row('funding', { ours: posted(({ kind }) => kind !== 'settle'), statement: line(isOneOf('transfer')) }),
    row('fees', { ours: entered(isCost), statement: feeLines }),
    row('reversals', { ours: entered((each) => !isCost(each)), statement: line(isOneOf('reversal', 'other')) }),
    row('movement', movement),
    balanceRow('closing', closing ?? (opening === null ? null : opening + theirs)),
  ]
}

function row(name: DayRow['name'], { ours, statement }: { ours: bigint; statement: bigint }): DayRow {
  return { name, ours: formatMinor(ours), statement: formatMinor(statement), difference: formatMinor(statement - ours) }
}

function balanceRow(name: DayRow['name'], minor: bigint | null): DayRow {
  return { name, ours: null, statement: minor === null ? null : formatMinor(minor), difference: null }
}

function sum<Each>(all: readonly Each[], of: (each: Each) => bigint): bigint {
  return all.reduce((total, each) => total + of(each), 0n)
}
