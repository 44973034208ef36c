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
const CHUNK_LENGTH = 8 * 1024
const WRITE_AFTER_MS = 1_000

/**
 * Writes one line per request at level `info`; undefined when that level is switched off, so that no line is built.
 * Lines have pino's form, and are put together here: at twenty thousand requests a second pino's general way of writing an object is the
 * largest cost of a request.
 */
export function createAccessLog(level: Level | 'silent', destination?: Destination): AccessLog | undefined {
  if (!pino({ level }).isLevelEnabled('info')) return undefined
  const writeLine = collectLines(destination ?? pino.destination({ dest: 2, sync: false }))
  const start = `{"level":${pino.levels.values['info']},"pid":${process.pid},"msg":"request","time":"`
  return ({ method, path, status, durationMs, applicationId, peerAddress }) => {
    const app = applicationId === undefined ? '' : `,"app":"${applicationId}"`
    const peer = peerAddress === undefined ? '' : `,"peer":"${peerAddress}"`
    writeLine(
      `${start}${new Date().toISOString()}","method":"${method}","path":${JSON.stringify(path.slice(0, PATH_LENGTH_MAX))}` +
        `,"status":${status},"ms":${durationMs.toFixed(2)}${app}${peer}}\n`,
    )
  }
}

type Destination = DestinationStream & { flushSync?(): void }

/**
 * Writes lines together: when there are 8 KB of them, after a second, and when the process exits. The destination's own buffer copies
 * everything that it holds with each line, 9 KB per request.
 */
function collectLines(destination: Destination): (line: string) => void {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  function writeWaiting(): void {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = ''
    if (lines !== '') destination.write(lines)
  }
  process.once('exit', () => {
    writeWaiting()
    destination.flushSync?.()
  })
  return (line) => {
    waiting += line
    if (waiting.length >= CHUNK_LENGTH) writeWaiting()
    else timer ??= setTimeout(writeWaiting, WRITE_AFTER_MS).unref()
  }
}
