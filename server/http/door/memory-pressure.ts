import { memoryUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'

const MB = 1024 * 1024
/**
 * From here on the process collects its whole heap; the limit under attack is 350 MB, and a process that has served every page holds 255, in
 * peaks 300, without any attack: it must still accept large bodies. The margin is what arrives between two samples.
 */
const HIGH_BYTES = 260 * MB
const SHORT_BYTES = 320 * MB
/**
 * V8 saves memory from here until the process holds clearly less: it moves objects together on pages that are a fifth empty, and lets the heap
 * grow less. That costs time, so a process that only carries payments, which holds 240 MB at full load, never comes to it.
 */
const SAVER_BYTES = { from: 260 * MB, until: 240 * MB }
const SAMPLE_EVERY_MS = 200
/** A collection of the whole heap takes up to 100 ms: not more often than this, and more often where large bodies already wait. */
const COLLECT_EVERY_MS = 3_000
const COLLECT_SHORT_EVERY_MS = 1_000
/** Collections that change nothing become rarer, up to this pause: each takes 50 to 60 ms, also of a process that only holds what it needs. */
const COLLECT_IDLE_EVERY_MS = 300_000
/** The share of the time that collections may take: a large heap on a slow machine takes most of a second, in which nothing else runs. */
const COLLECT_SHARE_MAX = 0.05
/** Memory that a process holds for this long at least is needed: it is short of memory only above that by the margin. */
const REST_AFTER_MS = 300_000
const REST_MARGIN_BYTES = 20 * MB
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
  /** Makes V8 save memory at the cost of time, or no longer. */
  setSaver?(isOn: boolean): void
  nowMs?(): number
  sampleEveryMs?: number
}

/**
 * Watches the memory of the process. The memory that attacks hold is bounded part by part (bodies, connections, queues), but the heap and
 * the allocator keep what several of them used one after the other. Above 260 MB the heap is collected as long as that or anything else changes
 * what the process holds, which returns unused pages to the system; above 320 MB, until memory is free again, it is collected each second and no body beyond 64 KB is accepted (503), unless the process has held as much for minutes: then it needs that, and would refuse large bodies for good. A process that
 * cannot collect (started without the flags of `process/node-settings.mjs`) is never short: it would refuse bodies for good.
 */
export function watchMemoryPressure(options: MemoryPressureOptions = {}): MemoryPressure {
  const readRss = options.readRss ?? (() => memoryUsage.rss())
  const collect = options.collect ?? collectHeap()
  const setSaver = options.setSaver ?? ((isOn: boolean) => setFlagsFromString(isOn ? '--memory-saver-mode' : '--no-memory-saver-mode'))
  const nowMs = options.nowMs ?? (() => performance.now())
  const rest = createLowest(nowMs)
  let rss = 0
  let isShort = false
  let isSaving = false
  let durationMs = 0
  let isCollecting = false
  let collectedMs = Number.NEGATIVE_INFINITY
  let collectedRss = 0
  let pauseMs = COLLECT_EVERY_MS
  const timer = setInterval(() => {
    rss = readRss()
    if (isSaving ? rss < SAVER_BYTES.until : rss >= SAVER_BYTES.from) {
      isSaving = !isSaving
      setSaver(isSaving)
    }
    isShort = rss >= Math.max(SHORT_BYTES, rest.add(rss) + REST_MARGIN_BYTES)
    const isUnchanged = Math.abs(rss - collectedRss) < CHANGE_BYTES
    if (!isUnchanged) pauseMs = COLLECT_EVERY_MS
    const waitMs = Math.max(isShort ? COLLECT_SHORT_EVERY_MS : pauseMs, durationMs / COLLECT_SHARE_MAX)
    if (!collect || rss < HIGH_BYTES || isCollecting || nowMs() - collectedMs < waitMs) return
    if (isUnchanged) pauseMs = Math.min(COLLECT_IDLE_EVERY_MS, pauseMs * 2)
    collectedMs = nowMs()
    collectedRss = rss
    const end = () => {
      durationMs = nowMs() - collectedMs
      isCollecting = false
    }
    const collecting = collect()
    if (!(collecting instanceof Promise)) return end()
    isCollecting = true
    void collecting.then(end)
  }, options.sampleEveryMs ?? SAMPLE_EVERY_MS)
  timer.unref()
  return { isShort: () => collect !== undefined && isShort, stop: () => clearInterval(timer) }
}

/** Returns the lowest of what was added in the last five to ten minutes; 0 before the first five have passed. */
function createLowest(nowMs: () => number): { add(bytes: number): number } {
  let [startedMs, before, lowest] = [nowMs(), 0, Number.POSITIVE_INFINITY]
  return {
    add(bytes) {
      if (nowMs() - startedMs >= REST_AFTER_MS) [startedMs, before, lowest] = [nowMs(), lowest, bytes]
      lowest = Math.min(lowest, bytes)
      return Math.min(before, lowest)
    },
  }
}

function collectHeap(): (() => unknown) | undefined {
  const { gc } = globalThis
  return gc && (() => gc({ type: 'major', execution: 'async' }))
}
