import type { Claim } from './delivery-store.ts'

/** How a claim went. */
type ClaimReport = {
  claim: Claim
  rowsMax: number
  hasWalked: boolean
  /** Suspects could have received more, were it not for their common limit. */
  isCut: boolean
  startedMs: number
  endedMs: number
}

/** The pause before the next claim: `minPauseMs` if something requests it, otherwise `idlePauseMs`. */
export type ClaimPauses = { minPauseMs: number; idlePauseMs: number }

type PaceOptions = { walkReceiversMax: number; pollMs: number; pollMsMax: number }

const EACH_START = 16
const EACH_MAX = 256
/** Rows written by others become visible some time after they became due: look back further than to the last claim. */
const OVERLAP_MS = 1_000
const RECENT_MS_MAX = 30_000
/** A claim that takes more at once costs both sides less: with 4 ms a delivery cost a fifth more CPU. */
const MIN_PAUSE_MS = 14
/** After a walk that looked at every receiver, after one that did not, and while suspects have more due than their common limit. */
const WALK_EVERY_MS = 500
const PART_WALK_EVERY_MS = 25
const CUT_WALK_EVERY_MS = 50
const MANY_RECEIVERS = 128

/**
 * Decides when the next claim is made and how much it reads. A claim costs the database about as much as it takes, so the pause after it
 * is in proportion to its duration, and there is none after a full claim. If many receivers could fill a claim several times over, each
 * receives fewer deliveries at a time: they then share few connections instead of opening many.
 */
export class ClaimPace {
  readonly #options: PaceOptions
  #eachMax = EACH_START
  #walkAtMs = 0
  #lastClaimMs = Number.NEGATIVE_INFINITY
  #emptyClaims = 0

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Returns the limits that the next claim reads. */
  limits(nowMs: number): { each_max: number; walk_receivers_max: number; recent_ms: number } {
    return {
      each_max: this.#eachMax,
      walk_receivers_max: nowMs >= this.#walkAtMs ? this.#options.walkReceiversMax : 0,
      recent_ms: Math.ceil(Math.min(RECENT_MS_MAX, nowMs - this.#lastClaimMs + OVERLAP_MS)),
    }
  }

  /** A claim failed: the next one walks. */
  failed(): void {
    this.#walkAtMs = 0
  }

  /** Returns the pause after a claim. */
  next(report: ClaimReport): ClaimPauses {
    const found = report.claim.deliveries.length
    const tookMs = report.endedMs - report.startedMs
    this.#lastClaimMs = report.startedMs
    this.#emptyClaims = found === 0 ? this.#emptyClaims + 1 : 0
    if (found >= report.rowsMax) {
      if (countReceivers(report.claim) >= MANY_RECEIVERS) this.#eachMax = Math.max(1, this.#eachMax >> 1)
      this.#walkAtMs = 0
      return { minPauseMs: 0, idlePauseMs: 0 }
    }
    this.#eachMax = Math.min(EACH_MAX, this.#eachMax * 2)
    // A receiver with work in progress is read again when some of it ends; the walk finds the rest.
    if (report.hasWalked || report.isCut) this.#walkAtMs = report.endedMs + Math.max(walkPauseMs(report), tookMs * 8)
    const minPauseMs = Math.max(MIN_PAUSE_MS, found > 0 ? tookMs / 2 : tookMs)
    return { minPauseMs, idlePauseMs: Math.max(minPauseMs, this.#idlePauseMs(report)) }
  }

  #idlePauseMs({ claim, endedMs }: ClaimReport): number {
    const pollMs = Math.min(this.#options.pollMsMax, this.#options.pollMs * 1.5 ** Math.min(this.#emptyClaims, 10))
    return Math.ceil(Math.min(pollMs, Math.max(0, this.#walkAtMs - endedMs), claim.nextDueMs ?? pollMs))
  }
}

function walkPauseMs({ claim, isCut }: ClaimReport): number {
  if (isCut) return CUT_WALK_EVERY_MS
  return claim.isWalkComplete ? WALK_EVERY_MS : PART_WALK_EVERY_MS
}

function countReceivers(claim: Claim): number {
  return new Set(claim.deliveries.map((delivery) => delivery.target)).size
}
