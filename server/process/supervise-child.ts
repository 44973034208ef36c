import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../logger.ts'

export type SupervisedChild = {
  pid(): number | undefined
  /** What the first child said when it was ready. */
  firstMessage: unknown
  stop(): Promise<void>
}

export type ChildOptions = {
  /** For the log. */
  name: string
  /** A TypeScript file that sends a message when it is ready and ends by itself when its parent is gone. */
  entry: URL
  arguments?(): string[]
  environment: NodeJS.ProcessEnv
  logger: Logger
  /** After this a child that was asked to end is killed. */
  stopLimitMs: number
}

const RESTART_PAUSE_MS = 500
const FIRST_READY_LIMIT_MS = 30_000

/**
 * Runs a child process and starts it again whenever it ends without being asked. Resolves when the child says it is
 * ready; throws when the first one ends before that. Children end by themselves when this process is killed.
 */
export async function superviseChild(options: ChildOptions): Promise<SupervisedChild> {
  let isStopping = false
  let child = start()
  const firstMessage = await untilReady(child, options.name)

  function start(): ChildProcess {
    const started = fork(options.entry, options.arguments?.() ?? [], {
      env: options.environment,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    started.once('exit', (code, signal) => {
      if (isStopping || started !== child) return
      options.logger.error({ child: options.name, code, signal }, 'A child process ended; it is started again')
      void restart()
    })
    return started
  }
  async function restart(): Promise<void> {
    await delay(RESTART_PAUSE_MS)
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
