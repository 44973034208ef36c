/** How many bytes of chunks may have arrived since the last collection. */
const COLLECT_AFTER_BYTES = 4 * 1024 * 1024

let uncollectedBytes = 0

/**
 * Counts the bytes of a chunk that is copied or dropped, and collects the young generation each time that 4 MB have passed. To the
 * collector a chunk of 64 KB is an object of 200 bytes: without this it waits until 64 MB of them are held outside its heap, and the
 * allocator keeps the holes that they leave. Costs a few milliseconds per 4 MB of large bodies; bodies of one chunk are not counted.
 * Does nothing in a process that was started without `--expose-gc` (`process/node-settings.mjs`).
 */
export function collectChunks(bytes: number): void {
  uncollectedBytes += bytes
  if (uncollectedBytes < COLLECT_AFTER_BYTES) return
  uncollectedBytes = 0
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}
