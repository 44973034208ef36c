import { type Logger as PinoLogger, pino } from 'pino'

export type Logger = PinoLogger

/** Fields that never reach a log, at the top and one level down. */
const HIDDEN = [
  'apiKey',
  'apikey',
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'refreshToken',
  'phoneNumber',
  'phone_number',
  'customerName',
  'customer_name',
  'payeeNote',
  'reason',
]

/** Fields that PostgreSQL adds to an error and that quote rows and parameters; code, table and constraint say enough. */
const QUOTES_OF_ROWS = ['detail', 'where', 'internalQuery'].flatMap((name) => [`err.${name}`, `err.cause.${name}`, `err.*.${name}`])

/** JSON lines on standard error, so that what the start prints stays readable on standard output. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [...QUOTES_OF_ROWS, ...HIDDEN, ...HIDDEN.map((name) => `*.${name}`), ...HIDDEN.map((name) => `*.*.${name}`)],
        censor: '[hidden]',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
