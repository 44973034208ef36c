import { type DestinationStream, type Level, pino } from 'pino'

/** One answered request. There is no query and no body here: phone numbers, notes and reasons travel in them. */
type AccessEntry = {
  method: string
  path: string
  status: number
  durationMs: number
  applicationId: string | undefined
  peerAddress: string | undefined
}

export type AccessLog = (entry: AccessEntry) => void

/** Paths come from the caller: one that is longer than any real path is truncated. */
const PATH_LENGTH_MAX = 200

/**
 * Writes one line per request at level `info`; undefined when that level is switched off, so that no line is built.
 * Lines are collected and written together, at the latest after a second. They have pino's form, and are put together here:
 * at twenty thousand requests a second pino's general way of writing an object is the largest cost of a request.
 */
export function createAccessLog(level: Level | 'silent', destination?: DestinationStream): AccessLog | undefined {
  if (!pino({ level }).isLevelEnabled('info')) return undefined
  const stream = destination ?? pino.destination({ dest: 2, sync: false, minLength: 8 * 1024, periodicFlush: 1_000 })
  const start = `{"level":${pino.levels.values['info']},"pid":${process.pid},"msg":"request","time":"`
  return ({ method, path, status, durationMs, applicationId, peerAddress }) => {
    const app = applicationId === undefined ? '' : `,"app":"${applicationId}"`
    const peer = peerAddress === undefined ? '' : `,"peer":"${peerAddress}"`
    stream.write(
      `${start}${new Date().toISOString()}","method":"${method}","path":${JSON.stringify(path.slice(0, PATH_LENGTH_MAX))}` +
        `,"status":${status},"ms":${durationMs.toFixed(2)}${app}${peer}}\n`,
    )
  }
}
