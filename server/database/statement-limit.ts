import { AsyncLocalStorage } from 'node:async_hooks'
import { connect, Socket } from 'node:net'
import pg from 'pg'
import { processWide } from '#server/process-wide.ts'
import { markIfAway } from './database-away.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    statementLimits: AsyncLocalStorage<number>
  }
}

/** A statement without an answer within this time ends, unless its work has a limit of its own. */
export const STATEMENT_LIMIT_MS = 15_000
/** Of scheduled tasks, which sum and remove rows of many months. */
export const TASK_STATEMENT_LIMIT_MS = 10 * 60_000
/** For pools whose statements may take as long as they need: migrations, seeds and the tools of the command line. */
export const NO_STATEMENT_LIMIT_MS = Number.POSITIVE_INFINITY
const CANCEL_LIMIT_MS = 5_000
/** The code of a cancel request in PostgreSQL's protocol. */
const CANCEL_CODE = 80_877_102

const limits = () => processWide('statementLimits', () => new AsyncLocalStorage())

/** No answer came in time: whether the statement took effect is unknown. Its connection is closed. */
class StatementTimeoutError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(limitMs: number) {
    super(`PostgreSQL did not answer a statement within ${limitMs / 1_000} s`)
    this.name = 'StatementTimeoutError'
  }
}

/** Runs `work`, whose statements may each take `limitMs` instead of the limit of their pool. */
export function withStatementLimit<Value>(limitMs: number, work: () => Value): Value {
  return limits().run(limitMs, work)
}

/**
 * Ends a statement that has no answer within the limit: it rejects with an error whose code is ETIMEDOUT, PostgreSQL is asked to cancel it,
 * and its connection is closed, because an answer that comes later would be taken for that of the next statement. The limit is measured
 * here and not by `statement_timeout`: a server that is silent measures nothing, and PgBouncer refuses that setting at the start of a session.
 */
export class LimitedClient extends pg.Client {
  constructor(config: pg.ClientConfig, poolLimitMs: number) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    const query: (...args: unknown[]) => unknown = this.query.bind(this)
    Object.assign(this, {
      query: (...args: unknown[]) => {
        const limitMs = limits().getStore() ?? poolLimitMs
        const giveUp = () => {
          requestCancel(this)
          socket.destroy(new StatementTimeoutError(limitMs))
        }
        const timer = Number.isFinite(limitMs) ? setTimeout(giveUp, limitMs) : undefined
        const end = (error: unknown) => {
          clearTimeout(timer)
          return markIfAway(error)
        }
        const callback = args.at(-1)
        if (typeof callback === 'function')
          return query(...args.slice(0, -1), (error: unknown, result: unknown) => callback(end(error), result))
        return Promise.resolve(query(...args)).then(
          (result) => {
            end(undefined)
            return result
          },
          (error: unknown) => {
            throw end(error)
          },
        )
      },
    })
  }
}

/**
 * Asks the server over another connection to cancel what this one runs: otherwise a statement that waits for a lock would go on waiting, and
 * take effect later. No answer is defined, and nothing is lost if the request does not arrive.
 */
function requestCancel(client: pg.Client): void {
  const processId: unknown = Reflect.get(client, 'processID')
  const secretKey: unknown = Reflect.get(client, 'secretKey')
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, CANCEL_CODE, processId, secretKey].entries()) message.writeInt32BE(value, index * 4)
  const isFolder = client.host.startsWith('/')
  const socket = isFolder ? connect(`${client.host}/.s.PGSQL.${client.port}`) : connect(client.port, client.host)
  socket.setTimeout(CANCEL_LIMIT_MS, () => socket.destroy())
  // A server that cannot be reached cancels nothing; the statement was already answered as unknown.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  socket.on('error', () => undefined)
  socket.end(message)
  socket.unref()
}
