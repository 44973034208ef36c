import { COUNTRIES, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { zoneOfOperators } from '#lib/time/time-zones.ts'

/** The money that an account at an operator holds: collects, deposits, or the money of both. */
type WalletAccount = 'collect' | 'deposit' | 'both'

/** One account of the installation at an operator. Its id is part of addresses and of stored rows, and never changes. */
export type Wallet = { wallet: string; operator: OperatorCode; account: WalletAccount }

/** Operators that keep collects and deposits in two accounts: the three of MTN, Airtel and Orange Senegal. */
const SPLIT: ReadonlySet<OperatorCode> = new Set(['MOMOCM', 'BJMTN', 'UGMTN', 'UGAIRTEL', 'SNOM'])

/** Every wallet of an installation, by operator. */
export const WALLETS: readonly Wallet[] = OPERATOR_CODES.flatMap((operator): Wallet[] =>
  SPLIT.has(operator)
    ? (['collect', 'deposit'] as const).map((account) => ({ wallet: `${operator}-${account}`, operator, account }))
    : [{ wallet: operator, operator, account: 'both' }],
)

/** The ids of all wallets. */
export const WALLET_IDS = WALLETS.map(({ wallet }) => wallet) as [string, ...string[]]

/** The wallet with this id; undefined if there is none. */
export function findWallet(id: string): Wallet | undefined {
  return WALLETS.find(({ wallet }) => wallet === id)
}

/** The wallet in which the money of an operator's payments of one direction is. */
export function walletOf(operator: OperatorCode, type: TransactionType): string {
  return SPLIT.has(operator) ? `${operator}-${type === 'COLLECT' ? 'collect' : 'deposit'}` : operator
}

/** How the agreed fee is rounded to a whole unit. */
export const FEE_ROUNDINGS = ['half_up', 'up', 'down'] as const
export type FeeRounding = (typeof FEE_ROUNDINGS)[number]

/** Where the operator charges its fee: in the line of the payment (beside the amount, or netted from it), in its own line, or once a month. */
export const FEE_FORMS = ['beside', 'netted', 'own_line', 'monthly'] as const
export type FeeForm = (typeof FEE_FORMS)[number]

/**
 * The settings of a wallet that people made. `cutoffMinute`: the minute after local midnight at which the operator's day begins. `feePpm` and
 * `feeFixedMinor`: the agreed fee of a payment, null while it is not checked; `feeTaxPpm`: the tax on that fee. `openingMinor`: the balance at the beginning of `openingDay`.
 */
export type WalletSettings = {
  number: string | null
  zone: string
  cutoffMinute: number
  feePpm: number | null
  feeFixedMinor: bigint | null
  feeRounding: FeeRounding
  feeTaxPpm: number
  feeForm: FeeForm
  openingDay: string | null
  openingMinor: bigint | null
}

/** The settings of a wallet that nobody has changed. */
export function defaultSettings({ operator }: Wallet): WalletSettings {
  return {
    number: null,
    zone: zoneOfOperators([operator]),
    cutoffMinute: 0,
    feePpm: null,
    feeFixedMinor: null,
    feeRounding: 'half_up',
    feeTaxPpm: 0,
    feeForm: 'beside',
    openingDay: null,
    openingMinor: null,
  }
}

/** The dial code of the country of a wallet, for phone numbers that are written without it. */
export function dialCodeOf(operator: OperatorCode): string {
  return COUNTRIES[OPERATORS[operator].country.name].dialCode
}
