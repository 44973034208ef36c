/** A body of this size or more takes milliseconds to parse and validate. */
export const HEAVY_BYTES = 256 * 1024

let last: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets, so that large bodies that arrive together are parsed one per turn, and
 * other work runs in between.
 */
export function takeHeavyTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
