import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import type { SandboxFile } from '#server/sandbox/seed-sandbox.ts'
import { killAtOnce, listProcesses } from './processes.ts'
import { type Readiness, Service } from './start-service.ts'

const SECRET_VARIABLE = 'SIMULATOR_SECRET='

type SandboxOptions = { environment?: Readonly<Record<string, string>>; port?: number; root?: string; readiness?: Readiness }

/** A sandbox of its own: the service, its embedded PostgreSQL and its simulator, in a temporary folder. */
export class Sandbox extends Service {
  readonly folder: string
  readonly logFile: string
  readonly #ownDatabaseUrl: string | undefined

  constructor(folder: string, port: number, { environment, root }: SandboxOptions) {
    const logFile = path.join(folder, 'service.log')
    const settings = { NODE_ENV: 'production', SANDBOX: '1', LOG_LEVEL: 'warn', SIMULATOR_DELAY_MS: '100', DATA_DIR: folder }
    super(port, { logFile, root, environment: { ...settings, ...environment } })
    this.folder = folder
    this.logFile = logFile
    this.#ownDatabaseUrl = environment?.['DATABASE_URL']
  }

  /** Returns the applications, keys and people that the sandbox made. */
  readSandbox(): SandboxFile {
    return JSON.parse(this.#read('sandbox.json'))
  }

  /** Returns the secrets that sign access tokens and encrypt sessions in this sandbox. */
  readSecrets(): { token: string; session: string } {
    const stored = JSON.parse(this.#read('secrets.json')) as Record<string, string>
    return { token: stored['TOKEN_SECRET'] ?? '', session: stored['SESSION_SECRET'] ?? '' }
  }

  /** Returns the address of its own database, or the present one of the embedded database. Throws while that does not run. */
  databaseUrl(): string {
    return this.#ownDatabaseUrl ?? this.#read('postgres.url').trim()
  }

  /** Looks into the database, over new connections each time: after a crash it is at another address. */
  async withDatabase<Value>(work: (pool: Pool) => Promise<Value>): Promise<Value> {
    const pool = createPool({ databaseUrl: this.databaseUrl(), connectionsMax: 2, applicationName: 'test' })
    try {
      return await work(pool)
    } finally {
      await pool.end()
    }
  }

  /** The process that acts as the operators. */
  simulatorPid(): number | undefined {
    const { pid } = this
    return listProcesses().find((one) => one.parent === pid && one.command.includes('simulator/main.ts'))?.pid
  }

  /** Where that process listens, and the secret that it shares with the service, which is in no file. Throws while there is none. */
  simulator(): { url: string; secret: string } {
    const pid = this.simulatorPid()
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const port = words[words.indexOf('--port') + 1]
    const secret = variables.find((one) => one.startsWith(SECRET_VARIABLE))?.slice(SECRET_VARIABLE.length)
    if (!port || !secret) throw new Error('The sandbox has no simulator')
    return { url: `http://127.0.0.1:${port}`, secret }
  }

  /** PostgreSQL's first process, and those that it started. */
  databasePids(): { postmaster: number | undefined; children: number[] } {
    const processes = listProcesses()
    const postmaster = processes.find((one) => one.command.includes(`-D ${path.join(this.folder, 'postgres')}`))?.pid
    return { postmaster, children: processes.filter((one) => one.parent === postmaster).map(({ pid }) => pid) }
  }

  /** Ends everything in order and removes the folder, unless it is to be looked at. */
  override async stop({ keepsFolder = false }: { keepsFolder?: boolean } = {}): Promise<number | null> {
    const code = await super.stop()
    for (const left of listProcesses()) if (left.command.includes(this.folder)) killAtOnce(left.pid)
    if (!keepsFolder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
    return code
  }

  #read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8')
  }
}

/** Starts a sandbox on the production build. Resolves once it is ready; throws, and keeps the folder with its log, if it does not start. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-sandbox-'))
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  const sandbox = new Sandbox(folder, options.port ?? (await freePort()), options)
  try {
    await sandbox.untilReady(options.readiness)
    // Nobody waits for the end of an undo, except in tests that set one. An earlier release, in a folder of its own, knows no such setting.
    if (!options.root)
      await sandbox.withDatabase((pool) =>
        pool.query('alter table applications alter column undo_seconds set default 0; update applications set undo_seconds = 0'),
      )
    return sandbox
  } catch (error) {
    await sandbox.stop({ keepsFolder: true })
    throw error
  }
}
