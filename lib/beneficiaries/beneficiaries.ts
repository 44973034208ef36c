import type { Currency } from '#lib/money/money.ts'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { isCompleteNumber } from '#lib/payments/phone-number.ts'

/** Beneficiaries on one page of the book. */
export const BENEFICIARY_PAGE_SIZE = 50
export const BENEFICIARY_NAME_MAX = 200
export const GROUP_NAME_MAX = 100

/** A person in the book; the amount, a decimal, is what a payment of the group pays. */
export type BeneficiaryDto = {
  beneficiaryId: string
  name: string
  operator: OperatorCode
  phoneNumber: string
  groupName: string | null
  amount: string | null
  currency: Currency
  isArchived: boolean
}

/** A group with the people who are in it now. */
export type BeneficiaryGroup = { groupName: string; count: number }

/** Whether an operator can pay this number: complete, and of the operator's country. */
export function isNumberOf(operator: string, phoneNumber: string): boolean {
  return isOperatorCode(operator) && isCompleteNumber(phoneNumber, OPERATORS[operator].country.name)
}
