import type { DestinationStream, Level } from 'pino'
import { pino } from 'pino'

/** One answered request. There is no query and no body here: phone numbers, notes and reasons travel in them (DESIGN 13). */
export type AccessEntry = {
  method: string
  path: string
  status: number
  durationMs: number
  applicationId: string | undefined
  peerAddress: string | undefined
}

export type AccessLog = (entry: AccessEntry) => void

/** Paths are the caller's words: what is longer than any real one is cut. */
const PATH_LENGTH_MAX = 200

/**
 * Writes one line per request at level `info`; undefined when that level is switched off, so that nothing is built in vain.
 * Lines are collected and written together, at the latest after a second.
 */
export function createAccessLog(level: Level | 'silent', destination?: DestinationStream): AccessLog | undefined {
  const stream = destination ?? pino.destination({ dest: 2, sync: false, minLength: 16 * 1024, periodicFlush: 1_000 })
  const logger = pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  if (!logger.isLevelEnabled('info')) return undefined
  return (entry) => {
    logger.info({
      method: entry.method,
      path: entry.path.slice(0, PATH_LENGTH_MAX),
      status: entry.status,
      ms: Math.round(entry.durationMs * 100) / 100,
      app: entry.applicationId,
      peer: entry.peerAddress,
    })
  }
}
