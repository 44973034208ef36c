import { formatMinor } from '#lib/money/money.ts'
import { pickTexts } from '#lib/payments/payment-fields.ts'
import type {
  ActorDto,
  ApprovalDto,
  ContradictionDto,
  EventDto,
  TransactionDetailDto,
  WebhookDto,
} from '#lib/payments/transactions/transaction-dto.ts'
import { isReplaceableEnd } from '#lib/payments/transactions/transaction-status.ts'
import { BASE_RULE } from '#lib/rules/approval-policy.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import { findAttachmentOf } from '#server/attachments/attachment-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findCustomerPage } from '#server/operators/customer-step/customer-link-store.ts'
import { listCallsAbout } from '#server/partner-auth/recent-calls-store.ts'
import { readClarification } from '#server/reconciliation/exceptions/list-exceptions.ts'
import { readReversal } from '#server/reconciliation/reversals/reversal-store.ts'
import { readRetentionMarks } from '#server/retention/remove-old-rows.ts'
import { listRefunds } from '#server/transactions/refund-store.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { listWebhookAttempts, type WebhookHistory } from '#server/webhooks/history.ts'
import { readResendObstacle } from '#server/webhooks/resend-webhook.ts'
import { type ContradictionRow, selectContradiction } from '../overview/overview-store.ts'
import {
  type DecisionRow,
  type EventRow,
  type ItemRow,
  type OperatorAttemptRow,
  selectApprovalItem,
  selectDecisions,
  selectEntries,
  selectEvents,
  selectLineage,
  selectOperatorAttempts,
  selectOperatorWork,
  selectPersonName,
  selectRefundOf,
  selectRefundTerms,
  selectSharedReference,
  type WorkRow,
} from './transaction-detail-store.ts'

/** An unconfirmed transaction is queried for days: only the newest calls are shown. */
const ATTEMPTS_SHOWN_MAX = 100

/** Everything that is known of one transaction of an application, ready for JSON; undefined when it has no such transaction. */
export async function readTransactionDetail(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<TransactionDetailDto | undefined> {
  const transaction = await findTransaction(queryable, applicationId, transactionId)
  if (!transaction) return undefined
  const [
    events,
    attempts,
    contradiction,
    sharedAt,
    work,
    webhook,
    resendObstacle,
    entries,
    item,
    decisions,
    makerName,
    marks,
    lineage,
    linked,
    related,
  ] = await Promise.all([
    selectEvents(queryable, applicationId, transactionId),
    selectOperatorAttempts(queryable, applicationId, transactionId, ATTEMPTS_SHOWN_MAX),
    selectContradiction(queryable, applicationId, transactionId),
    selectSharedReference(queryable, applicationId, transactionId),
    selectOperatorWork(queryable, applicationId, transactionId),
    listWebhookAttempts(queryable, applicationId, transactionId),
    readResendObstacle(queryable, { applicationId, transactionId }),
    selectEntries(queryable, applicationId, transactionId),
    selectApprovalItem(queryable, applicationId, transactionId),
    selectDecisions(queryable, applicationId, transactionId),
    transaction.makerId === null ? undefined : selectPersonName(queryable, transaction.makerId),
    readRetentionMarks(queryable),
    selectLineage(queryable, applicationId, transactionId),
    readLinked(queryable, transaction),
    readRelated(queryable, transaction),
  ])
  const contradicted = toContradiction(contradiction)
  const isUnique = related.refundOf !== null || (contradicted !== null && contradicted.state !== 'confirmed')
  return {
    ...fieldsOf(transaction),
    ...linked,
    ...related,
    maker: makerOf(makerName, events),
    events: events.map(toEvent),
    attempts: [...attempts, ...asAttempts(contradiction, attempts.at(-1)?.number ?? 0)].map(toAttempt),
    removedBefore: {
      calls: work ? null : markAfter(transaction.createdAt, marks.attempts),
      webhook:
        !transaction.finalAt || !transaction.webhookUrl || webhook?.attempts.length
          ? null
          : markAfter(transaction.finalAt, marks.deliveries),
    },
    work: work ? toWork(work) : null,
    contradiction: contradicted,
    sharedReferenceAt: sharedAt?.toISOString() ?? null,
    webhook: webhook ? toWebhook(webhook, resendObstacle) : null,
    entries: entries.map(({ amountMinor, at, ...entry }) => ({ ...entry, amount: formatMinor(amountMinor), at: at.toISOString() })),
    approval: item ? toApproval(item, decisions) : null,
    ...lineageOf(transaction, isUnique, events, lineage),
    decisions: decisions.map(({ checkerId: _, apiUserId: __, onBehalfOf: ___, decidedAt, ...decision }) => ({
      ...decision,
      at: decidedAt.toISOString(),
    })),
  }
}

/** Records beside a transaction: the page of its customer, the file of its maker, and what people did about its unknown outcome. */
async function readLinked(
  queryable: Queryable,
  { applicationId, transactionId }: Transaction,
): Promise<Pick<TransactionDetailDto, 'customerPage' | 'attachment' | 'clarification'>> {
  const [customerPage, attachment, clarification] = await Promise.all([
    findCustomerPage(queryable, { applicationId, transactionId }),
    findAttachmentOf(queryable, applicationId, transactionId),
    readClarification(queryable, applicationId, transactionId),
  ])
  return { customerPage, attachment: attachment ?? null, clarification }
}

/** The instant before which rows may be missing, where it is later than `at`. */
function markAfter(at: Date, mark: Date | undefined): string | null {
  return mark && at < mark ? mark.toISOString() : null
}

function fieldsOf(transaction: Transaction) {
  const { amountMinor, feeSystemMinor, feeAppMinor, heldMinor, createdAt, finalAt } = transaction
  const fees = feeSystemMinor + feeAppMinor
  return {
    transactionId: transaction.transactionId,
    externalId: transaction.externalId,
    type: transaction.type,
    status: transaction.status,
    operator: transaction.operator,
    currency: transaction.currency,
    ...pickTexts(transaction),
    phoneNumber: transaction.phoneNumber,
    // The address may contain secrets of the receiver, which the viewers of a transaction do not need.
    webhookUrl: transaction.webhookUrl === null ? null : hideSecrets(transaction.webhookUrl),
    payToken: transaction.payToken,
    operatorReference: transaction.operatorReference,
    operatorReferenceOther: transaction.operatorReferenceOther,
    message: transaction.message,
    source: transaction.source,
    makerId: transaction.makerId,
    batchId: transaction.batchId,
    amount: formatMinor(amountMinor),
    feesSystem: formatMinor(feeSystemMinor),
    feesApp: formatMinor(feeAppMinor),
    net: formatMinor(transaction.type === 'COLLECT' ? amountMinor - fees : amountMinor + fees),
    held: formatMinor(heldMinor),
    createdAt: createdAt.toISOString(),
    finalAt: finalAt?.toISOString() ?? null,
  }
}

type Related = Pick<TransactionDetailDto, 'refundOf' | 'refunds' | 'apiCalls' | 'reversal'>

/** Other payments and the calls of the program that a transaction belongs to, and its reversal at the operator. */
async function readRelated(queryable: Queryable, transaction: Transaction): Promise<Related> {
  const [refunding, apiCalls, reversal] = await Promise.all([
    readRefunding(queryable, transaction),
    listCallsAbout(queryable, transaction.applicationId, transaction),
    readReversal(queryable, transaction.applicationId, transaction.transactionId),
  ])
  return { ...refunding, apiCalls, reversal }
}

/** The collect that a transaction refunds, and the refunds of a collect. */
async function readRefunding(queryable: Queryable, transaction: Transaction): Promise<Pick<TransactionDetailDto, 'refundOf' | 'refunds'>> {
  if (transaction.type === 'COLLECT') return { refundOf: null, refunds: await readRefunds(queryable, transaction) }
  const collect = await selectRefundOf(queryable, transaction.applicationId, transaction.transactionId)
  if (!collect) return { refundOf: null, refunds: null }
  const { transactionId, amountMinor, isDoubted } = collect
  return { refundOf: { transactionId, amount: formatMinor(amountMinor), isDoubted }, refunds: null }
}

/** The refunds of a collect that succeeded; null for every other one. */
async function readRefunds(queryable: Queryable, { applicationId, transactionId, status, amountMinor }: Transaction) {
  if (status !== 'SUCCESS') return null
  const [made, terms] = await Promise.all([
    listRefunds(queryable, applicationId, transactionId),
    selectRefundTerms(queryable, applicationId, transactionId),
  ])
  if (!terms) return null
  const { refundedMinor, obstacle, feesFrom } = terms
  return {
    made: made.map((refund) => ({
      transactionId: refund.transactionId,
      amount: formatMinor(refund.refundedMinor),
      status: refund.status,
      createdAt: refund.createdAt.toISOString(),
    })),
    refunded: formatMinor(refundedMinor),
    remaining: formatMinor(amountMinor - refundedMinor),
    obstacle,
    feesFrom,
  }
}

/** `isUnique`: it may have been paid, or counts against a collect, so that no other payment takes its place. */
function lineageOf(
  { source }: Transaction,
  isUnique: boolean,
  events: readonly EventRow[],
  { replaces, replacedBy }: { replaces: string | null; replacedBy: string | null },
): Pick<TransactionDetailDto, 'replaces' | 'replacedBy' | 'isReplaceable'> {
  const end = events.at(-1)?.event
  return {
    replaces: replaces === null ? null : { transactionId: replaces },
    replacedBy: replacedBy === null ? null : { transactionId: replacedBy },
    isReplaceable:
      (source === 'person' || source === 'file') && replacedBy === null && end !== undefined && isReplaceableEnd(end) && !isUnique,
  }
}

/** The person who made it, otherwise the actor of its creation. */
function makerOf(makerName: string | undefined, events: readonly EventRow[]): ActorDto {
  const creation = events[0]
  return makerName === undefined
    ? { kind: creation?.actorKind ?? 'api', name: creation?.actorName ?? null }
    : { kind: 'person', name: makerName }
}

function toEvent({ actorKind, actorName, at, ...row }: EventRow): EventDto {
  return { ...row, at: at.toISOString(), actor: { kind: actorKind, name: actorName } }
}

function toAttempt({ startedAt, finishedAt, ...attempt }: OperatorAttemptRow) {
  return {
    ...attempt,
    startedAt: startedAt.toISOString(),
    durationMs: finishedAt === null ? null : finishedAt.getTime() - startedAt.getTime(),
  }
}

/**
 * A contradiction and the question about it, numbered on behind the attempts: the row that numbers attempts is gone once there is
 * a result. A contradiction that answered an attempt is among them already.
 */
function asAttempts(contradiction: readonly ContradictionRow[], lastNumber: number): OperatorAttemptRow[] {
  return contradiction
    .filter(({ number, source }) => number > 1 || source === 'callback' || source === 'hint')
    .map(({ number, said, httpStatus, answer, at }) => ({
      number: lastNumber + number,
      kind: number === 1 ? 'callback' : 'query',
      startedAt: at,
      finishedAt: at,
      outcome: said,
      httpStatus,
      answer,
    }))
}

function toContradiction([claim, ...answers]: readonly ContradictionRow[]): ContradictionDto | null {
  if (!claim) return null
  const { at, said, source } = claim
  return { at: at.toISOString(), said, isHint: source === 'hint', state: stateOf(claim, answers) }
}

/** One answer that repeats the contradiction outweighs all that confirm the result (is_contradicted judges the same). */
function stateOf(claim: ContradictionRow, answers: readonly ContradictionRow[]): ContradictionDto['state'] {
  if (answers.length === 0) return 'asking'
  if (answers.some(({ said }) => said === claim.said)) return 'repeated'
  const confirming = claim.storedStatus === 'SUCCESS' ? 'succeeded' : 'failed'
  return answers.some(({ said }) => said === confirming) ? 'confirmed' : 'unclear'
}

function toWork({ nextAt, unconfirmedSince, missingMinor, ...work }: WorkRow) {
  return {
    ...work,
    missing: missingMinor === null ? null : formatMinor(missingMinor),
    nextAt: nextAt.toISOString(),
    unconfirmedSince: unconfirmedSince?.toISOString() ?? null,
  }
}

function toWebhook(
  { state, nextAt, finishedAt, isLate, attempts, waitingResend }: WebhookHistory,
  obstacle: Awaited<ReturnType<typeof readResendObstacle>>,
): WebhookDto {
  return {
    state,
    nextAt: nextAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    isLate,
    attempts: attempts.map((attempt) => ({ ...attempt, startedAt: attempt.startedAt.toISOString() })),
    waitingResend: waitingResend ? { ...waitingResend, requestedAt: waitingResend.requestedAt.toISOString() } : null,
    resendObstacle: toObstacle(obstacle),
  }
}

function toObstacle(obstacle: Awaited<ReturnType<typeof readResendObstacle>>): WebhookDto['resendObstacle'] {
  if (obstacle === null) return null
  if (typeof obstacle === 'string') return { code: obstacle, retryAfterMs: null }
  return obstacle
}

function toApproval({ policyVersion, rule, steps, needsCode, expiresAt }: ItemRow, decisions: readonly DecisionRow[]): ApprovalDto {
  return {
    ruleName: rule.name === BASE_RULE.name ? null : rule.name,
    policyVersion,
    steps,
    needed: steps.reduce((sum, one) => sum + one, 0),
    done: decisions.filter((decision) => decision.decision === 'validated' && decision.counts).length,
    needsCode,
    expiresAt: expiresAt.toISOString(),
  }
}
