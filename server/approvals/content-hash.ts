import { createHash } from 'node:crypto'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import { pickTexts } from '#lib/payments/payment-fields.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import type { ApprovalDecision, ApprovalItem } from './approval-store.ts'

type ShownItem = Omit<ApprovalItem, 'applicationId' | 'transactionId' | 'startedByApiUser'>

/** The content that a checker is shown and answers for, by name, as text. The order is the order of the digest. */
export type ShownContent = Record<string, string>

/** The content that a decision is bound to: the payment with its file, the rule, and the decisions so far with whether they count. */
export function shownContent(
  transaction: Transaction,
  item: ShownItem,
  decisions: readonly ApprovalDecision[],
  attachment: Pick<AttachmentDto, 'sha256'> | null,
): ShownContent {
  return {
    transactionId: transaction.transactionId,
    externalId: transaction.externalId,
    type: transaction.type,
    operator: transaction.operator,
    amountMinor: transaction.amountMinor.toString(),
    feeSystemMinor: transaction.feeSystemMinor.toString(),
    feeAppMinor: transaction.feeAppMinor.toString(),
    currency: transaction.currency,
    ...pickTexts(transaction),
    phoneNumber: transaction.phoneNumber,
    webhookUrl: transaction.webhookUrl ?? '',
    source: transaction.source,
    makerId: transaction.makerId ?? '',
    batchId: transaction.batchId ?? '',
    createdAt: transaction.createdAt.toISOString(),
    rule: item.rule.name,
    reasons: JSON.stringify(item.rule.parts.map((part) => [part.name, part.aboveMinor, part.currency, part.firstTimeOnly])),
    policyVersion: item.policyVersion.toString(),
    steps: item.steps.join('+'),
    needsCode: String(item.needsCode),
    apiMayDecide: String(item.apiMayDecide),
    expiresAt: item.expiresAt.toISOString(),
    decisions: JSON.stringify(
      decisions.map(({ checkerId, decision, counts, note, usedCode }) => [checkerId, decision, counts, note, usedCode]),
    ),
    // Only where there is a file, so that the digest of every other payment is what it was before payments had files.
    ...(attachment && { attachmentSha256: attachment.sha256 }),
  }
}

/** SHA-256 over the shown content, in hexadecimal. */
export function contentHash(content: ShownContent): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(content)))
    .digest('hex')
}
