import { createHash } from 'node:crypto'
import { BULK_MAX, type DecisionRefusal, type DecisionResult } from '#lib/approvals.ts'
import { ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { selectNeedingCode } from './approval-store.ts'
import { countApprovals } from './count-approvals.ts'
import { type DecisionDeps, type DecisionFailure, decide } from './decide.ts'
import { type ApprovalViewer, findApprovals } from './list-approvals.ts'
import { spendCode } from './spend-code.ts'

type DecideManyCommand = {
  checker: ApprovalViewer
  decision: 'validated' | 'rejected'
  /** The payee note or the reason, the same for each. */
  note: string
  /** Exactly what the checker was shown; at most BULK_MAX, each once. */
  items: readonly { transactionId: string; contentHash: string }[]
  /** A current one-time code, if one of the items requires it. */
  code?: string | undefined
}

type DecideManyDeps = DecisionDeps & {
  clock: Clock
  logger: Pick<Logger, 'error'>
  metrics: { countOutcome(kind: 'decision', outcome: string): void }
}

/**
 * One checker's decision about a list. Returns one result per transaction, in the order of the list. Each transaction is decided
 * separately, so that one that has moved does not affect the others. A code is verified once, which uses it up, and counts for exactly this
 * list, whose digest is stored in the audit record. The list is refused as a whole, with nothing decided, only if the code is missing or wrong.
 */
export async function decideMany(deps: DecideManyDeps, command: DecideManyCommand): Promise<Result<DecisionResult[], DecisionRefusal>> {
  const { checker, decision, note } = command
  const items = [...new Map(command.items.map((item) => [item.transactionId, item])).values()].slice(0, BULK_MAX)
  const needing =
    decision === 'validated'
      ? await selectNeedingCode(
          deps.pool,
          checker.applicationId,
          items.map((item) => item.transactionId),
        )
      : new Set<string>()
  if (needing.size > 0) {
    const digest = createHash('sha256')
      .update(JSON.stringify(items.map((item) => [item.transactionId, item.contentHash])))
      .digest('hex')
    const spent = await spendCode(deps, { checker, code: command.code, digest, count: items.length })
    if (!spent.ok) return spent
  }
  const failures = new Map<string, RefusedReason>()
  for (const { transactionId, contentHash } of items) {
    const result = await decide(deps, {
      applicationId: checker.applicationId,
      transactionId,
      checkerId: checker.id,
      decision,
      note,
      through: 'back_office',
      actor: { kind: 'person', id: checker.id },
      expectedHash: contentHash,
      hasFreshCode: needing.has(transactionId),
    }).catch((error: unknown) => {
      // A failure of one item must not prevent the decisions on the others, but it must be visible.
      reportUnexpected('approvals: decide', error, {
        logger: deps.logger,
        applicationId: checker.applicationId,
        transactionId,
        decision,
        message: 'A decision failed unexpectedly',
      })
      return 'unexpected' as const
    })
    const outcome = result === 'unexpected' ? result : result.ok ? decision : 'refused'
    deps.metrics.countOutcome('decision', outcome)
    if (result === 'unexpected') failures.set(transactionId, 'unexpected')
    else if (!result.ok) failures.set(transactionId, reasonOf(result.error.kind))
  }
  return ok(await report(deps, command, items, failures))
}

type RefusedReason = Extract<DecisionResult, { kind: 'refused' }>['reason']

/** Returns the reason of a refusal. Failures that only programs meet cannot happen to a person's decision. */
function reasonOf(kind: DecisionFailure['kind']): RefusedReason {
  if (kind === 'api_may_not_decide' || kind === 'started_by_api_user') throw new Error(`A person was refused as a program: ${kind}`)
  return kind
}

/** Reports the current state of each item; for a refusal also who was quicker and what changed. */
async function report(
  deps: DecideManyDeps,
  { checker }: DecideManyCommand,
  items: DecideManyCommand['items'],
  failures: ReadonlyMap<string, RefusedReason>,
): Promise<DecisionResult[]> {
  const rows = await findApprovals(
    deps.pool,
    checker,
    items.map((item) => item.transactionId),
  )
  const byId = new Map(rows.map((row) => [row.transactionId, row]))
  return items.map(({ transactionId }) => {
    const now = byId.get(transactionId) ?? null
    const reason = failures.get(transactionId)
    if (reason !== undefined) return { transactionId, kind: 'refused', reason, now }
    if (!now) throw new Error('A decided transaction is gone')
    const { given, needed } = countApprovals(now.steps, now.decisions)
    return { transactionId, kind: 'done', status: now.status, given, needed }
  })
}
