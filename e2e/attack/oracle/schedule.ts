import { readFileSync } from 'node:fs'

/** For how long a thread has computed, and has stood ready without a CPU, in ms; zeros where the kernel does not tell. */
type Schedule = { computedMs: number; queuedMs: number }

/** The kernel's scheduling figures for a process's main thread since it started. */
export function readSchedule(pid: number): Schedule {
  try {
    const [computed = '0', queued = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return { computedMs: Number(computed) / 1e6, queuedMs: Number(queued) / 1e6 }
  } catch {
    return { computedMs: 0, queuedMs: 0 }
  }
}
