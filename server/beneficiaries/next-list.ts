import type { OperatorCode } from '#lib/operators/operators.ts'
import { compareNames } from '#lib/payments/compare-names.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import type { Beneficiary } from './beneficiary-store.ts'

/** A person of the book, as far as an earlier list needs it. */
type Holder = Pick<Beneficiary, 'beneficiaryId' | 'name' | 'operator' | 'phoneNumber' | 'isArchived'>

/** A row of the earlier list, and whom the book has for its number at that time; the amount in hundredths. */
export type EarlierRow = PaymentTexts & {
  rowNumber: number
  operator: OperatorCode
  phoneNumber: string
  amountMinor: bigint
  holder: Holder | null
}

/** A row of the new list. Null: the amount is not known, and the maker fills it in. */
export type NextRow = PaymentTexts & {
  operator: OperatorCode
  phoneNumber: string
  amountMinor: bigint | null
  sourceRowNumber: number | null
  beneficiaryId: string | null
}

/** `purpose` null: as in the earlier list. */
type NextList = { earlier: readonly EarlierRow[]; members: readonly Beneficiary[]; purpose: string | null }

/**
 * The earlier list once more, with its amounts: names, operators and numbers as they are in the book now, without people who were archived, and with
 * members of the group who were not in it, who get the amount of the book. People who are not in the book are paid as before.
 */
export function repeatList({ earlier, members, purpose }: NextList): NextRow[] {
  const rows = earlier.flatMap((row): NextRow[] => {
    const holder = holderOf(row)
    if (holder?.isArchived) return []
    const { name: customerName, operator, phoneNumber } = holder ?? { ...row, name: row.customerName }
    return [
      {
        customerName,
        operator,
        phoneNumber,
        purpose: purpose ?? row.purpose,
        amountMinor: row.amountMinor,
        sourceRowNumber: row.rowNumber,
        beneficiaryId: holder?.beneficiaryId ?? null,
      },
    ]
  })
  const known = new Set(rows.map(({ beneficiaryId }) => beneficiaryId))
  const added = members.filter(({ beneficiaryId }) => !known.has(beneficiaryId))
  return [...rows, ...added.map((member) => rowOf(member, null, purpose ?? ''))]
}

/** A payment of the amounts of the book to the members of a group. Each is compared with their first row in the earlier list of the group. */
export function payGroup({ earlier, members, purpose }: NextList): NextRow[] {
  const before = new Map<string, EarlierRow>()
  for (const row of earlier) {
    const holder = holderOf(row)
    if (holder && !before.has(holder.beneficiaryId)) before.set(holder.beneficiaryId, row)
  }
  return members.map((member) => {
    const row = before.get(member.beneficiaryId)
    return rowOf(member, row?.rowNumber ?? null, purpose ?? row?.purpose ?? '')
  })
}

function rowOf(member: Beneficiary, sourceRowNumber: number | null, purpose: string): NextRow {
  const { name: customerName, operator, phoneNumber, amountMinor, beneficiaryId } = member
  return { customerName, operator, phoneNumber, purpose, amountMinor, sourceRowNumber, beneficiaryId }
}

/** A number that moved to somebody with quite another name says nothing about the earlier payee, who is paid as before. */
function holderOf({ holder, customerName, phoneNumber }: EarlierRow): Holder | null {
  if (holder === null || holder.phoneNumber === phoneNumber) return holder
  return compareNames(customerName, holder.name) === 'different' ? null : holder
}
