import type { TransactionStatus, TransactionType } from './transaction-status.ts'

/** What a transaction has done, or may still do, to its application's balance. Each one is a sentence (`transaction.balance.*`). */
export type BalanceEffect =
  | 'collect_after_approval'
  | 'collect_expected'
  | 'collect_added'
  | 'deposit_after_approval'
  | 'deposit_before_sending'
  | 'deposit_held'
  | 'deposit_taken'
  | 'none'

type BalanceEffectInput = { type: TransactionType; status: TransactionStatus; held: string; net: string }

/**
 * Returns which sentence about the balance is true of a transaction now, and its amount as a decimal. A failed transaction changes no
 * balance: a deposit's hold is released when it fails.
 */
export function balanceEffectOf({ type, status, held, net }: BalanceEffectInput): { effect: BalanceEffect; amount: string } {
  if (status === 'FAILED') return { effect: 'none', amount: '0' }
  return { effect: type === 'COLLECT' ? collectEffect(status) : depositEffect(status, held !== '0'), amount: net }
}

function collectEffect(status: Exclude<TransactionStatus, 'FAILED'>): BalanceEffect {
  if (status === 'SUCCESS') return 'collect_added'
  return status === 'PENDING' ? 'collect_expected' : 'collect_after_approval'
}

function depositEffect(status: Exclude<TransactionStatus, 'FAILED'>, isHeld: boolean): BalanceEffect {
  if (status === 'SUCCESS') return 'deposit_taken'
  if (isHeld) return 'deposit_held'
  return status === 'PENDING' ? 'deposit_before_sending' : 'deposit_after_approval'
}
