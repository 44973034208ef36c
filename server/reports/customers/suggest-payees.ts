import type { Payee } from '#lib/payments/payment-preview.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { listByText } from '#server/beneficiaries/beneficiary-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { suggestBeneficiaries } from './customers.ts'

/** Fewer characters fit nearly everybody. */
const TYPED_MIN = 2

/**
 * Whom a text in the form of a payment may mean: people of the book, whose number two people confirmed, and then everybody who was paid or collected from
 * before. A number of the book is suggested under the name of the book only.
 */
export async function suggestPayees(
  queryable: Queryable,
  applicationId: string,
  wanted: { typed: string; type: TransactionType },
  countMax: number,
): Promise<Payee[]> {
  const text = wanted.typed.trim()
  const isSearched = text.length >= TYPED_MIN && !text.includes('\0')
  const [book, known] = await Promise.all([
    isSearched ? listByText(queryable, applicationId, text, countMax) : [],
    suggestBeneficiaries(queryable, applicationId, wanted, countMax),
  ])
  const keyOf = (phoneNumber: string) => phoneNumberForms(phoneNumber)[0]
  const inBook = new Set(book.map(({ phoneNumber }) => keyOf(phoneNumber)))
  const people = book.map(({ name, operator, phoneNumber }) => ({
    customerName: name,
    phoneNumber,
    bookOperator: operator,
    last: known.find((each) => keyOf(each.phoneNumber) === keyOf(phoneNumber))?.last ?? null,
  }))
  const others = known.filter(({ phoneNumber }) => !inBook.has(keyOf(phoneNumber))).map((each) => ({ ...each, bookOperator: null }))
  return [...people, ...others].slice(0, countMax)
}
