import type { ApprovalRow, DecidedItem } from '#lib/approvals.ts'

/** The part of a row that a decision needs: fewer bytes than the row where a whole filter is decided. */
export function toDecidedItem(row: ApprovalRow): DecidedItem {
  return {
    transactionId: row.transactionId,
    type: row.type,
    contentHash: row.contentHash,
    needsCode: row.needsCode,
    canApprove: row.canApprove,
    risks: row.risks,
    amount: row.amount,
    currency: row.currency,
    feeSystem: row.feeSystem,
    feeApp: row.feeApp,
    customerName: row.customerName,
    phoneNumber: row.phoneNumber,
    operator: row.operator,
    ruleName: row.ruleName,
    steps: row.steps,
    decisions: row.decisions,
  }
}
