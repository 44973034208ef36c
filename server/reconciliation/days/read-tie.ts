import { formatMinor, parseMinor } from '#lib/money/money.ts'
import type { ReportedProof, TieDto, WalletDayDto } from '#lib/reconciliation/days.ts'
import { addDays, daysBetween } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findFirstSignedDay, findLastSigned } from '../certificates/certificate-store.ts'
import type { DayScope } from './day-store.ts'
import { readKeptSums } from './kept-sums.ts'
import { readDays } from './read-days.ts'

/** Of days before that are not signed; more would make the page wait. */
const UNSIGNED_MAX = 31

type Compared = { compared: WalletDayDto; reported: ReportedProof | null }
/** The state at the beginning of a day: the difference carried to it, and the balance that the days before end with. */
type Before = { carriedMinor: bigint | null; closingMinor: bigint | null }

/**
 * Ties the closing balance of a compared day with our books. They begin with the opening balance of the first signed day, and have moved by every
 * posting since, so what a day before left as a difference is carried.
 */
export async function readTie(queryable: Queryable, { compared, reported, ...scope }: DayScope & Compared): Promise<TieDto> {
  return composeTie({ compared, reported, before: await readBefore(queryable, scope) })
}

async function readBefore(queryable: Queryable, { applicationId, wallet, from: day }: DayScope): Promise<Before> {
  const last = await findLastSigned(queryable, { applicationId, wallet: wallet.wallet, before: day })
  const first = await findFirstSignedDay(queryable, applicationId, wallet.wallet)
  const begin = last ? addDays(last.day, 1) : first !== null && first < day ? first : day
  const to = addDays(day, -1)
  const days = daysBetween(begin, to)
  if (days.length > UNSIGNED_MAX) return { carriedMinor: null, closingMinor: null }
  // Not as of the signature of this day: what the days before are now is carried.
  const unsigned = days.length === 0 ? [] : await readDays(queryable, { applicationId, wallet, from: begin, to }, readKeptSums)
  const sumOf = (text: (each: WalletDayDto) => string) => unsigned.reduce((sum, each) => sum + parseMinor(text(each)), 0n)
  const signedMinor = last?.body.statement.closingMinor ?? null
  return {
    carriedMinor: BigInt(last?.body.carriedMinor ?? 0) + sumOf(({ difference }) => difference),
    closingMinor: signedMinor === null ? null : BigInt(signedMinor) + sumOf((each) => balanceOf(each, 'movement') ?? '0'),
  }
}

/** The same from what is known before the day. */
export function composeTie({ compared, reported, before }: Compared & { before: Before }): TieDto {
  const moved = parseMinor(balanceOf(compared, 'movement') ?? '0')
  const ours = parseMinor(compared.ledger) + parseMinor(compared.book)
  const explained = parseMinor(compared.fees) + compared.terms.reduce((sum, { amount }) => sum + parseMinor(amount), 0n)
  const known = minorOf(balanceOf(compared, 'opening')) ?? before.closingMinor
  // Without a statement there is no closing balance either.
  const opening = compared.isCovered ? (known ?? minorOf(reported?.opening)) : null
  if (opening === null) {
    const difference = moved - ours
    return {
      ...{ opening: null, isReported: false, closing: formatMinor(moved), booksOpening: null, booksClosing: formatMinor(ours) },
      ...{ difference: formatMinor(difference), carried: null, unexplained: formatMinor(difference - explained) },
    }
  }
  const carried = before.carriedMinor ?? 0n
  const closing = opening + moved + parseMinor(compared.proof ?? '0')
  const booksOpening = (before.closingMinor ?? opening) - carried
  const booksClosing = booksOpening + ours
  return {
    opening: formatMinor(opening),
    isReported: known === null,
    closing: formatMinor(closing),
    booksOpening: formatMinor(booksOpening),
    booksClosing: formatMinor(booksClosing),
    difference: formatMinor(closing - booksClosing),
    carried: before.carriedMinor === null ? null : formatMinor(carried),
    unexplained: formatMinor(closing - booksClosing - carried - explained),
  }
}

function balanceOf({ rows }: WalletDayDto, name: 'opening' | 'movement'): string | null {
  return rows.find((row) => row.name === name)?.statement ?? null
}

function minorOf(decimal: string | null | undefined): bigint | null {
  return decimal === null || decimal === undefined ? null : parseMinor(decimal)
}
