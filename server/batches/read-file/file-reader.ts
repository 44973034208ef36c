import { Worker } from 'node:worker_threads'
import type { FileProblem } from '#lib/batch-file/file-problem.ts'
import { err, type Result } from '#lib/result.ts'
import type { ReadFile } from './read-file.ts'

/** Reads files one after the other, each in a thread of its own. `busy`: too many files wait in this process. */
export type FileReader = { read(bytes: Uint8Array): Promise<Result<ReadFile, FileProblem | 'busy'>> }

const WAITING_MAX = 4
const TIME_LIMIT_MS = 15_000
const MEMORY_LIMIT = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 }

/**
 * The thread keeps the event loop free while a file is read, and bounds what a file can cost: memory and time beyond the limits end the
 * thread, and the process goes on. Only one runs at a time, so that uploads together cost no more than one.
 */
export function createFileReader({ timeLimitMs = TIME_LIMIT_MS }: { timeLimitMs?: number } = {}): FileReader {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    async read(bytes) {
      if (waiting >= WAITING_MAX) return err('busy')
      waiting++
      const turn = last.then(() => readInThread(bytes, timeLimitMs))
      // Its caller gets the error; the next file only waits for its end.
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        waiting--
      }
    },
  }
}

function readInThread(bytes: Uint8Array, timeLimitMs: number): Promise<Result<ReadFile, FileProblem>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./file-thread.ts', import.meta.url), { resourceLimits: MEMORY_LIMIT, execArgv: [], env: {} })
    const end = (settle: () => void) => {
      clearTimeout(timer)
      void worker.terminate()
      settle()
    }
    const timer = setTimeout(() => end(() => resolve(err({ kind: 'too_slow' }))), timeLimitMs)
    worker.once('message', (answer: Result<ReadFile, FileProblem>) => end(() => resolve(answer)))
    worker.once('error', (error) => {
      const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      end(() => (isMemory ? resolve(err({ kind: 'unpacks_too_large' })) : reject(error)))
    })
    worker.postMessage(bytes)
  })
}
