/** A file that is made while it is read. It must be read to its end or given back with `return()`. */
export type FilePieces = AsyncGenerator<Buffer, void, undefined>

export type FileLimits = {
  /** How long the reader may leave a piece untaken. */
  stallMs: number
  /** How long the whole file may take. */
  durationMs: number
}

export const FILE_LIMITS: FileLimits = { stallMs: 60_000, durationMs: 30 * 60_000 }

/** Thrown to a reader that was too slow: the transfer breaks off, so that the part it has never looks like the whole file. */
export class FileExpiredError extends Error {
  override readonly name = 'FileExpiredError'
}

/** What is in a buffer of the connection while its reader does nothing. */
const PIECE_BYTES_MAX = 64 * 1024

/**
 * Runs `end` exactly once: when the last piece was taken, when a piece could not be made, when nobody wants the rest, and when the
 * reader is slower than the limits. After that no further piece is made, whatever `end` has released.
 */
export function guardFile(source: FilePieces, end: () => Promise<void>, limits: FileLimits = FILE_LIMITS): FilePieces {
  let expired: FileExpiredError | undefined
  let ending: Promise<void> | undefined
  let ready: Buffer = Buffer.alloc(0)
  let stallTimer: NodeJS.Timeout | undefined
  const durationTimer = setTimeout(() => expire(`The file was not read within ${limits.durationMs / 60_000} minutes.`), limits.durationMs)
  durationTimer.unref()

  function finish(): Promise<void> {
    clearTimeout(stallTimer)
    clearTimeout(durationTimer)
    ready = Buffer.alloc(0)
    ending ??= end()
    return ending
  }

  function expire(message: string): void {
    expired ??= new FileExpiredError(message)
    // Whoever reads on gets the error; that the release failed is in no reader's interest.
    finish().catch(() => undefined)
  }

  async function nextStep(): Promise<IteratorResult<Buffer, void>> {
    if (ready.length === 0) {
      const step = await source.next()
      if (step.done) return step
      ready = step.value
    }
    const piece = ready.subarray(0, PIECE_BYTES_MAX)
    ready = ready.subarray(PIECE_BYTES_MAX)
    return { done: false, value: piece }
  }

  return {
    async next() {
      clearTimeout(stallTimer)
      try {
        if (expired) throw expired
        const step = await nextStep()
        if (expired) throw expired
        if (step.done) await finish()
        else {
          stallTimer = setTimeout(() => expire(`No part of the file was read for ${limits.stallMs / 1_000} s.`), limits.stallMs)
          stallTimer.unref()
        }
        return step
      } catch (error) {
        await finish()
        throw error
      }
    },
    async return() {
      await source.return()
      await finish()
      return { done: true, value: undefined }
    },
    async throw(error: unknown) {
      await finish()
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
