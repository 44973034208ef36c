/** The target of a request, undecoded. */
export type Target = { path: string; search: string }

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i

// Spellings that one program reads as one path and the next as another: empty and dot segments, encoded dots and
// slashes, backslashes, NUL. No path of this service looks so.
const AMBIGUOUS = /\/\/|\\|%2e|%2f|%5c|%00|\/\.{1,2}(?:\/|$)/i

/**
 * Splits the target of a request line. The absolute form (`GET http://host/path`), which proxies send, loses its origin;
 * undefined for what names no path, such as `*`.
 */
export function readTarget(url: string): Target | undefined {
  const local = url.startsWith('/') ? url : stripOrigin(url)
  if (local === undefined) return undefined
  const question = local.indexOf('?')
  return question < 0 ? { path: local, search: '' } : { path: local.slice(0, question), search: local.slice(question + 1) }
}

/** The largest filter of the back office has some thirty parameters; a list of values is one parameter. */
const PARAMETERS_MAX = 200

/**
 * Whether a query string has more parameters than any address of this service. Next looks through all parameters once for each of
 * them: the 15 KB of `a&` that fit into a request line would stop the event loop for seconds.
 */
export function hasTooManyParameters(search: string): boolean {
  let parameters = 1
  for (let at = search.indexOf('&'); at >= 0; at = search.indexOf('&', at + 1)) if (++parameters > PARAMETERS_MAX) return true
  return false
}

/** Whether a path could be read in two ways. */
export function isAmbiguousPath(path: string): boolean {
  return AMBIGUOUS.test(path)
}

function stripOrigin(url: string): string | undefined {
  const origin = ABSOLUTE_FORM.exec(url)?.[0]
  if (origin === undefined) return undefined
  const rest = url.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
