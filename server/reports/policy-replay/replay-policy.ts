import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { phoneNumberForms, RENUMBERED_DIAL_CODES } from '#lib/payments/phone-number.ts'
import { TRANSACTION_SOURCES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type ApprovalBand, type ApprovalPolicy, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { type PolicyReplay, REPLAY_DAYS, type ReplayFailure } from '#lib/rules/rule-finding.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { type Pool, withStatementLimit } from '#server/database/pool.ts'
import { limitStatements, withSnapshot } from '#server/database/with-transaction.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import { findPolicy } from '#server/policy/policies.ts'
import { processWide } from '#server/process-wide.ts'
import { shareRunning } from '#server/share-running.ts'
import { type ReplayContext, selectObservedWaits, selectPhonesOf, selectReplay, selectSequenceBefore } from './replay-store.ts'
import { collectItems, summariseReplay } from './summarise-replay.ts'

const DAY_MS = 86_400_000
const STATEMENT_TIMEOUT_MS = 45_000
/** After the server's own limit, its answer has this long to arrive. */
const ANSWER_MS = 5_000
/** Each holds a connection for reports for seconds. */
const RUNNING_MAX = 2
const QUERY_CANCELED = '57014'

type ReplayRequest = { application: Pick<ApplicationSnapshot, 'applicationId' | 'policy'>; version: number; now: Date; timeoutMs?: number }
type Replayed = Result<PolicyReplay, ReplayFailure>

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** The replays in progress, by application and versions. */
    policyReplays: Map<string, Promise<Replayed>>
  }
}

/**
 * Compares a version of the approval rules with the active one over the transactions of the last 90 days: what each would have stopped, for
 * whom, and what nobody could have approved. Two people who ask for the same comparison share one; an application has one at a time.
 */
export async function replayPolicy(reportPool: Pool, request: ReplayRequest): Promise<Replayed> {
  const running = processWide('policyReplays', () => new Map())
  const key = `${request.application.applicationId} ${request.application.policy?.version} ${request.version}`
  const started = shareRunning(running, key, {
    // One application never takes all of them.
    isFull: () => running.size >= RUNNING_MAX || running.keys().some((other) => other.startsWith(`${request.application.applicationId} `)),
    work: () => withStatementLimit(STATEMENT_TIMEOUT_MS + ANSWER_MS, () => runReplay(reportPool, request)),
  })
  return started ?? err('busy')
}

async function runReplay(reportPool: Pool, request: ReplayRequest): Promise<Replayed> {
  const { application, version, now, timeoutMs = STATEMENT_TIMEOUT_MS } = request
  const stored = await findPolicy(reportPool, application.applicationId, version)
  if (!stored) return err('unknown_version')
  const rules = approvalRulesSchema.safeParse(stored.rules)
  if (!rules.success) return err('unreadable_rules')
  const active = application.policy ?? { version: 0, rules: [] }
  try {
    return ok(
      await compare(reportPool, {
        applicationId: application.applicationId,
        active,
        proposed: { version, rules: rules.data },
        now,
        timeoutMs,
      }),
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) return err('too_slow')
    throw error
  }
}

type Comparison = { applicationId: string; active: ApprovalPolicy; proposed: ApprovalPolicy; now: Date; timeoutMs: number }

async function compare(reportPool: Pool, { applicationId, active, proposed, now, timeoutMs }: Comparison): Promise<PolicyReplay> {
  const from = new Date(now.getTime() - REPLAY_DAYS * DAY_MS)
  const { contexts, bands } = contextsOf(active, proposed)
  return withSnapshot(reportPool, async (trx) => {
    await limitStatements(trx, timeoutMs)
    // A day more, because the payments of 24 hours before count too.
    const earliest = new Date(from.getTime() - DAY_MS)
    const window = { applicationId, from: earliest, afterSequence: await selectSequenceBefore(trx, applicationId, earliest) }
    const phones = await selectPhonesOf(trx, window, RENUMBERED_DIAL_CODES)
    const groups = await selectReplay(trx, { ...window, from }, contexts, formsOf(phones))
    const observed = await selectObservedWaits(trx, applicationId, from)
    const members = await listActiveMembers(trx, applicationId)
    return {
      from: from.toISOString(),
      to: now.toISOString(),
      transactions: groups.reduce((sum, { count }) => sum + count, 0),
      observed,
      ...summariseReplay({ items: collectItems(groups, bands), observed, members, versions: [active.version, proposed.version] }),
    }
  })
}

/** The bands that intake would get under each version, for every kind of transaction, and all of them by their number. */
function contextsOf(active: ApprovalPolicy, proposed: ApprovalPolicy): { contexts: ReplayContext[]; bands: ApprovalBand[] } {
  const bands: ApprovalBand[] = []
  const number = (found: ApprovalBand[] | null) => found?.map((band) => ({ ...band, id: bands.push(band) - 1 })) ?? null
  const contexts = TRANSACTION_SOURCES.flatMap((source) =>
    TRANSACTION_TYPES.flatMap((type) =>
      OPERATOR_CODES.map((operator) => {
        const context = { source, type, operator, currency: OPERATORS[operator].country.currency }
        const [activeBands, proposedBands] = [bandsFor(active, context), bandsFor(proposed, context)]
        const all = [...(activeBands ?? []), ...(proposedBands ?? [])]
        return {
          source,
          type,
          operator,
          active: number(activeBands),
          proposed: number(proposedBands),
          readsHistory: all.some(({ firstTimeOnly }) => firstTimeOnly),
          anyLimits: ascending(all.map(({ aboveMinor }) => aboveMinor)),
          batchLimits: ascending(all.map(({ aboveBatchMinor }) => aboveBatchMinor)),
          dayLimits: ascending(all.map(({ aboveDayMinor }) => aboveDayMinor)),
        }
      }),
    ),
  )
  return { contexts, bands }
}

function ascending(limits: readonly (string | undefined)[]): string[] {
  const distinct = new Set(limits.flatMap((limit) => (limit === undefined ? [] : [BigInt(limit)])))
  return [...distinct].sort((left, right) => (left < right ? -1 : 1)).map(String)
}

/** Every form of these numbers, with the one that represents the person. */
function formsOf(phones: readonly string[]): { phone: string; person: string }[] {
  const forms = new Map<string, string>()
  for (const phone of phones) {
    const all = phoneNumberForms(phone)
    for (const form of all) forms.set(form, all[0])
  }
  return [...forms].map(([phone, person]) => ({ phone, person }))
}
