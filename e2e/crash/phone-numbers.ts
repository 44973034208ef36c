import { type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Random } from '#lib/seeded-random.ts'

/** How mobile numbers begin, and how many digits come before the last three. */
const MOBILE_NUMBERS: Record<CountryName, readonly [first: string, digits: number]> = {
  CAMEROON: ['67', 4],
  SENEGAL: ['77', 4],
  UGANDA: ['77', 4],
  BURKINA_FASO: ['67', 3],
  MALI: ['67', 3],
  BENIN: ['0167', 3],
  IVORY_COAST: ['0767', 3],
}

/** With as many digits as the country's numbers have: operators refuse others. */
export function phoneNumberOf(operator: OperatorCode, random: Random, ending: string): string {
  const { dialCode, name } = OPERATORS[operator].country
  const [first, digits] = MOBILE_NUMBERS[name]
  const middle = String(random.between(10 ** (digits - 1), 10 ** digits - 1))
  return `${dialCode}${first}${middle}${ending}`
}
