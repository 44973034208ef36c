import { setTimeout as delay } from 'node:timers/promises'

/** Long, so that only what never happens fails: a test that passes never waits for it. */
const LIMIT_MS = 90_000
const PAUSE_MS = 5

/**
 * Calls `look` until it returns something other than `undefined` and `false`, and returns that. Throws after 90 seconds, or
 * `limitMs`, with a message that names `what` was waited for. An error of `look` is thrown immediately.
 */
export async function waitUntil<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  { limitMs = LIMIT_MS, pauseMs = PAUSE_MS }: { limitMs?: number; pauseMs?: number } = {},
): Promise<Exclude<Value, undefined | false>> {
  const endsAtMs = performance.now() + limitMs
  for (;;) {
    const value = await look()
    if (isFound(value)) return value
    if (performance.now() >= endsAtMs) throw new Error(`Not true within ${limitMs} ms: ${what}`)
    await delay(pauseMs)
  }
}

function isFound<Value>(value: Value): value is Exclude<Value, undefined | false> {
  return value !== undefined && value !== false
}
