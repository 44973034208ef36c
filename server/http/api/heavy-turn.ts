/** From this size on a body takes milliseconds to parse and check. */
export const HEAVY_BYTES = 256 * 1024

let last: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets: large bodies that arrive together are parsed one per turn, with everything
 * else that waits in between.
 */
export function takeHeavyTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
