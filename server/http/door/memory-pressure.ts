import { memoryUsage } from 'node:process'

const MB = 1024 * 1024
/** From here on the process collects its whole heap; the limit under attack is 400 MB, and a busy service holds 280. */
const HIGH_BYTES = 330 * MB
const SHORT_BYTES = 360 * MB
const SAMPLE_EVERY_MS = 200
/** A collection of the whole heap takes up to 100 ms: not more often than this. */
const COLLECT_EVERY_MS = 3_000

type MemoryPressure = {
  /** Whether large bodies must wait: what the process holds is close to its limit. */
  isShort(): boolean
  stop(): void
}

type MemoryPressureOptions = {
  /** Returns the resident memory of the process in bytes. */
  readRss?(): number
  /** Collects the whole heap; returns nothing when the process was started without `--expose-gc`. */
  collect?(): void
  nowMs?(): number
  sampleEveryMs?: number
}

/**
 * Watches the memory of the process. What attacks hold is bounded part by part (bodies, connections, queues), but the heap and the
 * allocator keep what several of them used one after the other. Above 330 MB the heap is collected, which returns unused pages to the
 * system; above 360 MB no body beyond 64 KB is accepted until memory is free again (503).
 */
export function watchMemoryPressure(options: MemoryPressureOptions = {}): MemoryPressure {
  const readRss = options.readRss ?? (() => memoryUsage.rss())
  const collect = options.collect ?? (() => globalThis.gc?.({ type: 'major', execution: 'async' }))
  const nowMs = options.nowMs ?? (() => performance.now())
  let rss = 0
  let collectedMs = Number.NEGATIVE_INFINITY
  const timer = setInterval(() => {
    rss = readRss()
    if (rss < HIGH_BYTES || nowMs() - collectedMs < COLLECT_EVERY_MS) return
    collectedMs = nowMs()
    void collect()
  }, options.sampleEveryMs ?? SAMPLE_EVERY_MS)
  timer.unref()
  return { isShort: () => rss >= SHORT_BYTES, stop: () => clearInterval(timer) }
}
