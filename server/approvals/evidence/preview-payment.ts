import type { ApprovalEvidence } from '#lib/approvals/approvals.ts'
import { computeFees } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { limitsText } from '#lib/operators/amount-limits.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { EMPTY_TEXTS } from '#lib/payments/payment-fields.ts'
import type { PaymentPreview } from '#lib/payments/payment-preview.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { BASE_RULE } from '#lib/rules/approval-policy.ts'
import { readKnownAccount } from '#server/account-checks/check-account.ts'
import { type ApplicationSnapshot, feesFor } from '#server/applications/snapshot.ts'
import type { Queryable } from '#server/database/pool.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import {
  type Connected,
  findAmountProblems,
  findServiceProblems,
  limitsFor,
  type StartProblem,
  type StartRequest,
} from '#server/transactions/find-start-problems.ts'
import { reasonsOf } from '../queue/queue.ts'
import { LOOKED_AT_MAX, otherNumbers, toAccount, weighHistory } from './evidence.ts'
import { selectBand, selectDepositFloat, selectFutureDeciders, selectNamesakesOf, selectOfPhone } from './evidence-store.ts'

/** A payment as far as it was typed. The amount is in hundredths; the phone number is complete or null. */
type TypedPayment = {
  type: TransactionType
  operator: OperatorCode
  phoneNumber: string | null
  customerName: string | null
  amountMinor: bigint | null
  /** The transaction that it replaces: its own end is not a warning. */
  originId: string | null
}

type PreviewDeps = { pool: Queryable; connectors: Connected }

type PreviewCommand = { application: ApplicationSnapshot; makerId: string; payment: TypedPayment; now: Date }

const NOBODY = '00000000-0000-0000-0000-000000000000'

/**
 * Previews a payment that a maker is writing: its cost, its approvals and what its checkers would notice, from the same rules and evidence
 * that apply once it is sent. Reads only; between this and the sending everything may change.
 */
export async function previewPayment({ pool, connectors }: PreviewDeps, command: PreviewCommand): Promise<PaymentPreview> {
  const { application, payment } = command
  const [history, approval, balance] = await Promise.all([
    readOwnEvidence(pool, command),
    readApprovalNeeds(pool, command),
    readBalance(pool, command),
  ])
  return {
    currency: OPERATORS[payment.operator].country.currency,
    limits: limitsOf(application, connectors, payment),
    obstacle: obstacleOf(application, connectors, payment),
    fees: feesOf(application, payment),
    approval,
    balance,
    evidence: history && { ...history, balance },
  }
}

function limitsOf(application: ApplicationSnapshot, connectors: Connected, { type, operator }: TypedPayment): PaymentPreview['limits'] {
  const { limits, areBinding } = limitsFor(application, connectors, operator, type)
  return { ...limitsText(limits), isEnforced: areBinding }
}

/** The first problem that `startTransactions` would find. */
function obstacleOf(application: ApplicationSnapshot, connectors: Connected, payment: TypedPayment): PaymentPreview['obstacle'] {
  if (!application.isEnabled) return { kind: 'application_disabled', smallest: null }
  const requests = [asRequest(payment)]
  const problems = findServiceProblems(application, connectors, payment.type, requests)
  if (problems.length === 0 && payment.amountMinor !== null)
    problems.push(...findAmountProblems(application, connectors, payment.type, requests))
  return problems[0] ? toObstacle(problems[0]) : null
}

function toObstacle(problem: StartProblem): PaymentPreview['obstacle'] {
  switch (problem.kind) {
    case 'amount_not_above_fees':
      return { kind: problem.kind, smallest: formatMinor(problem.smallestMinor) }
    case 'service_disabled':
    case 'operator_not_in_service':
    case 'amount_out_of_limits':
      return { kind: problem.kind, smallest: null }
    default:
      return null
  }
}

/** As checks of services, limits and fees read it: they look at no text. */
function asRequest({ operator, phoneNumber, amountMinor }: TypedPayment): StartRequest {
  return {
    transferMethod: operator,
    countryName: OPERATORS[operator].country.name,
    phoneNumber: phoneNumber ?? '',
    ...EMPTY_TEXTS,
    amount: amountMinor ?? 0n,
    externalId: NOBODY,
    webhookUrl: null,
  }
}

function feesOf(application: ApplicationSnapshot, payment: TypedPayment): PaymentPreview['fees'] {
  const { amountMinor, type } = payment
  if (amountMinor === null) return null
  const { feeSystemMinor, feeAppMinor } = computedFees(application, payment, amountMinor)
  const both = feeSystemMinor + feeAppMinor
  return {
    system: formatMinor(feeSystemMinor),
    app: formatMinor(feeAppMinor),
    net: formatMinor(type === 'DEPOSIT' ? amountMinor + both : amountMinor - both),
  }
}

function computedFees(application: ApplicationSnapshot, { type, operator }: TypedPayment, amountMinor: bigint) {
  return computeFees(amountMinor, OPERATORS[operator].country.currency, feesFor(application, operator, type))
}

/** The band that would apply, and who could decide. */
async function readApprovalNeeds(pool: Queryable, { application, makerId, payment }: PreviewCommand): Promise<PaymentPreview['approval']> {
  const { type, operator, phoneNumber, amountMinor } = payment
  if (phoneNumber === null || amountMinor === null) return null
  const { currency } = OPERATORS[operator].country
  const { applicationId } = application
  const bands = bandsFor(application.policy, { type, operator, currency, source: 'person' }) ?? []
  const [band, checkers] = await Promise.all([
    selectBand(pool, { applicationId, type, makerId, phoneNumbers: phoneNumberForms(phoneNumber), amountMinor, bands }),
    selectFutureDeciders(pool, applicationId, makerId),
  ])
  // A payment started by a person always waits: there is a band that applies to every amount.
  const { rule, steps, needsCode } = band ?? { rule: { name: BASE_RULE.name, parts: [] }, steps: [1], needsCode: false }
  return { ruleName: rule.name, reasons: reasonsOf({ rule }), steps, needsCode, checkers: checkers.map(({ name }) => name) }
}

async function readBalance(pool: Queryable, { application, payment }: PreviewCommand): Promise<ApprovalEvidence['balance']> {
  const { type, operator, amountMinor } = payment
  if (type !== 'DEPOSIT') return null
  const { depositMinor, waitingMinor, waitingCount } = await selectDepositFloat(pool, application.applicationId, operator)
  const fees = computedFees(application, payment, amountMinor ?? 0n)
  const costMinor = amountMinor === null ? 0n : amountMinor + fees.feeSystemMinor + fees.feeAppMinor
  return {
    now: formatMinor(depositMinor),
    afterThis: formatMinor(depositMinor - costMinor),
    afterAllWaiting: formatMinor(depositMinor - waitingMinor - costMinor),
    waitingCount,
  }
}

async function readOwnEvidence(
  pool: Queryable,
  { application, payment, now }: PreviewCommand,
): Promise<Omit<ApprovalEvidence, 'balance'> | null> {
  const { type, operator, phoneNumber, customerName, originId } = payment
  if (phoneNumber === null) return null
  const { applicationId } = application
  const [others, namesakes, known] = await Promise.all([
    selectOfPhone(pool, applicationId, phoneNumberForms(phoneNumber), originId ?? NOBODY, LOOKED_AT_MAX),
    customerName === null ? [] : selectNamesakesOf(pool, applicationId, customerName),
    readKnownAccount(pool, applicationId, { operator, phoneNumber }),
  ])
  const { currency } = OPERATORS[operator].country
  const amountMinor = payment.amountMinor ?? 0n
  const weighed = { type, currency, operator, amountMinor, customerName: customerName ?? '', createdAt: now }
  const history = weighHistory(weighed, others, others.length === LOOKED_AT_MAX)
  return {
    ...history,
    nameBefore: customerName === null ? null : history.nameBefore,
    namesakes: otherNumbers({ phoneNumber }, namesakes),
    account: toAccount(known, customerName ?? ''),
    replaces: null,
    refund: null,
  }
}
