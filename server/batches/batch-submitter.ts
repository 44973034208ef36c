import type { Directory } from '#server/applications/directory.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { claimSubmitting, releaseSubmitting } from './batch-store.ts'
import { type StartRowsDeps, startRows } from './start-rows.ts'

export type BatchSubmitter = {
  /** Looks for submitted batches from time to time: also those that another process left behind. */
  start(): void
  /** A batch was submitted in this process: starts its rows now. */
  wake(): void
  /** Ends after the part that is in progress; the rest is continued by another process or the next start. */
  drain(): Promise<void>
}

type BatchSubmitterOptions = StartRowsDeps & {
  directory: Pick<Directory, 'find'>
  pollMs?: number
  /** After this time without progress another process continues a batch. */
  leaseMs?: number
}

const POLL_MS = 2_000
const LEASE_MS = 15_000
/** Before a batch is continued that could not go on: the queue was full, or its application is disabled. */
const PAUSE_MS = 1_000

/** Starts the rows of submitted batches, one batch at a time in a process. Any number of processes may run one. */
export function createBatchSubmitter({ directory, pollMs = POLL_MS, leaseMs = LEASE_MS, ...deps }: BatchSubmitterOptions): BatchSubmitter {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isEnding = false
  let isWanted = false

  async function run(): Promise<void> {
    while (!isEnding) {
      isWanted = false
      const batch = await claimSubmitting(deps.pool, leaseMs)
      if (!batch) {
        if (isWanted) continue
        return
      }
      const application = directory.find(batch.applicationId)
      const ended = application && (await startRows(deps, application, batch, { leaseMs, isEnding: () => isEnding }))
      if (!ended?.ok) await releaseSubmitting(deps.pool, batch.applicationId, batch.batchId, isEnding ? 0 : PAUSE_MS)
    }
  }

  function wake(): void {
    isWanted = true
    if (isEnding || running) return
    running = run()
      .catch((error: unknown) =>
        reportUnexpected('batches: submit', error, { message: 'The rows of a submitted batch could not be started; it is tried again' }),
      )
      .finally(() => {
        running = undefined
        // Asked for after the last look.
        if (isWanted) wake()
      })
  }

  return {
    start() {
      timer ??= setInterval(wake, pollMs)
      wake()
    },
    wake,
    async drain() {
      isEnding = true
      clearInterval(timer)
      await running
    },
  }
}
