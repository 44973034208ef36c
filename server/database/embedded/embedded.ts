import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  endLeftover,
  exists,
  findDataDirectory,
  ORDERLY_SHUTDOWN_MS,
  type Owner,
  reachablePlaces,
  unprivilegedUser,
} from './embedded-places.ts'

const run = promisify(execFile)

export type EmbeddedOptions = {
  /** The directory for the data. If this process is root, the data may have to be elsewhere: see `dataDirectory` of the result. */
  dataDirectory: string
  /** Extra server settings, `name: value`. */
  settings?: Record<string, string>
  /** The port of an earlier start, so that open pools find the server again. Default: a free one. */
  port?: number
  /** How long an orderly shutdown may take. Default: 6 s. */
  shutdownLimitMs?: number
}

export type EmbeddedPostgres = {
  url: string
  dataDirectory: string
  port: number
  pid: number
  /** Resolves when the server ends, for any reason. */
  ended: Promise<void>
  /** Shuts down in order: ends the sessions and writes a checkpoint. */
  stop(): Promise<void>
}

const PORT_MIN = 12_000
const PORT_MAX = 32_000
const PORT_ATTEMPTS = 1_000

/** The least and the most that PostgreSQL keeps of its data in its own memory. */
const SHARED_BUFFERS_MB = { min: 128, max: 2_048 }

/** Durable, and sized for a small machine. Everything else is PostgreSQL's default. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  shared_buffers: `${sharedBuffersMb()}MB`,
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  checkpoint_timeout: '15min',
  log_min_messages: 'fatal',
  timezone: 'UTC',
}

/**
 * Starts the PostgreSQL 18 that npm installed, on a free loopback port, with a random password that is stored next to the
 * data folder. A server that a killed process left running on the same data is stopped first. PostgreSQL refuses to run as
 * root: if this process is root, the server runs as an unprivileged user, and if that user cannot reach the folder,
 * programs and data are stored under /var/lib/countersign.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  const { native, dataDirectory } = await reachablePlaces(options.dataDirectory, owner)
  await endLeftover(dataDirectory, options.shutdownLimitMs)
  const passwordFile = path.join(dataDirectory, '..', `${path.basename(dataDirectory)}.password`)
  if (!(await exists(path.join(dataDirectory, 'PG_VERSION')))) await initialise(native, dataDirectory, passwordFile, owner)
  const password = (await readFile(passwordFile, 'utf8')).trim()
  const port = options.port ?? (await freePort())
  const child = spawnServer(native, dataDirectory, { ...SETTINGS, ...options.settings, port: String(port) }, owner)
  // biome-ignore lint/plugin/no-silent-error: A program that could not be started counts as ended; the wait below throws and says why.
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  await untilReady(url, child, logFileOf(dataDirectory))
  return { url, dataDirectory, port, pid: child.pid ?? 0, ended, stop: () => stopServer(child, ended, options.shutdownLimitMs) }
}

/** An eighth of the memory that this machine or container has, in MB. With ten million transactions most pages of a list are read from the disk's cache. */
function sharedBuffersMb(): number {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.min(SHARED_BUFFERS_MB.max, Math.max(SHARED_BUFFERS_MB.min, Math.floor(memoryBytes / 8 / 1024 / 1024)))
}

/** Stops the server that a killed process of ours left running on the data that was wanted at this place. */
export async function endLeftoverPostgres(wanted: string): Promise<void> {
  await endLeftover(await findDataDirectory(wanted))
}

async function initialise(native: string, dataDirectory: string, passwordFile: string, owner: Owner | undefined): Promise<void> {
  // A folder without PG_VERSION is left over from an interrupted initialisation.
  await rm(dataDirectory, { recursive: true, force: true })
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  await writeFile(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  if (owner) {
    await chown(dataDirectory, owner.uid, owner.gid)
    await chown(passwordFile, owner.uid, owner.gid)
  }
  const args = [
    '--pgdata',
    dataDirectory,
    '--username',
    'postgres',
    '--pwfile',
    passwordFile,
    '--auth',
    'scram-sha-256',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--no-instructions',
  ]
  await run(path.join(native, 'bin', 'initdb'), args, { ...owner, env: serverEnv(native), cwd: '/' })
}

function spawnServer(native: string, dataDirectory: string, settings: Record<string, string>, owner: Owner | undefined): ChildProcess {
  const args = ['-D', dataDirectory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const log = openSync(logFileOf(dataDirectory), 'w', 0o600)
  try {
    // In a process group of its own: Ctrl-C in a terminal must reach only this process, which then stops the server in order.
    return spawn(path.join(native, 'bin', 'postgres'), args, {
      ...owner,
      env: serverEnv(native),
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', log],
    })
  } finally {
    closeSync(log)
  }
}

function serverEnv(native: string): NodeJS.ProcessEnv {
  return { NODE_ENV: 'production', PATH: process.env['PATH'], LD_LIBRARY_PATH: path.join(native, 'lib'), LC_ALL: 'C', TZ: 'UTC' }
}

/** The server's log of errors, next to the data. Each start overwrites it. */
function logFileOf(dataDirectory: string): string {
  return `${dataDirectory}.log`
}

async function untilReady(url: string, child: ChildProcess, logFile: string): Promise<void> {
  // After a crash the server first replays its log. How long that takes depends on the load before the crash.
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 50) {
    if (child.pid === undefined)
      throw new Error('PostgreSQL could not be started: its program is missing, or the machine cannot start another process')
    if (child.signalCode !== null) throw new Error(`PostgreSQL was ended by ${child.signalCode} while starting`)
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended while starting (exit code ${child.exitCode}); see ${logFile}`)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      // Not ready yet: tried again until the time limit. A connection that was never made cannot be closed.
      // biome-ignore lint/plugin/no-silent-error: the comment above says why.
      await client.end().catch(() => undefined)
      await delay(50)
    }
  }
  throw new Error('PostgreSQL did not accept connections within two minutes')
}

async function stopServer(child: ChildProcess, ended: Promise<void>, shutdownLimitMs = ORDERLY_SHUTDOWN_MS): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
  const timeout = setTimeout(() => child.kill('SIGQUIT'), shutdownLimitMs)
  await ended
  clearTimeout(timeout)
}

/**
 * Returns a loopback port on which no program listens. It is below those that operating systems choose for outgoing connections: such a
 * connection could take it before its user listens there.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = randomInt(PORT_MIN, PORT_MAX)
    if (await canListen(port)) return port
  }
  throw new Error(`No free port between ${PORT_MIN} and ${PORT_MAX}`)
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    )
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
