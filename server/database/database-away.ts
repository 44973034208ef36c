import { DATABASE_AWAY_DIGEST } from '#lib/result.ts'

/** Of the network: the connection could not be made, or broke, or there was no answer. */
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND'])
/**
 * SQLSTATE of a server that cannot serve: class 08 (connection), 57P0x (it shuts down, starts, or ended this session), 25006 (a standby, so this
 * is not the primary any longer), 53300 (no connection is free).
 */
const SERVER_CODES = /^(08...|57P0.|25006|53300)$/
/** Messages of pg and its pool that carry no code. */
const MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed))/

/**
 * True if a statement failed because the database is away: whether it took effect is then unknown. False for an error that the database
 * answered about the statement itself.
 */
export function isDatabaseAway(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return NETWORK_CODES.has(code) || SERVER_CODES.test(code) || MESSAGES.test(error.message) || isDatabaseAway(error.cause)
}

/** Marks an error of `isDatabaseAway` with the digest by which a page in the browser recognises it. Returns the same error. */
export function markIfAway(error: unknown): unknown {
  return isDatabaseAway(error) ? Object.assign(error, { digest: DATABASE_AWAY_DIGEST }) : error
}

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
