import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { withJitterMs } from '#server/retry.ts'
import type { DeliveryLogger } from './attempt-recorder.ts'
import type { ClaimPace, ClaimPauses } from './claim-pace.ts'
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
