import { setTimeout as delay } from 'node:timers/promises'
import { type ChildWatch, watchChildren } from '#e2e/attack/oracle/watch-children.ts'
import { BLOCKED_LIMIT_MS, blockedMs, type LoopWatch, watchLoop } from '#e2e/attack/oracle/watch-loop.ts'
import { MEMORY_LIMIT_MB, type MemoryWatch, watchMemory } from '#e2e/attack/oracle/watch-memory.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { type Record_, suspectsAt } from './assault.ts'
import type { Finding } from './findings.ts'

/** Memory taken in an attack must be released within this time. */
const REST_MS_MAX = 30_000
/** A restarted process loads its pages from disk, which blocks the loop. The exit is the finding, not this. */
const COLD_MS = 20_000
const NUMBERS_MAX = 20

export type Watches = Awaited<ReturnType<typeof startWatches>>

/** Watches the event loop, the memory and the children of the service until `stop`. */
export async function startWatches(service: Sandbox) {
  const loop = await watchLoop({ host: service.host, port: service.port, path: '/health/live', pid: service.pid ?? 0 })
  service.onStart = (pid) => loop.follow(pid)
  const memory = watchMemory(() => service.pid)
  const children = watchChildren(() => service.pid)
  async function stop(): Promise<void> {
    memory.stop()
    children.stop()
    await loop.stop()
  }
  return { loop, memory, children, stop }
}

/** Waits until no process holds more than the limit, and at least one interval of the memory watch. */
export async function untilAtRest(memory: MemoryWatch): Promise<void> {
  const endsAtMs = performance.now() + REST_MS_MAX
  do await delay(1_000)
  while (memory.latest.megabytes > MEMORY_LIMIT_MB && performance.now() < endsAtMs)
}

/** The exits of processes, the times at which the event loop was blocked, and the memory above its limit. */
export function watchFindings(service: Sandbox, { loop, memory, children }: Watches, record: Record_): Finding[] {
  return [...exitFindings(service, children, record), ...loopFindings(service, loop, record), ...memoryFindings(memory, record)]
}

function exitFindings(service: Sandbox, { lost }: ChildWatch, record: Record_): Finding[] {
  const exits: Finding[] = service.exits.map(({ atMs, code, signal }) => ({
    rule: 'process',
    what: `the process ended (${signal ?? `exit code ${code}`}); ${service.logFile} may say why`,
    ...suspects(record, atMs - 200, 200),
  }))
  const ended: Finding[] = lost.map(({ atMs, command }) => ({
    rule: 'process',
    what: `a process that the service had started ended: ${command}`,
    ...suspects(record, atMs - 700, 700),
  }))
  return [...exits, ...ended]
}

function loopFindings(service: Sandbox, loop: LoopWatch, record: Record_): Finding[] {
  const isCold = (atMs: number) => service.exits.some((exit) => atMs >= exit.atMs && atMs < exit.atMs + COLD_MS)
  return loop.slow
    .filter((probe) => blockedMs(probe) > BLOCKED_LIMIT_MS && !isCold(probe.atMs))
    .map((probe) => ({
      rule: 'loop',
      what: `blocked for ${Math.round(blockedMs(probe))} ms (answer after ${Math.round(probe.latencyMs)}, control ${Math.round(probe.controlMs)}, without a CPU ${Math.round(probe.starvedMs)}, computing ${Math.round(probe.computedMs)})`,
      ...suspects(record, probe.atMs, probe.latencyMs),
    }))
}

function memoryFindings(memory: MemoryWatch, record: Record_): Finding[] {
  const findings: Finding[] = memory.excesses.map(({ atMs, megabytes, pid }) => ({
    rule: 'memory',
    what: `process ${pid} held ${Math.round(megabytes)} MB`,
    ...suspects(record, atMs - 500, 500),
  }))
  if (memory.latest.megabytes > MEMORY_LIMIT_MB)
    findings.push({
      rule: 'memory',
      what: `it still holds ${Math.round(memory.latest.megabytes)} MB, ${REST_MS_MAX / 1_000} s after the last attack`,
      numbers: [],
      kind: 'afterwards',
    })
  return findings
}

function suspects(record: Record_, atMs: number, durationMs: number): { numbers: number[]; kind: string } {
  const spans = suspectsAt(record, atMs, durationMs)
  return { numbers: spans.slice(0, NUMBERS_MAX).flatMap((span) => span.number ?? []), kind: spans[0]?.kind ?? 'between the requests' }
}
