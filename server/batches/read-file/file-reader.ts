import { Worker } from 'node:worker_threads'
import type { FileProblem } from '#lib/batches/file-problem.ts'
import { err, type Result } from '#lib/result.ts'
import { createFairLimiter } from '#server/credentials/fair-limiter.ts'
import type { ReadFile } from './read-file.ts'

/**
 * Reads files, each in a thread of its own; the applications take turns. `busy`: another file of this application waits already, too many
 * applications wait in this process, or the turn did not come in time.
 */
export type FileReader = { read(bytes: Uint8Array, applicationId: string): Promise<Result<ReadFile, FileProblem | 'busy'>> }

/** Two at once, of different applications: what one of them uploads never makes another wait. */
const THREADS = 2
/** In this process, and of one application. */
const WAITING_MAX = [8, 1]
const WAIT_MS_MAX = 30_000
const TIME_LIMIT_MS = 15_000
const MEMORY_LIMIT = { maxOldGenerationSizeMb: 72, maxYoungGenerationSizeMb: 8 }
/** A thread loads our modules as the process does (`server/process/load-stripped.mjs`), without the other flags. */
const LOADER = process.execArgv.filter((flag) => flag.startsWith('--import='))

/**
 * The thread keeps the event loop free while a file is read, and bounds what a file can cost: memory and time beyond the limits end the
 * thread, and the process goes on. One file of an application is read at a time, so that its uploads together cost no more than one.
 */
export function createFileReader({ timeLimitMs = TIME_LIMIT_MS }: { timeLimitMs?: number } = {}): FileReader {
  const turns = createFairLimiter({ concurrency: THREADS, levelMax: WAITING_MAX, waitMaxMs: WAIT_MS_MAX })
  return {
    async read(bytes, applicationId) {
      const turn = { isReserved: false, path: [applicationId], paces: [] }
      return (await turns.run(turn, () => readInThread(bytes, timeLimitMs))) ?? err('busy')
    },
  }
}

function readInThread(bytes: Uint8Array, timeLimitMs: number): Promise<Result<ReadFile, FileProblem>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./file-thread.ts', import.meta.url), { resourceLimits: MEMORY_LIMIT, execArgv: LOADER, env: {} })
    const end = (settle: () => void) => {
      clearTimeout(timer)
      // The memory of a thread is free once it has ended: the next one begins then.
      void worker.terminate().then(settle, settle)
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
