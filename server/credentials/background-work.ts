const WAITING_MAX = 1_000

/** Runs work one piece after the other, without a caller that waits: response times must not reveal that it was done. */
type BackgroundWork = { add(work: () => Promise<void> | undefined): void }

/** Makes an empty queue. `onError` is called for work that failed, and for work that was dropped because 1,000 pieces wait. */
export function createBackgroundWork(onError: (error: unknown) => void): BackgroundWork {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    add(work) {
      if (waiting >= WAITING_MAX) return onError(new Error('Too much work waits in the background'))
      waiting++
      last = last
        .then(work)
        .catch(onError)
        .finally(() => waiting--)
    },
  }
}
