import { reportUnexpected } from '#server/report-unexpected.ts'

const WAITING_MAX = 1_000

/** Does what nobody waits for, one after the other: a caller must not learn from the time of an answer that it was done. */
export type BackgroundWork = { add(work: () => Promise<void> | undefined): void }

/** Makes an empty line. Work that failed is reported, and so is work that was left out because 1,000 pieces wait already. */
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
