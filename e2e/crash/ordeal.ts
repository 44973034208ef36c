import type { Pool } from '#server/database/pool.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import type { Verdict } from './judge.ts'
import type { LoadOptions } from './load.ts'

/** The ordeals of a service while it is loaded. */
export type Ordeal = {
  /** Carries out the whole plan. Resolves once a request that was sent after the last event was accepted. */
  carryOut(): Promise<void>
  /** The last time that the main process was killed. */
  readonly serviceDiedAt: Date
  /** The measured values, by the words that are printed about them. */
  readonly durationsMs: Durations
  /** The guarantees that only this ordeal tests, once everything has ended. */
  judge(pool: Pool): Verdict[] | Promise<Verdict[]>
}

/** Where an ordeal takes place: the sandbox, and what it needs beside it. */
export type Stage = {
  /** Starts the service with these settings, and returns it with the address that partners and people use. */
  start(environment: Readonly<Record<string, string>>): Promise<{ service: Sandbox; baseUrl: string }>
  /** False: people do not work, because the addresses of their actions change with the build of the pages. */
  readonly hasPeople: boolean
  begin(service: Sandbox, load: LoadOptions, startedMs: number): Promise<Ordeal>
  close(): Promise<void>
}

/** A moment may take long: on a busy machine a start takes a minute. */
export const RECOVERY_LIMIT_MS = 240_000

/** Lists of durations in milliseconds, each with a name, in the order in which the names were first used. */
export class Durations {
  readonly #byName = new Map<string, number[]>()

  add(name: string, durationMs: number): void {
    const known = this.#byName.get(name)
    if (known) known.push(durationMs)
    else this.#byName.set(name, [durationMs])
  }

  of(name: string): readonly number[] {
    return this.#byName.get(name) ?? []
  }

  /** One line per name: how many, the median and the worst. */
  describe(): string[] {
    return [...this.#byName].map(([name, list]) => {
      const sorted = list.toSorted((left, right) => left - right)
      const figures = [sorted[sorted.length >> 1], sorted.at(-1)].map((ms = 0) => `${Math.round(ms)} ms`.padStart(9))
      return `${name.padEnd(44)}  ${String(list.length).padStart(5)}  ${figures.join('  ')}`
    })
  }
}
