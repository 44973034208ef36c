import { formatMinor } from '#lib/money/money.ts'
import { MATCHING_REPLAY_DAYS, type MatchingReplay, type MatchingRules, type ReplayedLine } from '#lib/reconciliation/matching-rules.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import { type Pool, type Queryable, withStatementLimit } from '#server/database/pool.ts'
import { limitStatements, withSnapshot } from '#server/database/with-transaction.ts'
import { processWide } from '#server/process-wide.ts'
import { shareRunning } from '#server/share-running.ts'
import type { SetWallet } from '../wallets/wallet-store.ts'
import { type Candidate, countOpenLines, listReplayedLines, type Pair, type Scope, selectCandidates } from './match-store.ts'
import { PAIRED_STATUSES, pairCandidates } from './pair-candidates.ts'
import { readMatchingRules } from './rules-store.ts'

const STATEMENT_TIMEOUT_MS = 20_000
/** After the server's own limit, its answer has this long to arrive. */
const ANSWER_MS = 5_000
const QUERY_CANCELED = '57014'
/** Pairs that may be held in memory for one comparison. */
const CANDIDATES_MAX = 200_000
/** Each holds a connection for reports for seconds. */
const RUNNING_MAX = 2
/** Lines that a page shows of each effect. */
const EXAMPLES_MAX = 5

type Replay = {
  applicationId: string
  wallet: SetWallet
  proposed: MatchingRules
  now: Date
  /** Smaller in tests. */
  candidatesMax?: number
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** The replays in progress, by wallet and rules. */
    matchingReplays: Map<string, Promise<Replayed>>
  }
}

type Replayed = Result<MatchingReplay, 'too_many' | 'busy'>

/**
 * Pairs the lines of a wallet of the last 90 days, both by its present rules and by proposed ones, and compares. Nothing is written. Only lines that no id
 * and no person has matched take part, and both comparisons know everything that is known now. Equal replays share one. `too_many`: more than can be
 * compared at once; `busy`: other replays are in progress.
 */
export async function replayRules(reportPool: Pool, request: Replay): Promise<Replayed> {
  const running = processWide('matchingReplays', () => new Map())
  const key = `${request.applicationId} ${request.wallet.wallet} ${JSON.stringify(request.proposed)}`
  const started = shareRunning(running, key, {
    isFull: () => running.size >= RUNNING_MAX,
    work: () => withStatementLimit(STATEMENT_TIMEOUT_MS + ANSWER_MS, () => runReplay(reportPool, request)),
  })
  return started ?? err('busy')
}

async function runReplay(
  reportPool: Pool,
  { applicationId, wallet, proposed, now, candidatesMax = CANDIDATES_MAX }: Replay,
): Promise<Replayed> {
  const to = utcDayOf(now)
  const from = addDays(to, -MATCHING_REPLAY_DAYS)
  try {
    return await withSnapshot<Replayed>(reportPool, async (snapshot) => {
      await limitStatements(snapshot, STATEMENT_TIMEOUT_MS)
      const rules = await readMatchingRules(snapshot, applicationId, wallet.wallet)
      const scope: Scope = { applicationId, wallet, rules, of: { sinceDay: from }, isReplay: true }
      const before = await pairAll(snapshot, scope, candidatesMax)
      const after = await pairAll(snapshot, { ...scope, rules: { ...rules, ...proposed } }, candidatesMax)
      if (!before || !after) return err('too_many')
      const effects = compare(before, after)
      const shown = (['gained', 'lost', 'changed'] as const).flatMap((effect) =>
        effects.filter((each) => each.effect === effect).slice(0, EXAMPLES_MAX),
      )
      const count = (effect: ReplayedLine['effect']) => effects.filter((each) => each.effect === effect).length
      return ok({
        ...{ from, to },
        lines: await countOpenLines(snapshot, scope),
        ...{ pairedBefore: before.size, pairedAfter: after.size },
        ...{ gained: count('gained'), lost: count('lost'), changed: count('changed') },
        examples: await describe(snapshot, applicationId, shown),
      })
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) return err('too_many')
    throw error
  }
}

type Pairs = ReadonlyMap<bigint, Pair>

/** The pairs by number and amount under the rules of a scope, as the matcher would make them; undefined if there are too many. */
async function pairAll(queryable: Queryable, scope: Scope, candidatesMax: number): Promise<Pairs | undefined> {
  const { numberPairs } = scope.rules
  const found = new Map<bigint, Pair>()
  if (numberPairs === 'none') return found
  const taken = new Set<string>()
  for (const statuses of PAIRED_STATUSES) {
    const candidates = await selectCandidates(queryable, scope, { statuses, limit: candidatesMax + 1 })
    if (candidates.length > candidatesMax) return undefined
    const free = candidates.filter((each) => !found.has(each.lineId) && !taken.has(keyOf(each)))
    for (const pair of pairCandidates(free, numberPairs)) {
      found.set(pair.lineId, pair)
      taken.add(keyOf(pair))
    }
  }
  return found
}

function keyOf({ applicationId, transactionId }: Pick<Candidate, 'applicationId' | 'transactionId'>): string {
  return `${applicationId} ${transactionId}`
}

type Effect = { effect: ReplayedLine['effect']; lineId: bigint; before: Pair | undefined; after: Pair | undefined }

/** The lines that are paired otherwise, in their order. */
function compare(before: Pairs, after: Pairs): Effect[] {
  const lineIds = [...new Set([...before.keys(), ...after.keys()])].toSorted((left, right) => (left < right ? -1 : 1))
  return lineIds.flatMap((lineId): Effect[] => {
    const [was, would] = [before.get(lineId), after.get(lineId)]
    if (was && would && keyOf(was) === keyOf(would)) return []
    return [{ effect: !was ? 'gained' : !would ? 'lost' : 'changed', lineId, before: was, after: would }]
  })
}

async function describe(queryable: Queryable, applicationId: string, effects: readonly Effect[]): Promise<ReplayedLine[]> {
  const facts = await listReplayedLines(queryable, applicationId, {
    lineIds: effects.map(({ lineId }) => lineId),
    applicationIds: effects.flatMap(({ before, after }) => [before, after].flatMap((pair) => (pair ? [pair.applicationId] : []))),
  })
  const of = (pair: Pair | undefined) =>
    pair ? { transactionId: pair.transactionId, application: facts.names.get(pair.applicationId) ?? '' } : null
  return effects.flatMap(({ effect, lineId, before, after }) => {
    const line = facts.lines.get(lineId)
    if (!line) return []
    const { day, grossMinor, phone, operatorId } = line
    const about = { lineId: String(lineId), day, amount: formatMinor(grossMinor), phone, operatorId }
    return [{ effect, ...about, before: of(before), after: of(after) }]
  })
}
