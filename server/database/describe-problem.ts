import { isDatabaseAway } from './database-away.ts'

/** Codes of errors that mean: no such database, or wrong credentials. */
const REFUSED = new Set(['28P01', '28000', '3D000'])

/**
 * Returns why a database cannot be used, without its address or password; undefined for every other
 * error. A name with several addresses fails with one error per address and no message of its own: the code remains.
 */
export function describeDatabaseProblem(error: unknown): string | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return undefined
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  if (!REFUSED.has(code) && !isDatabaseAway(cause)) return undefined
  return cause.message || code
}
