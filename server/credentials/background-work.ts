import { reportUnexpected } from '#server/report-unexpected.ts'

const WAITING_MAX = 1_000

/** Runs work one piece after the other, without a caller that waits: response times must not reveal that it was done. */
type BackgroundWork = { add(work: () => Promise<void> | undefined): void }

/** Makes an empty queue. Work that failed is reported, and so is work that was dropped because 1,000 pieces wait. */
export function createBackgroundWork(): BackgroundWork {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    add(work) {
      if (waiting >= WAITING_MAX) return reportUnexpected('credentials: background', new Error('Too much work waits in the background'))
      waiting++
      last = last
        .then(work)
        .catch((error: unknown) => reportUnexpected('credentials: background', error))
        .finally(() => waiting--)
    },
  }
}
