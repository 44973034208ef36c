import type { Claim } from './webhook-store.ts'

/** What the next claim looks at, and when it may be. */
export type ClaimPace = {
  eachMax(): number
  walkMax(nowMs: number): number
  recentMs(nowMs: number): number
  /** Notes how a claim went; returns the pause before the next one if it is requested, and if it is not. */
  note(claim: Claim, asked: AskedClaim): { minPauseMs: number; idlePauseMs: number }
  failed(): void
}

export type AskedClaim = {
  rowsMax: number
  hasWalked: boolean
  /** Receivers that lately let us wait could have been given more, were it not for their common limit. */
  isCut: boolean
  startedMs: number
  endedMs: number
}

export type PaceOptions = { walkTargetsMax: number; pollMs: number; pollMsMax: number }

const EACH_START = 16
const EACH_MAX = 256
/** Rows written by others become visible some time after they became due: look back further than to the last claim. */
const OVERLAP_MS = 1_000
const RECENT_MS_MAX = 30_000
const BREATH_MS = 4
/** After a walk that looked at every receiver, after one that did not, and while those that hang have more than they may be given. */
const WALK_EVERY_MS = 500
const PART_WALK_EVERY_MS = 25
const CUT_WALK_EVERY_MS = 50
const MANY_TARGETS = 128

/**
 * Sets the pace of claims. A claim costs the database about as much as it takes, so the pause after one is in proportion
 * to it, unless there is plenty to do. When one claim could have been filled several times over by many receivers, each
 * gets fewer deliveries at a time: they then share few connections instead of opening many.
 */
export function createClaimPace(options: PaceOptions): ClaimPace {
  let each = EACH_START
  let walkAtMs = 0
  let lastClaimMs = Number.NEGATIVE_INFINITY
  let emptyClaims = 0
  return {
    eachMax: () => each,
    walkMax: (nowMs) => (nowMs >= walkAtMs ? options.walkTargetsMax : 0),
    recentMs: (nowMs) => Math.ceil(Math.min(RECENT_MS_MAX, nowMs - lastClaimMs + OVERLAP_MS)),
    failed() {
      walkAtMs = 0
    },
    note(claim, asked) {
      const found = claim.deliveries.length
      const tookMs = asked.endedMs - asked.startedMs
      const isFull = found >= asked.rowsMax
      lastClaimMs = asked.startedMs
      if (isFull) each = new Set(claim.deliveries.map((delivery) => delivery.target)).size >= MANY_TARGETS ? Math.max(1, each >> 1) : each
      else each = Math.min(EACH_MAX, each * 2)
      // A receiver with work under way is read again when some of it ends; the walk finds the rest.
      if (isFull) walkAtMs = 0
      else if (asked.hasWalked || asked.isCut)
        walkAtMs =
          asked.endedMs + Math.max(asked.isCut ? CUT_WALK_EVERY_MS : claim.isWalkComplete ? WALK_EVERY_MS : PART_WALK_EVERY_MS, tookMs * 8)
      emptyClaims = found === 0 ? emptyClaims + 1 : 0
      const minPauseMs = isFull ? 0 : Math.max(BREATH_MS, found > 0 ? tookMs / 2 : tookMs)
      const pollMs = Math.min(options.pollMsMax, options.pollMs * 1.5 ** Math.min(emptyClaims, 10))
      const idlePauseMs = Math.min(pollMs, Math.max(0, walkAtMs - asked.endedMs), claim.nextDueMs ?? pollMs)
      return { minPauseMs, idlePauseMs: isFull ? 0 : Math.max(minPauseMs, Math.ceil(idlePauseMs)) }
    },
  }
}
