import { createHash } from 'node:crypto'
import type { Transaction } from '#server/transactions/transaction.ts'
import type { ApprovalDecision, ApprovalItem } from './approval-store.ts'

/** What a checker is shown and answers for, by name, as text. The order is the order of the digest. */
export type ShownContent = Record<string, string>

/** The content that a decision is bound to (DESIGN 9): the payment, the rule, and the decisions so far. */
export function shownContent(transaction: Transaction, item: ApprovalItem, decisions: readonly ApprovalDecision[]): ShownContent {
  return {
    transactionId: transaction.transactionId,
    type: transaction.type,
    operator: transaction.operator,
    amountMinor: transaction.amountMinor.toString(),
    feeSystemMinor: transaction.feeSystemMinor.toString(),
    feeAppMinor: transaction.feeAppMinor.toString(),
    currency: transaction.currency,
    customerName: transaction.customerName,
    phoneNumber: transaction.phoneNumber,
    makerId: transaction.makerId ?? '',
    rule: item.rule.name,
    policyVersion: item.policyVersion.toString(),
    steps: item.steps.join('+'),
    decisions: decisions.map((decision) => `${decision.checkerId} ${decision.decision}`).join(', '),
  }
}

/** SHA-256 over the shown content, in hexadecimal. */
export function contentHash(content: ShownContent): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(content)))
    .digest('hex')
}
