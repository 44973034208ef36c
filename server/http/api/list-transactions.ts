import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { jsonNumber } from '#lib/schemas/api/settlement-responses.ts'
import type { ListedTransaction } from '#lib/schemas/api/transaction-responses.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readRefundFacts } from '#server/transactions/refund-store.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'

/** Transactions as version 2 returns them, with what they refund and what of them is refunded; in the same order. */
export async function toListed(
  queryable: Queryable,
  applicationId: string,
  transactions: readonly Transaction[],
): Promise<ListedTransaction[]> {
  const ids = transactions.map(({ transactionId }) => transactionId)
  const facts = ids.length === 0 ? new Map<string, RefundFacts>() : await readRefundFacts(queryable, applicationId, ids)
  return transactions.map((transaction) => listed(transaction, facts.get(transaction.transactionId)))
}

type RefundFacts = { refundOf: string | null; refundedMinor: bigint }

function listed(transaction: Transaction, facts: RefundFacts | undefined): ListedTransaction {
  const { operator, amountMinor, feeSystemMinor, feeAppMinor, createdAt, finalAt } = transaction
  return {
    transactionId: transaction.transactionId,
    externalId: transaction.externalId,
    transactionType: transaction.type,
    status: transaction.status,
    message: transaction.message,
    transferMethod: operator,
    countryName: OPERATORS[operator].country.name,
    currency: transaction.currency,
    amount: jsonNumber(formatMinor(amountMinor)),
    feesSystem: jsonNumber(formatMinor(feeSystemMinor)),
    feesApp: jsonNumber(formatMinor(feeAppMinor)),
    phoneNumber: transaction.phoneNumber,
    customerName: transaction.customerName,
    purpose: transaction.purpose,
    operatorReference: transaction.operatorReference,
    refundOf: facts?.refundOf ?? null,
    refundedAmount: jsonNumber(formatMinor(facts?.refundedMinor ?? 0n)),
    createdAt: createdAt.toISOString(),
    completedAt: finalAt?.toISOString() ?? null,
  }
}
