import { Worker } from 'node:worker_threads'
import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import { err, type Result } from '#lib/result.ts'
import type { EncodedLines } from './encode-lines.ts'
import type { BadStatementRow, ReadingWallet, StatementLine, StatementSummary } from './statement-lines.ts'

/** Lines and bad rows that were read since the last chunk. */
export type StatementChunk = { lines: EncodedLines; bad: readonly BadStatementRow[] }
/** The file to read, and the columns of the lines that are passed on. */
export type ReadingOrder = { wallet: ReadingWallet; columns: readonly (keyof StatementLine)[] }

/** A message of the thread: it wants the next piece, it has lines, or it has ended. */
export type FromThread =
  | { kind: 'more' }
  | ({ kind: 'chunk' } & StatementChunk)
  | { kind: 'end'; result: Result<StatementSummary, StatementProblem> }
/** The messages sent to it: first the order; then a piece, or none after the last; nothing for a chunk that was stored. */
export type ToThread = { order?: ReadingOrder; piece?: Uint8Array | undefined }

const MEMORY_LIMIT = { maxOldGenerationSizeMb: 80, maxYoungGenerationSizeMb: 16 }
/** A thread loads our modules as the process does (`server/process/load-stripped.mjs`), without the other flags. */
const LOADER = process.execArgv.filter((flag) => flag.startsWith('--import='))
/** Without an answer for this long the thread is ended: a million lines take seconds, and each piece is answered. */
const SILENCE_LIMIT_MS = 60_000

/** Pieces that are fetched before they are asked for: as many as fill a chunk, and the one after. */
const PIECES_AHEAD = 3

/**
 * Reads a statement in a thread of its own, which keeps the event loop free and bounds the memory. The thread reads the next chunk while `onChunk` is
 * awaited, and no further; chunks come one at a time, in their order. If it throws, the thread ends and the error is thrown. When this returns, no
 * `onChunk` is running.
 */
export async function readInThread(
  pieces: AsyncIterable<Uint8Array>,
  order: ReadingOrder,
  onChunk: (chunk: StatementChunk) => Promise<void>,
): Promise<Result<StatementSummary, StatementProblem>> {
  const worker = new Worker(new URL('./statement-thread.ts', import.meta.url), { resourceLimits: MEMORY_LIMIT, execArgv: LOADER, env: {} })
  const source = fetchAhead(pieces)
  let storing = Promise.resolve()
  try {
    for (let answer: ToThread = { order }; ; ) {
      const message = await exchange(worker, answer)
      if (message === 'too_slow' || message === 'out_of_memory') {
        return err({ kind: message === 'too_slow' ? 'too_slow' : 'unpacks_too_large' })
      }
      if (message.kind === 'more') answer = { piece: await source.next() }
      else {
        await storing
        if (message.kind === 'end') return message.result
        storing = onChunk(message)
        // biome-ignore lint/plugin/no-silent-error: the next await throws it
        storing.catch(() => undefined)
        answer = {}
      }
    }
  } finally {
    await worker.terminate()
    // A chunk that is still being stored would be written after its transaction was given up.
    await Promise.allSettled([storing, source.end()])
  }
}

/** The pieces, some of them ahead: they come through the connection on which chunks are stored, behind what it is doing. */
function fetchAhead(pieces: AsyncIterable<Uint8Array>): { next(): Promise<Uint8Array | undefined>; end(): Promise<unknown> } {
  const source = pieces[Symbol.asyncIterator]()
  const ahead: Promise<IteratorResult<Uint8Array>>[] = []
  const fetch = () => {
    const piece = source.next()
    // biome-ignore lint/plugin/no-silent-error: it is thrown when the piece is asked for
    piece.catch(() => undefined)
    ahead.push(piece)
  }
  return {
    async next() {
      while (ahead.length < PIECES_AHEAD) fetch()
      const piece = await ahead.shift()
      fetch()
      return piece?.done ? undefined : piece?.value
    },
    end: async () => source.return?.(),
  }
}

function exchange(worker: Worker, answer: ToThread): Promise<FromThread | 'too_slow' | 'out_of_memory'> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('error', onError)
      settle()
    }
    const onMessage = (message: FromThread) => end(() => resolve(message))
    const onError = (error: unknown) => {
      const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      end(() => (isMemory ? resolve('out_of_memory') : reject(error)))
    }
    const timer = setTimeout(() => end(() => resolve('too_slow')), SILENCE_LIMIT_MS)
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.postMessage(answer)
  })
}
