/** On a request for data: somebody is using the page. Without it the request does not count as use of the session. */
export const IN_USE_HEADER = 'x-page-in-use'

/** A person who reads is using the page; one who has touched nothing for this long may have left. */
const IN_USE_MS = 60_000

let inputAtMs = Number.NEGATIVE_INFINITY

/** Notes that somebody pressed a key or a button on this page. */
export function noteInput(): void {
  inputAtMs = performance.now()
}

/** Returns the header for a request for data; none if nobody has touched the page for a minute. */
export function inUseHeader(): Record<string, string> {
  return performance.now() - inputAtMs < IN_USE_MS ? { [IN_USE_HEADER]: '1' } : {}
}
