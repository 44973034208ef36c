import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { withJitterMs } from '#server/retry.ts'
import { createCrashPolicy, exitCodeOf, isCrash } from './crash-policy.mjs'

export type SupervisedChild = {
  pid(): number | undefined
  /** The first child's message when it was ready. */
  firstMessage: unknown
  stop(): Promise<void>
}

type ChildOptions = {
  /** For the log. */
  name: string
  /** A TypeScript file that sends a message when it is ready and ends when its parent is gone. */
  entry: URL
  arguments?(): string[]
  /** The environment passed to the child at each start; `crashes` counts those of this child. */
  environment(crashes: number): NodeJS.ProcessEnv
  logger: Logger
  /**
   * Told the exit code of a child that has crashed for the third time within a minute and is not restarted. Without it the
   * child is restarted forever, after the same short pause.
   */
  onGivenUp?(exitCode: number): void
  /** After this a child that was asked to end is killed. */
  stopLimitMs: number
}

const RESTART_PAUSE_MS = 500
const FIRST_READY_LIMIT_MS = 30_000

/**
 * Runs a child process and restarts it whenever it ends without being asked. Resolves when the child says it is ready;
 * throws when the first one ends before that. Children end when this process is killed.
 */
export async function superviseChild(options: ChildOptions): Promise<SupervisedChild> {
  const policy = createCrashPolicy()
  let isStopping = false
  let crashes = 0
  let child = start()
  const firstMessage = await untilReady(child, options.name).catch((error: unknown) => {
    isStopping = true
    child.kill('SIGKILL')
    throw error
  })

  function start(): ChildProcess {
    const started = fork(options.entry, options.arguments?.() ?? [], {
      env: options.environment(crashes),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    started.on('error', (error) => {
      reportUnexpected('child process: start', error, {
        logger: options.logger,
        child: options.name,
        message: 'A child process could not be started or sent a message',
      })
      // One that never ran does not end either. The machine may be short of processes for a moment.
      if (started.pid === undefined && !isStopping && started === child) void restart(RESTART_PAUSE_MS)
    })
    started.once('exit', (code, signal) => {
      if (isStopping || started !== child) return
      const hasCrashed = isCrash(code, signal)
      if (hasCrashed) crashes++
      const pauseMs = hasCrashed && options.onGivenUp ? policy.note() : RESTART_PAUSE_MS
      const facts = { child: options.name, code, signal, crashes }
      if (pauseMs === undefined) {
        options.logger.fatal(facts, 'A child process crashed for the third time within a minute; it is not restarted')
        options.onGivenUp?.(exitCodeOf(code, signal))
        return
      }
      options.logger.error({ ...facts, pauseMs }, 'A child process ended; it is restarted')
      void restart(pauseMs)
    })
    return started
  }
  async function restart(pauseMs: number): Promise<void> {
    // Several children that lost the same database do not come back in the same instant.
    await delay(withJitterMs(pauseMs))
    if (!isStopping) child = start()
  }

  return {
    pid: () => child.pid,
    firstMessage,
    async stop() {
      isStopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), options.stopLimitMs)
      await ended
      clearTimeout(killer)
    },
  }
}

function untilReady(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`The process ${name} was not ready within ${FIRST_READY_LIMIT_MS / 1_000} s.`)),
      FIRST_READY_LIMIT_MS,
    )
    child.once('message', (message: unknown) => {
      clearTimeout(limit)
      resolve(message)
    })
    child.once('exit', () => {
      clearTimeout(limit)
      reject(new Error(`The process ${name} ended while starting; the reason is above.`))
    })
  })
}
