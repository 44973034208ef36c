import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '#lib/seeded-random.ts'
import type { Pool } from '#server/database/pool.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { DryWallets } from '../dry-wallets.ts'
import type { Verdict } from '../judge.ts'
import { type LoadOptions, tryOnce } from '../load.ts'
import { Durations, type Ordeal, RECOVERY_LIMIT_MS, type Stage } from '../ordeal.ts'
import { OwnTransfers } from '../own-transfers.ts'
import { killVictim, type PlannedKill, planKills, type Victim } from './plan.ts'

/** A deposit of the load is at most 5,000: a few seconds of it take the first amount, and each top-up covers a part of what waits then. */
const WALLETS = { first: 30_000, topUp: 15_000, last: 50_000_000 }

type KillOptions = { kills: number; seed: number; say(line: string): void }

/** The stage on which the processes of a sandbox are killed. */
export function stageOfKills(options: KillOptions): Stage {
  let wallets: DryWallets | undefined
  return {
    hasPeople: true,
    async start(environment) {
      const started = await startAlone(environment)
      wallets = new DryWallets(started.service, new OwnTransfers(started.service), WALLETS)
      await wallets.empty()
      started.service.kill()
      await wallets.untilKnown()
      return started
    },
    async begin(service, load, startedMs) {
      if (!wallets) throw new Error('The stage has not started')
      return new Kills(options, { service, wallets, load, startedMs })
    },
    close: async () => undefined,
  }
}

/** The sandbox in one process, at its own address. */
export async function startAlone(environment: Readonly<Record<string, string>>): Promise<{ service: Sandbox; baseUrl: string }> {
  const service = await startSandbox({ environment })
  service.keepRunning()
  return { service, baseUrl: service.baseUrl }
}

/** Carries the plan out and measures, after each kill, how long it takes until a request is accepted again. */
class Kills implements Ordeal {
  readonly durationsMs = new Durations()
  serviceDiedAt = new Date(0)
  #options: KillOptions
  #service: Sandbox
  #wallets: DryWallets
  #load: LoadOptions
  #random: Random
  #startedMs: number
  #number = 0
  #recovering: Promise<void> = Promise.resolve()

  constructor(
    options: KillOptions,
    { service, wallets, load, startedMs }: { service: Sandbox; wallets: DryWallets; load: LoadOptions; startedMs: number },
  ) {
    this.#options = options
    this.#service = service
    this.#wallets = wallets
    this.#random = createRandom(options.seed * 1_000)
    this.#load = { ...load, random: this.#random }
    this.#startedMs = startedMs
  }

  async carryOut(): Promise<void> {
    let isEnding = false
    const low = this.#wallets.keepLow(() => isEnding)
    for (const planned of planKills(createRandom(this.#options.seed), this.#options.kills)) await this.#kill(planned)
    await this.#recovering
    await this.#wallets.untilShort()
    isEnding = true
    await low
    await this.#wallets.fill()
  }

  judge(pool: Pool): Promise<Verdict[]> {
    return this.#wallets.judge(pool)
  }

  async #kill(planned: PlannedKill): Promise<void> {
    if (planned.waitsForRecovery) await this.#recovering
    // The moment of the kill is the point of the run, not something to wait for.
    await delay(planned.afterMs)
    const pid = await this.#strike(planned.victim)
    const number = ++this.#number
    const killedMs = performance.now()
    if (planned.victim === 'service') this.serviceDiedAt = new Date()
    const earlier = this.#recovering
    this.#recovering = this.#untilAccepted(killedMs).then(async (recoveryMs) => {
      await earlier
      this.durationsMs.add(`${planned.victim} killed: accepted again after`, recoveryMs)
      const place = `${String(number).padStart(4)}  at ${((killedMs - this.#startedMs) / 1_000).toFixed(3).padStart(8)} s`
      this.#options.say(
        `${place}  ${planned.victim.padEnd(9)}  process ${String(pid).padEnd(7)}  first accepted again after ${Math.round(recoveryMs)} ms`,
      )
    })
    // Reported to the code that waits for the recovery; a kill that does not wait must not end the run here.
    this.#recovering.catch(() => undefined)
  }

  /** A process may be down because of the previous kill; then it is killed as soon as it is up. */
  #strike(victim: Victim): Promise<number> {
    return waitUntil(
      `there is a ${victim} to kill (${this.#service.logFile} may say why not)`,
      () => killVictim(this.#service, victim, this.#random),
      { limitMs: RECOVERY_LIMIT_MS, pauseMs: 20 },
    )
  }

  /** Milliseconds from the kill to the answer of the first request that was sent after it and accepted. */
  async #untilAccepted(killedMs: number): Promise<number> {
    await waitUntil(`a request is accepted (${this.#service.logFile} may say why not)`, () => tryOnce(this.#load), {
      limitMs: RECOVERY_LIMIT_MS,
    })
    return performance.now() - killedMs
  }
}
