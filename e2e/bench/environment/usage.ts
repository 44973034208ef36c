import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const TICKS_PER_SECOND = 100

/** Resident memory of a process in megabytes, as the system counts it. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
}

const MEMORY_EVERY_MS = 100

/** Watches the resident memory of a process. `stop` returns the most that it was, in megabytes. */
export function startMemoryWatch(pid: number): { stop(): Promise<number> } {
  const ending = new AbortController()
  async function watch(): Promise<number> {
    let mostMb = 0
    while (!ending.signal.aborted) {
      mostMb = Math.max(mostMb, await residentMb(pid))
      await delay(MEMORY_EVERY_MS)
    }
    return mostMb
  }
  const watching = watch()
  return {
    stop() {
      ending.abort()
      return watching
    },
  }
}

/** CPU seconds that were used since `start`: by the server, by PostgreSQL with all its processes, and by the whole machine. */
type CpuUse = { server: number; postgres: number; machine: number }
/** In cores, averaged over `seconds`. */
export type MeasuredCpu = CpuUse & { seconds: number }

/** Starts counting. `stop` returns what was used since, in cores. */
export async function startCpuCount(serverPid: number, postmasterPid: number): Promise<{ stop(): Promise<MeasuredCpu> }> {
  const before = await readCpu(serverPid, postmasterPid)
  const startedMs = performance.now()
  return {
    async stop() {
      const after = await readCpu(serverPid, postmasterPid)
      const seconds = (performance.now() - startedMs) / 1_000
      return {
        server: (after.server - before.server) / seconds,
        postgres: (after.postgres - before.postgres) / seconds,
        machine: (after.machine - before.machine) / seconds,
        seconds,
      }
    },
  }
}

async function readCpu(serverPid: number, postmasterPid: number): Promise<CpuUse> {
  const [server, postgres, machine] = await Promise.all([cpuOf(serverPid), cpuOfFamily(postmasterPid), cpuOfMachine()])
  return { server, postgres, machine }
}

async function cpuOf(pid: number): Promise<number> {
  return (await readStat(pid))?.cpu ?? 0
}

async function cpuOfFamily(parent: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = await Promise.all(pids.map(readStat))
  // A process that has ended is counted by its parent.
  return stats.reduce((sum, stat) => sum + (stat?.parent === parent ? stat.cpu : 0), (await readStat(parent))?.cpuWithEnded ?? 0)
}

/** Microseconds of CPU by group; the time that the machine was busy is in cores. */
export type GroupUse = { us: Record<string, number>; seconds: number; machine: number }

/** Starts counting what groups of processes use, with all that they started. `stop` returns it. */
export async function startGroupCount(groups: Record<string, number[]>): Promise<{ stop(): Promise<GroupUse> }> {
  const startedMs = performance.now()
  const before = await readGroups(groups)
  return {
    async stop() {
      const after = await readGroups(groups)
      const seconds = (performance.now() - startedMs) / 1_000
      const us = Object.fromEntries(Object.keys(groups).map((name) => [name, ((after.cpu[name] ?? 0) - (before.cpu[name] ?? 0)) * 1e6]))
      return { us, seconds, machine: (after.machine - before.machine) / seconds }
    },
  }
}

async function readGroups(groups: Record<string, number[]>): Promise<{ cpu: Record<string, number>; machine: number }> {
  const sums = await Promise.all(
    Object.entries(groups).map(async ([name, pids]) => {
      const each = await Promise.all(pids.map(cpuOfDescendants))
      return [name, each.reduce((sum, cpu) => sum + cpu, 0)] as const
    }),
  )
  return { cpu: Object.fromEntries(sums), machine: await cpuOfMachine() }
}

/** Starts counting what programs outside this run use of the CPU. `stop` returns it, in cores. */
export async function startCountOfOthers(): Promise<{ stop(): Promise<number> }> {
  const startedMs = performance.now()
  const before = (await cpuOfMachine()) - (await cpuOfDescendants(process.pid))
  return {
    async stop() {
      const after = (await cpuOfMachine()) - (await cpuOfDescendants(process.pid))
      return Math.max(0, (after - before) / ((performance.now() - startedMs) / 1_000))
    },
  }
}

/** A process and all below it, those that have ended included. */
async function cpuOfDescendants(root: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = new Map(
    (await Promise.all(pids.map(async (pid) => [pid, await readStat(pid)] as const))).filter(([, stat]) => stat !== undefined),
  )
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = stats.get(at)?.parent) if (at === root) return true
    return false
  }
  return [...stats].reduce((sum, [pid, stat]) => sum + (isBelow(pid) ? (stat?.cpuWithEnded ?? 0) : 0), 0)
}

async function readStat(pid: number): Promise<{ parent: number; cpu: number; cpuWithEnded: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const seconds = (from: number, to: number) => fields.slice(from, to).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND
  return { parent: Number(fields[1]), cpu: seconds(11, 13), cpuWithEnded: seconds(11, 15) }
}

/** Everything but idling and waiting for the disk. */
async function cpuOfMachine(): Promise<number> {
  const line = (await readFile('/proc/stat', 'utf8')).split('\n', 1)[0] ?? ''
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line.split(/\s+/).slice(1).map(Number)
  return (user + nice + system + irq + softIrq + stolen) / TICKS_PER_SECOND
}
