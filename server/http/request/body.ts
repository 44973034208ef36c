import type { IncomingMessage } from 'node:http'
import { err, ok, type Result } from '#lib/result.ts'
import type { BodyProblem } from './api-request.ts'
import type { BodyHold } from './body-budget.ts'
import type { Connection } from './connection.ts'

type BodyOrder = {
  bytesMax: number
  /** The maximum time until the body is complete. */
  timeoutMs: number
  hold: BodyHold
  connection: Connection
}

const CAPACITY_MIN = 4_096
const NO_BYTES: Buffer = Buffer.alloc(0)

/**
 * Reads a body into memory. As soon as it cannot be read completely, the result says why, the memory is freed, and the rest of the body is
 * dropped. The caller releases the hold when the bytes are no longer needed.
 */
export function readBody(
  incoming: IncomingMessage,
  { bytesMax, timeoutMs, hold, connection }: BodyOrder,
): Promise<Result<Uint8Array, BodyProblem>> {
  if (!announcesBody(incoming)) return Promise.resolve(ok(NO_BYTES))
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve(err('too_large'))
  if (connection.isBroken && !incoming.complete) return Promise.resolve(err('malformed'))
  return new Promise((resolve) => {
    // Nearly every body is one chunk, which is used directly. Several are copied into one growing buffer, because chunks of one byte, kept
    // separately, would take two hundred times their size.
    let bytes = 0
    let content = NO_BYTES
    /** The memory of that buffer, if there is one. */
    let grown: ArrayBuffer | undefined
    let isOver = false
    const timer = setTimeout(() => finish(err('too_slow')), timeoutMs)
    // An error after the last byte of this body is not an error in it.
    connection.failBody = (problem) => (incoming.complete ? undefined : finish(err(problem)))
    incoming.on('data', (chunk: Buffer) => {
      if (isOver) return collectChunks(chunk.length)
      const total = bytes + chunk.length
      if (total > bytesMax) return finish(err('too_large'))
      const capacity = capacityFor(total, bytes, content.length, bytesMax)
      if (!hold.raiseTo(capacity)) return finish(err('no_room'))
      if (bytes === 0) content = chunk
      else {
        if (grown === undefined || capacity > grown.byteLength) {
          grown = grown?.transfer(capacity) ?? copyOf(content, capacity)
          content = Buffer.from(grown)
        }
        chunk.copy(content, bytes)
        collectChunks(chunk.length)
      }
      bytes = total
    })
    incoming.once('end', () => finish(ok(content.subarray(0, bytes))))
    incoming.once('close', () => finish(err('aborted')))
    // biome-ignore lint/plugin/no-silent-error: The client broke the connection off.
    incoming.once('error', () => finish(err('aborted')))

    function finish(result: Result<Uint8Array, BodyProblem>): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      connection.failBody = undefined
      content = NO_BYTES
      if (!result.ok) {
        grown?.transfer(0)
        hold.release()
      }
      resolve(result)
    }
  })
}

/** Returns true if the headers announce a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function capacityFor(total: number, before: number, capacity: number, bytesMax: number): number {
  if (before === 0 || total <= capacity) return Math.max(total, capacity)
  return Math.min(Math.max(total, capacity * 2, CAPACITY_MIN), bytesMax)
}

/**
 * Copies the first chunk into memory that grows by `transfer`, which frees the old memory at once. A body that arrives slowly outlives young
 * collections, and what it has outgrown would be held, uncounted, until the next collection of the whole heap.
 */
function copyOf(chunk: Buffer, capacity: number): ArrayBuffer {
  const memory = new ArrayBuffer(capacity)
  chunk.copy(Buffer.from(memory))
  return memory
}

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

/**
 * How much of all unwanted bodies is read in one slice of time: 50 MB/s. Each packet is garbage of 64 KB, and collecting more of it at once
 * is memory.
 */
const SLICE_MS = 10
const SLICE_BYTES_MAX = 512 * 1024
/** A connection that reads on takes at least one packet of 64 KB. */
const RESUMED_MAX = SLICE_BYTES_MAX / (64 * 1024)

let sliceBytes = 0
let isSliceOpen = false
const paused: IncomingMessage[] = []

/**
 * Takes an unwanted body off the wire and drops it; calls `onTooMuch` beyond `bytesMax`. All such bodies of the process share one
 * rate: without it a few hundred clients that send what they are refused would occupy the event loop.
 */
export function dropBody(incoming: IncomingMessage, bytesMax: number, onTooMuch: () => void): void {
  let bytes = 0
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) return onTooMuch()
    sliceBytes += chunk.length
    collectChunks(chunk.length)
    if (!isSliceOpen) openSlice()
    if (sliceBytes <= SLICE_BYTES_MAX) return
    incoming.pause()
    paused.push(incoming)
  })
  incoming.resume()
}

function openSlice(): void {
  isSliceOpen = true
  setTimeout(closeSlice, SLICE_MS)
}

function closeSlice(): void {
  isSliceOpen = false
  sliceBytes = 0
  for (const incoming of paused.splice(0, RESUMED_MAX)) incoming.resume()
  if (paused.length > 0) openSlice()
}
