import type { OperatorLimitSettings } from '#lib/operators/amount-limits.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'

/** These operators are in service, in both directions, and their settings allow these amounts. Default: all operators, every amount. */
export function connectedTo(
  operators: readonly OperatorCode[] = OPERATOR_CODES,
  limits: Partial<Record<`${OperatorCode}:${TransactionType}`, Partial<OperatorLimitSettings>>> = {},
): Connected {
  return {
    has: (operator) => operators.includes(operator),
    limitsOf(operator, type) {
      const found = limits[`${operator}:${type}`]
      return found && { minimumMinor: null, maximumMinor: null, multipleMinor: null, ...found }
    },
  }
}
