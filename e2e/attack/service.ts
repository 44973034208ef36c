import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { killAtOnce, listProcesses } from '#e2e/crash/processes.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { ALLOCATOR_ENVIRONMENT, NODE_FLAGS } from '#server/process/node-settings.mjs'
import type { SandboxFile } from '#server/sandbox/seed-sandbox.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const START_LIMIT_MS = 120_000
const END_LIMIT_MS = 20_000
const HOST = '127.0.0.1'

/** The process that ended without being stopped. */
type Exit = { atMs: number; pid: number; code: number | null; signal: string | null }

/** The service under attack: the real process, production build, sandbox. One that dies is started again and remembered. */
export class Service {
  readonly folder: string
  readonly host = HOST
  readonly port: number
  readonly exits: Exit[] = []
  onStart: (pid: number) => void = () => undefined
  #environment: Record<string, string>
  #child: ChildProcess | undefined
  #isStopping = false

  private constructor(folder: string, port: number, environment: Record<string, string>) {
    this.folder = folder
    this.port = port
    this.#environment = environment
  }

  /** Starts it in a folder of its own below the system's temporary one. Resolves when API and pages are served. */
  static async start(environment: Record<string, string> = {}): Promise<Service> {
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-attack-'))
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const service = new Service(folder, await freePort(), environment)
    service.#launch()
    try {
      await service.untilReady()
    } catch (error) {
      await service.stop({ keepsFolder: true })
      throw error
    }
    return service
  }

  get baseUrl(): string {
    return `http://${HOST}:${this.port}`
  }

  get pid(): number | undefined {
    const child = this.#child
    return child && child.exitCode === null && child.signalCode === null ? child.pid : undefined
  }

  get logFile(): string {
    return path.join(this.folder, 'service.log')
  }

  readSandbox(): SandboxFile {
    return JSON.parse(readFileSync(path.join(this.folder, 'sandbox.json'), 'utf8'))
  }

  /** The secrets that sign access tokens and seal sessions in this sandbox. */
  readSecrets(): { token: string; session: string } {
    const stored = JSON.parse(readFileSync(path.join(this.folder, 'secrets.json'), 'utf8')) as Record<string, string>
    return { token: stored['TOKEN_SECRET'] ?? '', session: stored['SESSION_SECRET'] ?? '' }
  }

  databaseUrl(): string {
    const given = this.#environment['DATABASE_URL']
    return given ?? readFileSync(path.join(this.folder, 'postgres.url'), 'utf8').trim()
  }

  /** Waits until API and pages are served. Throws when that takes too long. */
  async untilReady(): Promise<void> {
    const endsAtMs = performance.now() + START_LIMIT_MS
    while (performance.now() < endsAtMs) {
      if ((await isServed(`${this.baseUrl}/health/ready`)) && (await isServed(`${this.baseUrl}/sign-in`))) return
      await delay(100)
    }
    throw new Error(`The service did not become ready; ${this.logFile} says why`)
  }

  /** Ends the service in order and removes its folder, unless it is to be looked at. */
  async stop(options: { keepsFolder: boolean }): Promise<void> {
    this.#isStopping = true
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const forced = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
      await exited
      clearTimeout(forced)
    }
    for (const left of listProcesses()) if (left.command.includes(this.folder)) killAtOnce(left.pid)
    if (!options.keepsFolder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #launch(): void {
    const log = openSync(this.logFile, 'a')
    // The channel ends the service when this program is killed.
    const child = spawn(process.execPath, [...NODE_FLAGS, path.join(ROOT, 'server/main.ts')], {
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
        HOST,
        PORT: String(this.port),
        DATA_DIR: this.folder,
        SIMULATOR_DELAY_MS: '100',
        ...this.#environment,
      },
    })
    closeSync(log)
    this.#child = child
    const pid = child.pid ?? 0
    this.onStart(pid)
    child.once('exit', (code, signal) => {
      if (this.#isStopping) return
      this.exits.push({ atMs: Date.now(), pid, code, signal })
      this.#launch()
    })
  }
}

function isServed(url: string): Promise<boolean> {
  return fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status === 200
    },
    () => false,
  )
}

/** Looks into the service's database. Each time over new connections: after a crash it is at another address. */
export async function withDatabase<Value>(service: Service, work: (pool: Pool) => Promise<Value>): Promise<Value> {
  const pool = createPool({ databaseUrl: service.databaseUrl(), connectionsMax: 2, applicationName: 'attack run' })
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}
