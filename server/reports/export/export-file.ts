import { processWide } from '#server/process-wide.ts'

/** A file that is made while it is read. It must be read to its end or closed with `return()`. */
export type FilePieces = AsyncGenerator<Buffer, void, undefined>

export type FileLimits = {
  /** How long the reader may take to read a piece. */
  stallMs: number
  /** How long the whole file may take. */
  durationMs: number
}

const FILE_LIMITS: FileLimits = { stallMs: 60_000, durationMs: 30 * 60_000 }

/** Thrown to a reader that was too slow: the transfer is aborted, so that the part it has never looks like the whole file. */
export class FileExpiredError extends Error {
  override readonly name = 'FileExpiredError'
}

/** How much is in a buffer of the connection while its reader is idle. */
const PIECE_BYTES_MAX = 64 * 1024

/**
 * Runs `end` exactly once: when the last piece was read, when a piece could not be made, when the reader stops early, and when the
 * reader is slower than the limits. After that no further piece is made, even if `end` has released some.
 */
export function guardFile(source: FilePieces, end: () => Promise<void>, limits: FileLimits = FILE_LIMITS): FilePieces {
  const pieces = inSmallPieces(source)
  const expiry = createExpiry(async () => {
    pieces.discard()
    await end()
  }, limits)
  return {
    async next() {
      expiry.stopStall()
      try {
        expiry.throwIfExpired()
        const step = await pieces.next()
        expiry.throwIfExpired()
        if (step.done) await expiry.finish()
        else expiry.startStall()
        return step
      } catch (error) {
        await expiry.finish()
        throw error
      }
    },
    async return() {
      await source.return()
      await expiry.finish()
      return { done: true, value: undefined }
    },
    async throw(error: unknown) {
      await expiry.finish()
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return()
    },
  }
}

/** Both time limits of a file. `finish` runs `end` once, however often it is called. */
function createExpiry(end: () => Promise<void>, limits: FileLimits) {
  let expired: FileExpiredError | undefined
  let ending: Promise<void> | undefined
  let stallTimer: NodeJS.Timeout | undefined
  const durationTimer = setTimeout(() => expire(`The file was not read within ${limits.durationMs / 60_000} minutes.`), limits.durationMs)
  durationTimer.unref()

  function finish(): Promise<void> {
    clearTimeout(stallTimer)
    clearTimeout(durationTimer)
    ending ??= end()
    return ending
  }

  function expire(message: string): void {
    expired ??= new FileExpiredError(message)
    // biome-ignore lint/plugin/no-silent-error: the reader gets the error with its next piece; a failed release does not concern it.
    finish().catch(() => undefined)
  }

  return {
    finish,
    throwIfExpired() {
      if (expired) throw expired
    },
    startStall() {
      stallTimer = setTimeout(() => expire(`No part of the file was read for ${limits.stallMs / 1_000} s.`), limits.stallMs)
      stallTimer.unref()
    },
    stopStall: () => clearTimeout(stallTimer),
  }
}

/** The pieces of a file, cut to PIECE_BYTES_MAX. `discard` frees what was made and not read. */
function inSmallPieces(source: FilePieces) {
  let ready: Buffer = Buffer.alloc(0)
  return {
    async next(): Promise<IteratorResult<Buffer, void>> {
      if (ready.length === 0) {
        const step = await source.next()
        if (step.done) return step
        ready = step.value
      }
      const piece = ready.subarray(0, PIECE_BYTES_MAX)
      ready = ready.subarray(PIECE_BYTES_MAX)
      return { done: false, value: piece }
    },
    discard() {
      ready = Buffer.alloc(0)
    },
  }
}

/** One of the exports that may be in progress. */
type ExportSlot = {
  /** Frees the slot; a second call has no effect. */
  release(): void
}

/** Each export holds a connection and a view of the database for as long as the browser takes to read. */
const SLOTS_MAX = 4
const SLOTS_PER_APPLICATION = 2
/** Of the connections for reports; the others are for pages. */
const SHARE_OF_CONNECTIONS = 2 / 3

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** The exports in progress, by application. */
    exportCounts: Map<string, number>
  }
}

/**
 * Takes a slot for an export of an application; undefined when it has two in progress or the process has as many as it may. One
 * application's readers, however slow, therefore always leave slots to the others.
 * @param connectionsMax How many connections the pool has that the export reads from.
 */
export function takeExportSlot(applicationId: string, connectionsMax: number): ExportSlot | undefined {
  const counts = processWide('exportCounts', () => new Map())
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const own = counts.get(applicationId) ?? 0
  const slots = Math.max(1, Math.min(SLOTS_MAX, Math.floor(connectionsMax * SHARE_OF_CONNECTIONS)))
  if (all >= slots || own >= Math.max(1, Math.min(SLOTS_PER_APPLICATION, slots - 1))) return undefined
  counts.set(applicationId, own + 1)
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      const left = (counts.get(applicationId) ?? 1) - 1
      if (left === 0) counts.delete(applicationId)
      else counts.set(applicationId, left)
    },
  }
}
