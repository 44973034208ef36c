// When a crashed process is restarted: plain JavaScript, because the launcher runs it on the machine's own Node 20.
import { constants } from 'node:os'

/** The exit code of a process that ended because of a bug (EX_SOFTWARE). 1 is a start that was refused with a message. */
export const CRASH_EXIT_CODE = 70

const CRASHES_MAX = 3
const WINDOW_MS = 60_000
const FIRST_PAUSE_MS = 500
const LAST_PAUSE_MS = 30_000
/** A crash this long ago no longer lengthens the pause. */
const MEMORY_MS = 10 * 60_000
/** Signals that request the end of a process which does not handle them yet. */
const ASKED_TO_END = ['SIGTERM', 'SIGINT', 'SIGHUP']

/** True for an unrequested end after which a restart may help; a refused start (exit code 1) would be refused again. */
export function isCrash(code, signal) {
  return signal ? !ASKED_TO_END.includes(signal) : code !== 0 && code !== 1
}

/** Returns the exit code for the supervisor: the process's own, or 128 and the number of the signal, as a shell reports it. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0)
}

/** For people: `signal SIGSEGV`, `exit code 70`. */
export function describeEnd(code, signal) {
  return signal ? `signal ${signal}` : `exit code ${code}`
}

/**
 * Counts the crashes of one process. `note` is told of each and returns how many ms to wait before the restart, or
 * undefined after the third within a minute: then a restart would not help.
 */
export function createCrashPolicy({ now = () => performance.now(), windowMs = WINDOW_MS } = {}) {
  const crashesAtMs = []
  return {
    note() {
      const atMs = now()
      crashesAtMs.push(atMs)
      if (crashesAtMs.filter((one) => one > atMs - windowMs).length >= CRASHES_MAX) return undefined
      const remembered = crashesAtMs.filter((one) => one > atMs - MEMORY_MS)
      crashesAtMs.splice(0, crashesAtMs.length, ...remembered)
      return Math.min(FIRST_PAUSE_MS * 4 ** (remembered.length - 1), LAST_PAUSE_MS)
    },
  }
}
