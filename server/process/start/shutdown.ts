import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { CRASH_EXIT_CODE } from '../children/crash-policy.mjs'

export type Shutdown = {
  /** Adds a step; the steps run in the reverse order of their adding. */
  add(name: string, step: () => Promise<unknown>): void
  /** Called as soon as the end begins. */
  addBeginListener(listener: () => void): void
  /** Called before the process ends immediately; must not wait for anything. */
  addForcedListener(listener: () => void): void
  /** Begins the end; the process exits with this code. */
  begin(exitCode: number): void
  /** True as soon as the end started: what fails from now on fails because of it. */
  hasBegun(): boolean
}

/** After this the process is ended without waiting. */
const LIMIT_MS = 15_000

/**
 * How this process ends. SIGTERM, SIGINT or a launcher that is gone begin an orderly end; a second signal or
 * 15 seconds make it immediate. A bug (an unhandled rejection) is logged and ends the process immediately: what was answered
 * is committed, and everything else comes back from its lease. Its exit code makes the launcher restart it. Signals that are not in
 * `signals` are ignored.
 */
export function createShutdown(logger: Logger, signals: ('SIGTERM' | 'SIGINT')[] = ['SIGTERM', 'SIGINT']): Shutdown {
  const steps: { name: string; step: () => Promise<unknown> }[] = []
  const beginListeners: (() => void)[] = []
  const forcedListeners: (() => void)[] = []
  let hasBegun = false

  function endAtOnce(exitCode: number): void {
    for (const listener of forcedListeners) listener()
    process.exit(exitCode)
  }

  function begin(exitCode: number): void {
    if (hasBegun) return
    hasBegun = true
    setTimeout(() => {
      logger.error(`The end took longer than ${LIMIT_MS / 1_000} s; the process ends immediately`)
      endAtOnce(exitCode || 1)
    }, LIMIT_MS).unref()
    for (const listener of beginListeners) listener()
    void runSteps().then(() => process.exit(exitCode))
  }

  async function runSteps(): Promise<void> {
    for (const { name, step } of steps.toReversed()) {
      try {
        await step()
      } catch (error) {
        reportUnexpected('shutdown: step', error, { logger, step: name, message: 'A step of the orderly shutdown failed' })
      }
    }
  }

  const onSignal = () => (hasBegun ? endAtOnce(1) : begin(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, signals.includes(signal) ? onSignal : () => undefined)
  process.once('disconnect', () => begin(0))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error, event }, 'A bug; the process ends')
      endAtOnce(CRASH_EXIT_CODE)
    })
  }

  return {
    add: (name, step) => void steps.push({ name, step }),
    addBeginListener: (listener) => void beginListeners.push(listener),
    addForcedListener: (listener) => void forcedListeners.push(listener),
    begin,
    hasBegun: () => hasBegun,
  }
}
