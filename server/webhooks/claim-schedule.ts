import type { ClaimPauses } from './claim-pace.ts'

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
