import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { median, percentile } from '#e2e/bench/figures.ts'

type FlushPrice = { p50Ms: number; p99Ms: number }

/**
 * Measures the cost of making 8 KB durable in a folder as pg_test_fsync does: overwrite one block, fdatasync.
 * `seconds` bounds the time that it takes.
 */
export function measureFlushPrice(folder: string, seconds: number): FlushPrice {
  const file = path.join(folder, 'flush-price')
  const block = Buffer.alloc(8_192, 1)
  const handle = openSync(file, 'w')
  const timesMs: number[] = []
  try {
    writeSync(handle, Buffer.alloc(16 * 1024 * 1024))
    fdatasyncSync(handle)
    const endMs = performance.now() + seconds * 1_000
    while (performance.now() < endMs) {
      const startedMs = performance.now()
      writeSync(handle, block, 0, block.length, 0)
      fdatasyncSync(handle)
      timesMs.push(performance.now() - startedMs)
    }
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
  return { p50Ms: median(timesMs), p99Ms: percentile(timesMs, 99) }
}
