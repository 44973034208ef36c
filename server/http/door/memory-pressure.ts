import { memoryUsage } from 'node:process'

const MB = 1024 * 1024
/**
 * From here on the process collects its whole heap; the limit under attack is 350 MB, and a process that has served every page holds 310. The
 * margin is what arrives between two samples.
 */
const HIGH_BYTES = 260 * MB
const SHORT_BYTES = 330 * MB
const SAMPLE_EVERY_MS = 200
/** A collection of the whole heap takes up to 100 ms: not more often than this, and more often where large bodies already wait. */
const COLLECT_EVERY_MS = 3_000
const COLLECT_SHORT_EVERY_MS = 1_000
/** Collections that change nothing become rarer, up to this pause: each takes 50 to 60 ms, also of a process that only holds what it needs. */
const COLLECT_IDLE_EVERY_MS = 300_000
/** Between two samples of a process at rest the memory differs by less. */
const CHANGE_BYTES = 8 * MB

type MemoryPressure = {
  /** Whether large bodies must wait: what the process holds is close to its limit. */
  isShort(): boolean
  stop(): void
}

type MemoryPressureOptions = {
  /** Returns the resident memory of the process in bytes. */
  readRss?(): number
  /** Collects the whole heap. */
  collect?(): unknown
  nowMs?(): number
  sampleEveryMs?: number
}

/**
 * Watches the memory of the process. The memory that attacks hold is bounded part by part (bodies, connections, queues), but the heap and
 * the allocator keep what several of them used one after the other. Above 260 MB the heap is collected as long as that or anything else changes
 * what the process holds, which returns unused pages to the system; above 330 MB, until memory is free again, it is collected each second and no body beyond 64 KB is accepted (503). A process that
 * cannot collect (started without the flags of `process/node-settings.mjs`) is never short: it would refuse bodies for good.
 */
export function watchMemoryPressure(options: MemoryPressureOptions = {}): MemoryPressure {
  const readRss = options.readRss ?? (() => memoryUsage.rss())
  const collect = options.collect ?? collectHeap()
  const nowMs = options.nowMs ?? (() => performance.now())
  let rss = 0
  let collectedMs = Number.NEGATIVE_INFINITY
  let collectedRss = 0
  let pauseMs = COLLECT_EVERY_MS
  const timer = setInterval(() => {
    rss = readRss()
    const isUnchanged = Math.abs(rss - collectedRss) < CHANGE_BYTES
    if (!isUnchanged) pauseMs = COLLECT_EVERY_MS
    if (!collect || rss < HIGH_BYTES || nowMs() - collectedMs < (rss < SHORT_BYTES ? pauseMs : COLLECT_SHORT_EVERY_MS)) return
    if (isUnchanged) pauseMs = Math.min(COLLECT_IDLE_EVERY_MS, pauseMs * 2)
    collectedMs = nowMs()
    collectedRss = rss
    void collect()
  }, options.sampleEveryMs ?? SAMPLE_EVERY_MS)
  timer.unref()
  return { isShort: () => collect !== undefined && rss >= SHORT_BYTES, stop: () => clearInterval(timer) }
}

function collectHeap(): (() => unknown) | undefined {
  const { gc } = globalThis
  return gc && (() => gc({ type: 'major', execution: 'async' }))
}
