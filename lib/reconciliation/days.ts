import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { CertificateState } from './certificates.ts'
import { LINE_CLASSES, type LineClass, TRANSACTION_CLASSES, type TransactionClass } from './classes.ts'

/** The kinds of postings in the wallet book, in the order in which a day shows them. Fees, taxes and commissions follow from the lines. */
export const WALLET_POSTING_KINDS = ['fee', 'tax', 'commission', 'unmatched', 'release', 'transfer', 'loss', 'opening'] as const
export type WalletPostingKind = (typeof WALLET_POSTING_KINDS)[number]

/** The entries two people post about a line. The texts are `close.class.book_<kind>`. */
export const PERSON_POSTINGS = ['unmatched', 'release', 'transfer', 'loss'] as const
export type PersonPosting = (typeof PERSON_POSTINGS)[number]

/** The kind of a line of a statement, as it was read. */
export type LineKind = 'payment' | 'fee' | 'tax' | 'commission' | 'transfer' | 'reversal' | 'other' | 'failed'

/** A cause of a day's difference, or a class that is only counted. The texts are `close.class.<class>`. */
export type DayClass = LineClass | TransactionClass | 'adjusted' | 'funding' | 'move' | 'withdraw' | `book_${WalletPostingKind}`

/** Every class of a day, in the order in which its page shows them. */
export const DAY_CLASSES: readonly DayClass[] = [
  ...new Set<DayClass>([
    ...LINE_CLASSES,
    ...TRANSACTION_CLASSES,
    'adjusted',
    'funding',
    'move',
    'withdraw',
    ...WALLET_POSTING_KINDS.map((kind) => `book_${kind}` as const),
  ]),
]

/** One term: how many lines or transactions, and what they add to statement less ours. Decimals. */
export type DayTerm = { class: DayClass; count: number; amount: string }

/** One row of the comparison of a day: what we booked, what the statement says. A null side has no such row. */
export type DayRow = {
  name: 'opening' | 'collects' | 'deposits' | 'funding' | 'fees' | 'transfers' | 'reversals' | 'movement' | 'closing'
  ours: string | null
  statement: string | null
  difference: string | null
}

/**
 * A wallet on one of its operator's days. `classes`: what the lines of each class moved before their fees; with the fees they add up to the movement
 * of the statement. `ledger` and `book`: what the ledger and the wallet book moved; together our movement. `proof`: printed closing less opening and movement; null if the statement prints no balance.
 * `unexplained`: what no term explains; the day ties if both are zero and no term needs a person.
 */
export type WalletDayDto = {
  wallet: string
  day: string
  currency: string
  isCovered: boolean
  rows: readonly DayRow[]
  classes: readonly DayTerm[]
  ledger: string
  book: string
  terms: readonly DayTerm[]
  /** The fees and taxes of lines beside their amounts. */
  fees: string
  difference: string
  proof: string | null
  unexplained: string
  /** Lines and transactions that a person has to look at. */
  grave: number
}

/**
 * The balances of a wallet at the end of a day: opening, lines and `proof` add up to `closing`; `booksOpening` and our postings to `booksClosing`; and
 * `difference`, the one less the other, is what the terms of the day, its fees, `carried` and `unexplained` add up to. Decimals.
 * `opening` null: nobody knows the balance at the beginning, so closing, books and difference are movements of the day. `isReported`: only the operator's
 * report says the opening balance. `carried` null: more days before are not signed than are read, so the books begin with this one.
 */
export type TieDto = {
  opening: string | null
  isReported: boolean
  closing: string
  booksOpening: string | null
  booksClosing: string
  difference: string
  carried: string | null
  unexplained: string
}

/**
 * A day compared with the balances that its operator reported last before its beginning and its end: reported closing less reported opening less the
 * movement of the statement. Payments between a report and the end of a day are part of it, so it is a hint, and no term. Decimals.
 */
export type ReportedProof = { openedAt: string; closedAt: string; opening: string; difference: string }

/** A day on the board. `none`: no statement covers it. `signing`: how far its signature is. */
export type BoardDay = {
  day: string
  state: 'none' | 'ties' | 'differs'
  grave: number
  difference: string
  signing: CertificateState | null
}
export type BoardDto = { days: readonly string[]; wallets: readonly { wallet: string; currency: string; days: readonly BoardDay[] }[] }

/** A line or a transaction of a class, as the page of the day lists it. Amounts are decimals. */
export type DayItemDto = {
  lineId: string | null
  at: string
  /** The signed day that it is from, if it was found later. */
  originDay: string | null
  amount: string
  fee: string
  phone: string | null
  operatorId: string | null
  type: string
  status: string
  rule: string | null
  isTwin: boolean
  /** The open exception about the line or the transaction. */
  exceptionId: string | null
  transaction: {
    transactionId: string
    application: string
    status: string
    adjustments: readonly AdjustmentKind[]
    at: string
    amount: string
  } | null
}
