import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Random } from '#lib/seeded-random.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { ALLOCATOR_ENVIRONMENT, NODE_FLAGS } from '#server/process/node-settings.mjs'
import type { SandboxFile } from '#server/sandbox/seed-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { Victim } from './plan.ts'
import { killAtOnce, listProcesses } from './processes.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAIN = path.join(ROOT, 'server/main.ts')
const FIRST_START_LIMIT_MS = 300_000
const SIMULATOR_DELAY_MS = 80

/** The service under test: the real process on an embedded PostgreSQL, started again whenever it is gone. */
export class Service {
  readonly folder: string
  readonly baseUrl: string
  #port: number
  readonly #environment: Readonly<Record<string, string>>
  #child: ChildProcess | undefined
  #isStopping = false
  #starts = 0

  private constructor(folder: string, port: number, environment: Readonly<Record<string, string>>) {
    this.folder = folder
    this.#environment = environment
    this.#port = port
    this.baseUrl = `http://127.0.0.1:${port}`
  }

  /**
   * Starts a sandbox in a folder of its own below the system's temporary one. Resolves when it takes requests. `port`: a free one if left
   * out.
   */
  static async start(options: { port?: number; environment?: Readonly<Record<string, string>> } = {}): Promise<Service> {
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-crash-'))
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const service = new Service(folder, options.port ?? (await freePort()), options.environment ?? {})
    service.#launch()
    await service.#untilReady()
    return service
  }

  /** How often the main process was started. */
  get starts(): number {
    return this.#starts
  }

  get logFile(): string {
    return path.join(this.folder, 'service.log')
  }

  /** The applications, keys and people that the sandbox made. */
  readSandbox(): SandboxFile {
    return JSON.parse(readFileSync(path.join(this.folder, 'sandbox.json'), 'utf8'))
  }

  /** The present address of the database; undefined while it is not up. */
  databaseUrl(): string | undefined {
    try {
      return readFileSync(path.join(this.folder, 'postgres.url'), 'utf8').trim()
    } catch {
      return undefined
    }
  }

  /** The process that acts as the operators. */
  simulatorPid(): number | undefined {
    return listProcesses().find((one) => one.parent === this.#child?.pid && one.command.includes('simulator/main.ts'))?.pid
  }

  /** Kills one process of this kind and returns its id; undefined when none is running. */
  kill(victim: Victim, random: Random): number | undefined {
    const pid = this.#findVictim(victim, random)
    return pid !== undefined && killAtOnce(pid) ? pid : undefined
  }

  #findVictim(victim: Victim, random: Random): number | undefined {
    const mainPid = this.#child?.pid
    if (victim === 'service') return this.#child?.exitCode === null && this.#child.signalCode === null ? mainPid : undefined
    if (victim === 'simulator') return this.simulatorPid()
    const processes = listProcesses()
    const postmaster = processes.find((one) => one.command.includes(`-D ${this.#postgresFolder()}`))
    if (victim === 'postgres' || !postmaster) return postmaster?.pid
    const children = processes.filter((one) => one.parent === postmaster.pid)
    return children.length > 0 ? random.pick(children).pid : undefined
  }

  #postgresFolder(): string {
    return path.join(this.folder, 'postgres')
  }

  /** Ends the service in order and removes its folder, unless it is to be looked at. */
  async stop(options: { keepsFolder: boolean }): Promise<void> {
    this.#isStopping = true
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const forced = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await exited
      clearTimeout(forced)
    }
    for (const left of listProcesses()) if (left.command.includes(this.folder)) killAtOnce(left.pid)
    if (!options.keepsFolder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #launch(): void {
    this.#starts++
    const log = openSync(this.logFile, 'a')
    // The channel ends the service when this program is killed.
    const child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
      cwd: ROOT,
      stdio: ['ignore', log, log, 'ipc'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        // As `npm start` sets it: a restart takes a third less.
        NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules/.cache/countersign'),
        ...ALLOCATOR_ENVIRONMENT,
        NODE_ENV: 'production',
        SANDBOX: '1',
        LOG_LEVEL: 'warn',
        HOST: '127.0.0.1',
        PORT: String(this.#port),
        DATA_DIR: this.folder,
        SIMULATOR_DELAY_MS: String(SIMULATOR_DELAY_MS),
        ...this.#environment,
      },
    })
    closeSync(log)
    this.#child = child
    child.once('exit', () => {
      if (!this.#isStopping) this.#launch()
    })
  }

  async #untilReady(): Promise<void> {
    const look = async () => {
      if (this.#starts > 1) throw new Error('It ended while it started')
      return fetch(`${this.baseUrl}/health/ready`).then(
        (response) => response.ok,
        () => false,
      )
    }
    try {
      await waitUntil('the service is ready', look, { limitMs: FIRST_START_LIMIT_MS, pauseMs: 50 })
    } catch (error) {
      await this.stop({ keepsFolder: true })
      throw new Error(`The service did not start; ${this.logFile} says why`, { cause: error })
    }
  }
}
