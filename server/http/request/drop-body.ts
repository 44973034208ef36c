import type { IncomingMessage } from 'node:http'
import { collectChunks } from './collect-chunks.ts'

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
