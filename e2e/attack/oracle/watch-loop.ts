import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ProbeMessage, SlowProbe } from './probe-process.ts'

/** An event loop may not be blocked for longer. */
export const BLOCKED_LIMIT_MS = 250
const PROBE_EVERY_MS = 20

/** The part of a slow answer that only a blocked event loop explains. */
export function blockedMs({ latencyMs, controlMs, starvedMs }: SlowProbe): number {
  return latencyMs - Math.max(controlMs, starvedMs)
}

export type LoopWatch = {
  /** Every answer that took longer than a tenth of a second. */
  slow: readonly SlowProbe[]
  probes(): number
  /** The measured process was replaced by another one. */
  follow(pid: number): void
  stop(): Promise<void>
}

/**
 * Asks `path` of the measured process every 20 ms from a process of its own, so that neither the load on this process nor that on
 * the machine is taken for a blocked loop: a control server is asked at the same time, and the kernel tells who lacked a CPU.
 */
export async function watchLoop(place: { host: string; port: number; path: string; pid: number }): Promise<LoopWatch> {
  const control = start('./control-process.ts', [])
  const [{ port }] = (await once(control, 'message')) as [{ port: number }]
  const prober = start('./probe-process.ts', [place.host, place.port, place.path, PROBE_EVERY_MS, place.pid, port].map(String))
  const slow: SlowProbe[] = []
  let probes = 0
  prober.on('message', (message: ProbeMessage) => {
    if (message.kind === 'slow') slow.push(message.probe)
    else probes = message.probes
  })
  return {
    slow,
    probes: () => probes,
    follow: (pid) => void prober.send({ pid }),
    async stop() {
      for (const child of [prober, control]) {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      }
    },
  }
}

function start(file: string, args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}
