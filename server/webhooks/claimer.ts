import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { withJitterMs } from '#server/retry.ts'
import type { DeliveryLogger } from './attempts.ts'
import { type Claim, claimDeliveries, type FreeSlots } from './delivery-store.ts'
import type { Allowance, ReceiverSlots } from './receiver-slots.ts'

type ClaimerOptions = {
  pool: Pool
  logger: DeliveryLogger
  slots: ReceiverSlots
  pace: ClaimPace
  claimRowsMax: number
  leaseMs: number
  gapsMs: readonly number[]
  /** Before a claim is made again if this process holds as much as it may. */
  fullPauseMs: number
  onClaimed(claim: Claim): void
}

const HINTS_PER_CLAIM = 500
const FORGET_EVERY_MS = 60_000
const FAILED_PAUSE_MS = 1_000

/** Claims what is due, as far as the slots of the receivers allow. */
export class Claimer {
  readonly #options: ClaimerOptions
  /** Receivers where a slot became free and more may be due. */
  readonly #hinted = new Set<string>()
  #cursor = ''
  #forgottenMs = performance.now()

  constructor(options: ClaimerOptions) {
    this.#options = options
  }

  /** The next claim reads this receiver in any case. */
  hint(target: string): void {
    this.#hinted.add(target)
  }

  async claim(): Promise<ClaimPauses> {
    const { slots, pace, logger } = this.#options
    const startedMs = performance.now()
    this.#forgetIdle(startedMs)
    const allowance = slots.allowance(this.#options.claimRowsMax)
    // An attempt that ends requests the next claim.
    if (allowance.limits.rows_max === 0) return { minPauseMs: 0, idlePauseMs: this.#options.fullPauseMs }
    try {
      return await this.#claim(allowance, startedMs)
    } catch (error) {
      reportUnexpected('webhooks: claim', error, { logger, message: 'Webhook deliveries could not be claimed; trying again' })
      pace.failed()
      const pauseMs = withJitterMs(FAILED_PAUSE_MS)
      return { minPauseMs: pauseMs, idlePauseMs: pauseMs }
    }
  }

  async #claim(allowance: Allowance, startedMs: number): Promise<ClaimPauses> {
    const { pool, pace, leaseMs, gapsMs } = this.#options
    const limits = pace.limits(startedMs)
    const targets = takeSome(this.#hinted, HINTS_PER_CLAIM)
    const claim = await claimDeliveries(
      pool,
      { ...allowance.limits, ...limits, targets, cursor: this.#cursor, lease_ms: leaseMs, gaps_ms: gapsMs },
      allowance.slots,
    )
    this.#cursor = claim.cursor
    const suspectRows = claim.deliveries.filter((delivery) => delivery.target in allowance.slots.suspects).length
    const { minPauseMs, idlePauseMs } = pace.next({
      claim,
      rowsMax: allowance.limits.rows_max,
      hasWalked: limits.walk_receivers_max > 0,
      isCut: suspectRows > 0 && suspectRows >= allowance.limits.suspect_rows_max,
      startedMs,
      endedMs: performance.now(),
    })
    this.#noteLimited(allowance.slots)
    if (claim.deliveries.length < allowance.limits.rows_max) this.#noteTaken(claim, targets, allowance, limits.each_max)
    this.#options.onClaimed(claim)
    return { minPauseMs, idlePauseMs: this.#hinted.size > 0 ? minPauseMs : idlePauseMs }
  }

  /** A receiver that may have more due than it was allowed is read again when it has a free slot. */
  #noteLimited({ free, suspects }: FreeSlots): void {
    for (const target of [...Object.keys(free), ...Object.keys(suspects)]) {
      const receiver = this.#options.slots.find(target)
      if (receiver) receiver.mayHaveMore = true
    }
  }

  /** A receiver that was read and has less due than it may receive is no longer behind. */
  #noteTaken(claim: Claim, targets: readonly string[], { limits, slots: { free, suspects } }: Allowance, eachMax: number): void {
    const taken = Map.groupBy(claim.deliveries, (delivery) => delivery.target)
    for (const target of targets) {
      const receiver = this.#options.slots.find(target)
      const allowed = Math.min(eachMax, free[target] ?? suspects[target] ?? limits.unlisted_each)
      if (receiver && (taken.get(target)?.length ?? 0) < allowed) receiver.isBehind = false
    }
  }

  #forgetIdle(nowMs: number): void {
    if (nowMs - this.#forgottenMs <= FORGET_EVERY_MS) return
    this.#options.slots.forgetIdle(nowMs)
    this.#forgottenMs = nowMs
  }
}

/** Takes the first few out of a set. */
function takeSome(targets: Set<string>, countMax: number): string[] {
  const some: string[] = []
  for (const target of targets) {
    if (some.length >= countMax) break
    some.push(target)
    targets.delete(target)
  }
  return some
}

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
type ClaimPauses = { minPauseMs: number; idlePauseMs: number }

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
/** The same once this many claims found nothing: about four seconds. */
const IDLE_WALK_EVERY_MS = 1_000
const IDLE_CLAIMS = 10
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
    if (report.hasWalked || report.isCut) this.#walkAtMs = report.endedMs + Math.max(walkPauseMs(report, this.#emptyClaims), tookMs * 8)
    const minPauseMs = Math.max(MIN_PAUSE_MS, found > 0 ? tookMs / 2 : tookMs)
    return { minPauseMs, idlePauseMs: Math.max(minPauseMs, this.#idlePauseMs(report)) }
  }

  #idlePauseMs({ claim, endedMs }: ClaimReport): number {
    const pollMs = Math.min(this.#options.pollMsMax, this.#options.pollMs * 1.5 ** Math.min(this.#emptyClaims, 10))
    return Math.ceil(Math.min(pollMs, Math.max(0, this.#walkAtMs - endedMs), claim.nextDueMs ?? pollMs))
  }
}

function walkPauseMs({ claim, isCut }: ClaimReport, emptyClaims: number): number {
  if (isCut) return CUT_WALK_EVERY_MS
  if (!claim.isWalkComplete) return PART_WALK_EVERY_MS
  return emptyClaims < IDLE_CLAIMS ? WALK_EVERY_MS : IDLE_WALK_EVERY_MS
}

function countReceivers(claim: Claim): number {
  return new Set(claim.deliveries.map((delivery) => delivery.target)).size
}

/** Makes one claim after another, never two at once, with the pauses that each of them returns. */
export class ClaimSchedule {
  readonly #claim: () => Promise<ClaimPauses>
  #isRunning = false
  #isRequested = false
  #mayClaimAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #claiming: Promise<void> | undefined

  /** `claim` must not reject. */
  constructor(claim: () => Promise<ClaimPauses>) {
    this.#claim = claim
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#schedule(0)
  }

  /** Requests a claim as soon as the pause after the last one allows. */
  request(): void {
    if (this.#isRequested) return
    this.#isRequested = true
    if (!this.#claiming) this.#schedule(Math.max(0, this.#mayClaimAtMs - performance.now()))
  }

  /** Makes no more claims. Resolves when the one in progress, if any, has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    await this.#claiming
  }

  #schedule(pauseMs: number): void {
    clearTimeout(this.#timer)
    if (this.#isRunning) this.#timer = setTimeout(() => this.#begin(), pauseMs)
  }

  #begin(): void {
    this.#claiming ??= this.#claimOnce().then((pauseMs) => {
      this.#claiming = undefined
      // No turn of the event loop is lost between two claims if there is plenty to do.
      if (pauseMs === 0 && this.#isRunning) this.#begin()
      else this.#schedule(pauseMs)
    })
  }

  async #claimOnce(): Promise<number> {
    this.#isRequested = false
    const { minPauseMs, idlePauseMs } = await this.#claim()
    this.#mayClaimAtMs = performance.now() + minPauseMs
    return this.#isRequested ? minPauseMs : idlePauseMs
  }
}
