// Plain JavaScript, like the test program that uses it.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'countersign-tests-'
/** A whole run needs a third of it, beside browsers that need as much. */
const FREE_MIN_BYTES = 3 * 1024 ** 3
const LEFTOVER_AGE_MS = 3_600_000

/**
 * Makes a folder in memory for everything that the tests write, names it in TMPDIR, and removes it when this process ends. A database is
 * more than 400 files, and where as many were removed in the last seconds, ext4 takes up to half a second of CPU time to create them. Does
 * nothing where TMPDIR is set already, where there is no such file system, or where memory is short.
 */
export function moveToMemory() {
  if (process.env.TMPDIR || !isMemoryFree()) return
  removeLeftovers()
  const folder = mkdtempSync(path.join(MEMORY, `${PREFIX}${process.pid}-`))
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  process.once('exit', () => remove(folder))
}

function isMemoryFree() {
  try {
    // Some containers forbid programs there, and some tests write programs.
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY)
    if (!mount?.includes(' tmpfs ') || /\bnoexec\b/.test(mount)) return false
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= FREE_MIN_BYTES
  } catch {
    // Not Linux.
    return false
  }
}

/**
 * Removes the leftovers of a killed run: they would take up memory until the machine is restarted. The age protects the run of another
 * container that shares this memory and not the numbers of processes.
 */
function removeLeftovers() {
  for (const name of readdirSync(MEMORY)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    const folder = path.join(MEMORY, name)
    if (pid && !isRunning(Number(pid)) && ageMs(folder) > LEFTOVER_AGE_MS) remove(folder)
  }
}

function ageMs(folder) {
  // Another run may remove it at this moment.
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats ? Date.now() - stats.mtimeMs : 0
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // Another user's, or a process that ends just now still writes there: a later run removes it.
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
