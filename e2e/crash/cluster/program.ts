import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Owner } from '#server/database/embedded/embedded-places.ts'
import { killAtOnce, listProcesses } from '#server/testing/service/processes.ts'

type ProgramOptions = {
  name: string
  command: string
  words: readonly string[]
  environment: Readonly<Record<string, string>>
  owner: Owner | undefined
  logFile: string
  /** Text in the command lines of other processes that belong to this program: of PostgreSQL, which Patroni lets go. */
  alsoOwns?: string
}

/** As systemd restarts a unit with RestartSec=1. */
const RESTART_PAUSE_MS = 1_000

/** One program of the cluster, which is started again when it ends, unless it was taken away. */
export class Program {
  readonly name: string
  readonly #options: ProgramOptions
  #child: ChildProcess | undefined
  #isWanted = false

  constructor(options: ProgramOptions) {
    this.name = options.name
    this.#options = options
    process.once('exit', () => this.kill())
  }

  start(): void {
    this.#isWanted = true
    const { command, words, environment, owner, logFile } = this.#options
    const log = openSync(logFile, 'a')
    const child = spawn(command, words, {
      ...owner,
      env: { ...environment, NODE_ENV: 'production' },
      cwd: '/',
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#child = child
    child.once('exit', () => void this.#restart(child))
  }

  /** Ends all its processes at once; it is started again after a second. */
  crash(): void {
    for (const pid of this.#pids()) killAtOnce(pid)
  }

  /** The same, and it stays away, as with the loss of its machine. */
  kill(): void {
    this.#isWanted = false
    this.crash()
  }

  /** Stops all its processes, whose connections stay open and silent. */
  freeze(): void {
    for (const pid of this.#pids()) process.kill(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#pids()) process.kill(pid, 'SIGCONT')
  }

  async #restart(ended: ChildProcess): Promise<void> {
    await delay(RESTART_PAUSE_MS, undefined, { ref: false })
    if (this.#isWanted && this.#child === ended) this.start()
  }

  #pids(): number[] {
    const processes = listProcesses()
    const { alsoOwns } = this.#options
    const roots = processes.filter(({ pid, command }) => pid === this.#child?.pid || (alsoOwns !== undefined && command.includes(alsoOwns)))
    const found = new Set(roots.map(({ pid }) => pid))
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid)
    }
    return [...found]
  }
}
