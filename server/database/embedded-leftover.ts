import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

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
