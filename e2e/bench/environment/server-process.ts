import { randomInt } from 'node:crypto'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { startService } from '#server/testing/service/start-service.ts'

/** The encryption key for secrets in every benched database. */
export const SECRETS_KEY = Buffer.alloc(32, 'bench').toString('base64')

/** The real process, started the way production starts it. */
export type ServerProcess = { port: number; pid: number; stop(): Promise<unknown> }

export type ServerOptions = {
  databaseUrl: string
  /** Where its log goes; the folder exists. */
  logFile: string
  tokenSecret: string
  role?: 'web' | 'worker' | 'all'
  /** Worker processes that share the work of this one, if there are several. */
  workers?: number
  environment?: Record<string, string>
}

/** A transfer service without an operator is refused; nobody listens there, and nothing that is measured goes there. */
const OPERATOR_ENVIRONMENT = Object.fromEntries(
  OPERATOR_CODES.flatMap((code) => [
    [`OPERATOR_${code}_BASE_URL`, 'http://127.0.0.1:9'],
    [`OPERATOR_${code}_SECRET`, 'a secret that no operator knows'],
  ]),
)

/**
 * Starts the service as production does, on a database that is there already, and waits until all its processes answer. What is not named
 * here has its default, the request log included: it goes to a file. Throws when it ends while starting.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  // Worker processes have the ports after it, so it is below those that the system gives to outgoing connections.
  const port = options.role === 'worker' ? 20_000 + randomInt(10_000) : await freePort()
  const workers = options.workers ?? 1
  const ports = Array.from({ length: workers > 1 ? workers + 1 : 1 }, (_, number) => port + number)
  const areReady = async () => {
    const answers = await Promise.all(
      ports.map((each) =>
        fetch(`http://127.0.0.1:${each}/health/ready`).then(
          (answer) => answer.status === 200,
          () => false,
        ),
      ),
    )
    return !answers.includes(false)
  }
  const service = await startService({
    port,
    readiness: areReady,
    logFile: options.logFile,
    environment: {
      NODE_ENV: 'production',
      LOG_LEVEL: undefined,
      DATABASE_URL: options.databaseUrl,
      TOKEN_SECRET: options.tokenSecret,
      SESSION_SECRET: 'the secret of sessions that nobody opens here',
      SECRETS_KEY,
      ROLE: options.role ?? 'web',
      // A worker has no front door.
      ...(options.role === 'worker' && { MONITORING_PORT: String(port), WORKER_CONCURRENCY: String(workers) }),
      ...OPERATOR_ENVIRONMENT,
      ...options.environment,
    },
  })
  return { port, pid: service.pid ?? 0, stop: () => service.stop() }
}
