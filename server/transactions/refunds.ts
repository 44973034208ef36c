import { refundAfterFees } from '#lib/money/fees.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { RefundObstacle } from '#lib/payments/refunds.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type ApplicationSnapshot, feesFor } from '#server/applications/snapshot.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import type { StartProblem, StartRequest } from './find-start-problems.ts'
import type { Refund } from './intake.ts'
import { type FailedRefund, findRefundable, listFailedRefunds, type RefundableRow, type StoredRefund } from './refund-store.ts'
import { type StartFailure, type StartTransactionsDeps, startTransactions } from './start-transactions.ts'

export type RefundDeps = StartTransactionsDeps & {
  pool: Pool
  /** Queries the operator again about refunds that it ended as FAILED. Returns the ids of those that failed indeed. */
  confirmFailures: (refunds: readonly FailedRefund[]) => Promise<ReadonlySet<string>>
}

export type RefundCommand = {
  application: ApplicationSnapshot
  collectId: string
  /** Names this refund: the same one again returns the stored refund. */
  externalId: string
  /** Hundredths; undefined: what is left of the collect. */
  amountMinor: bigint | undefined
  /** Why, for the checkers; empty if a program names none. */
  reason: string
  /** Null: that of the collect if a program refunds, otherwise the application's default. */
  webhookUrl: string | null
} & ({ source: 'api'; actor: { kind: 'api'; id: string } } | { source: 'person'; actor: Extract<CommandActor, { kind: 'person' }> })

export type RefundFailure =
  | { kind: RefundObstacle }
  | { kind: 'nothing_left' }
  | { kind: 'more_than_is_left'; leftMinor: bigint }
  /** Its fees would take all of what the customer gets back. */
  | { kind: 'not_above_fees' }
  /** An operator did not confirm that an earlier refund failed: it may have been paid. */
  | { kind: 'earlier_unconfirmed' }
  | { kind: 'webhook_url_missing' }
  | { kind: 'external_id_taken' }
  | Exclude<StartFailure, { kind: 'refused' }>
  | { kind: 'start_refused'; problem: StartProblem; request: StartRequest }

/** As often as refunds of one collect may overtake each other between the check and the start. */
const ATTEMPTS_MAX = 3

/**
 * Starts the refund of a collect: a deposit to its payer that counts against it. The same request again returns the stored refund. What is
 * left is checked here for the message, and once more by the database under the lock of the application.
 */
export async function startRefund(deps: RefundDeps, command: RefundCommand): Promise<Result<{ transactionId: string }, RefundFailure>> {
  const { applicationId } = command.application
  for (let attempt = 1; ; attempt++) {
    const collect = await findRefundable(deps.pool, applicationId, command.collectId, command.externalId)
    if (!collect) return err({ kind: 'not_found' })
    if (collect.existing)
      return isSameRefund(command, collect, collect.existing)
        ? ok({ transactionId: collect.existing.transactionId })
        : err({ kind: 'external_id_taken' })
    const planned = planRefund(command, collect)
    if (!planned.ok) return planned
    const failed = await listFailedRefunds(deps.pool, applicationId, collect.collectId)
    const confirmed = failed.length > 0 ? await deps.confirmFailures(failed) : new Set()
    if (failed.some(({ transactionId }) => !confirmed.has(transactionId))) return err({ kind: 'earlier_unconfirmed' })
    try {
      return await start(deps, command, collect, planned.value)
    } catch (error) {
      // Another refund or an adjustment was quicker after the check: it is seen now.
      if (!isRefundRefused(error) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

type Plan = Refund & { depositMinor: bigint; webhookUrl: string | null }

function planRefund({ application, amountMinor, webhookUrl, source }: RefundCommand, collect: RefundableRow): Result<Plan, RefundFailure> {
  if (collect.obstacle) return err({ kind: collect.obstacle })
  const leftMinor = collect.amountMinor - collect.refundedMinor
  if (leftMinor <= 0n) return err({ kind: 'nothing_left' })
  const refundedMinor = amountMinor ?? leftMinor
  if (refundedMinor > leftMinor) return err({ kind: 'more_than_is_left', leftMinor })
  const schedule = feesFor(application, collect.operator, 'DEPOSIT')
  const depositMinor =
    application.refundFeesFrom === 'customer' ? refundAfterFees(refundedMinor, collect.currency, schedule) : refundedMinor
  if (depositMinor === 0n) return err({ kind: 'not_above_fees' })
  const url = webhookUrlOf(application, collect, source, webhookUrl)
  // Where a program starts a transaction, it is told the result.
  if (source === 'api' && url === null) return err({ kind: 'webhook_url_missing' })
  return ok({ collectId: collect.collectId, refundedMinor, depositMinor, webhookUrl: url })
}

function webhookUrlOf(
  { defaultWebhookUrl }: ApplicationSnapshot,
  collect: RefundableRow,
  source: RefundCommand['source'],
  webhookUrl: string | null,
): string | null {
  return webhookUrl ?? (source === 'api' ? collect.webhookUrl : null) ?? defaultWebhookUrl
}

/** Without an amount, the request asks for what was left when it was first received. */
function isSameRefund(command: RefundCommand, collect: RefundableRow, stored: StoredRefund): boolean {
  const { application, source, amountMinor, webhookUrl, reason } = command
  return (
    stored.collectId === collect.collectId &&
    stored.source === source &&
    stored.purpose === reason &&
    (amountMinor === undefined || amountMinor === stored.refundedMinor) &&
    (source === 'person' || stored.webhookUrl === webhookUrlOf(application, collect, source, webhookUrl))
  )
}

async function start(
  deps: RefundDeps,
  command: RefundCommand,
  { operator, customerName, phoneNumber }: RefundableRow,
  { depositMinor, webhookUrl, ...refund }: Plan,
): Promise<Result<{ transactionId: string }, RefundFailure>> {
  const { application, externalId, reason } = command
  const request = {
    externalId,
    transferMethod: operator,
    countryName: OPERATORS[operator].country.name,
    customerName,
    purpose: reason,
    phoneNumber,
    amount: depositMinor,
    webhookUrl,
  }
  const caller =
    command.source === 'api' ? { source: command.source, actor: command.actor } : { source: command.source, actor: command.actor }
  const started = await startTransactions(deps, { ...caller, application, type: 'DEPOSIT', requests: [request], refund })
  if (!started.ok) return err(toFailure(started.error, request))
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') throw new Error('A refund was started without a transaction')
  return ok({ transactionId: outcome.transactionId })
}

function toFailure(error: StartFailure, request: StartRequest): RefundFailure {
  if (error.kind !== 'refused') return error
  const [problem] = error.problems
  if (!problem) throw new Error('A refund was refused without a reason')
  return problem.kind === 'external_id_taken' ? { kind: problem.kind } : { kind: 'start_refused', problem, request }
}

const CONSTRAINTS = ['refunds_within_collect', 'refund_of_a_sound_collect']

/** Whether the database refused a refund because of another one, or of the collect. */
function isRefundRefused(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && CONSTRAINTS.includes(String(error.constraint))
}
