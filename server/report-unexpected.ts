import { createLogger, type Logger } from './logger.ts'
import { processWide, setProcessWide } from './process-wide.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    logger: Logger
    /** How often something failed unexpectedly, by place. */
    unexpectedCounts: Map<string, number>
    reportedErrors: WeakSet<object>
  }
}

/** The details that a report may add to the error. All other fields are logged as they are. */
type ReportDetails = {
  /** Says what did not happen, and what happens next. */
  message?: string
  /** The caller's logger, where it has one; otherwise the logger of the process. */
  logger?: Pick<Logger, 'error'>
  [fact: string]: unknown
}

const counts = () => processWide('unexpectedCounts', () => new Map())

/** Sets the logger that reports of this process go to. */
export function setProcessLogger(logger: Logger): void {
  setProcessWide('logger', logger)
}

/**
 * Logs an unexpected failure, and counts it for `/metrics`. Every `catch` that neither rethrows nor returns an
 * expected outcome calls it. An error that passes several such places is reported by the first. `where` is the label of the counter: the
 * folder and the step, from a fixed set, never data.
 */
export function reportUnexpected(where: string, error: unknown, { message, logger, ...facts }: ReportDetails = {}): void {
  if (wasReported(error)) return
  counts().set(where, (counts().get(where) ?? 0) + 1)
  const log = logger ?? processWide('logger', () => createLogger('warn'))
  log.error({ err: error, where, ...facts }, message ?? 'An unexpected failure')
}

function wasReported(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const reported = processWide('reportedErrors', () => new WeakSet())
  if (reported.has(error)) return true
  reported.add(error)
  return false
}

/** Returns how often each place has reported since the process started. */
export function unexpectedCounts(): ReadonlyMap<string, number> {
  return counts()
}
