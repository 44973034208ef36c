import { type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Account } from '../books.ts'

/** How far the clock of each country is ahead of UTC, in minutes. None of them has a summer time. */
const OFFSETS_MIN: Record<CountryName, number> = {
  CAMEROON: 60,
  IVORY_COAST: 0,
  SENEGAL: 0,
  BURKINA_FASO: 0,
  MALI: 0,
  BENIN: 60,
  UGANDA: 180,
}

/** The numbers under which the operators keep the simulated merchant's wallets; two where each direction has an account of its own. */
const NUMBERS: Record<OperatorCode, string | Record<Account, string>> = {
  OMCM: '690000101',
  MOMOCM: { collect: '237670000201', deposit: '237670000202' },
  CIWAVE: '2250700000301',
  CIOM: '2250700000401',
  SNWAVE: '221770000501',
  SNOM: { collect: '221770000601', deposit: '221770000602' },
  SNFREE: '221760000701',
  BFOM: '76000801',
  MLMOOV: '22366000901',
  BJMTN: { collect: '2290197001001', deposit: '2290197001002' },
  BJMOOV: '2290195001101',
  UGMTN: { collect: '256770001201', deposit: '256770001202' },
  UGAIRTEL: { collect: '256700001301', deposit: '256700001302' },
}

/** Whether each direction has an account, and so a statement, of its own. */
export function hasTwoAccounts(operator: OperatorCode): boolean {
  return typeof NUMBERS[operator] !== 'string'
}

/** The number that a statement of this account prints. */
export function walletNumberOf(operator: OperatorCode, account: Account | undefined): string {
  const numbers = NUMBERS[operator]
  return typeof numbers === 'string' ? numbers : numbers[account ?? 'collect']
}

/** How far this operator's statements are ahead of UTC, in milliseconds. */
export function offsetMsOf(operator: OperatorCode): number {
  return OFFSETS_MIN[OPERATORS[operator].country.name] * 60_000
}
