import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { ALLOCATOR_ENVIRONMENT, NODE_FLAGS } from '#server/process/node-settings.mjs'

/** The encryption key for secrets in every benched database. */
export const SECRETS_KEY = Buffer.alloc(32, 'bench').toString('base64')

/** The real process, started the way production starts it. */
export type ServerProcess = { port: number; pid: number; stop(): Promise<void> }

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

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
/** A transfer service without an operator is refused; nobody listens there, and nothing that is measured goes there. */
const OPERATOR_ENVIRONMENT = Object.fromEntries(
  OPERATOR_CODES.flatMap((code) => [
    [`OPERATOR_${code}_BASE_URL`, 'http://127.0.0.1:9'],
    [`OPERATOR_${code}_SECRET`, 'a secret that no operator knows'],
  ]),
)
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 30_000

/**
 * Starts `server/main.ts` with NODE_ENV=production on a database that is there already, and waits until it answers. What
 * is not named here has its default, the request log included: it goes to a file. Throws when it ends while starting.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  // Worker processes have the ports after it, so it is below those that the system gives to outgoing connections.
  const port = options.role === 'worker' ? 20_000 + randomInt(10_000) : await freePort()
  const workers = options.workers ?? 1
  const log = openSync(options.logFile, 'a')
  const child = spawn(process.execPath, [...NODE_FLAGS, 'server/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', log],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...ALLOCATOR_ENVIRONMENT,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: options.databaseUrl,
      TOKEN_SECRET: options.tokenSecret,
      SESSION_SECRET: 'the secret of sessions that nobody opens here',
      SECRETS_KEY,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ROLE: options.role ?? 'web',
      // A worker has no front door.
      ...(options.role === 'worker' && { MONITORING_PORT: String(port), WORKER_CONCURRENCY: String(workers) }),
      ...OPERATOR_ENVIRONMENT,
      ...options.environment,
    },
  })
  const exited = once(child, 'exit')
  const pid = child.pid ?? 0
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const forced = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    await exited
    clearTimeout(forced)
  }
  try {
    for (let number = 0; number <= (workers > 1 ? workers : 0); number++)
      await untilReady(port + number, () => child.exitCode !== null, options.logFile)
  } catch (error) {
    await stop()
    throw error
  }
  return { port, pid, stop }
}

async function untilReady(port: number, hasEnded: () => boolean, logFile: string): Promise<void> {
  const startedMs = performance.now()
  while (performance.now() - startedMs < START_LIMIT_MS) {
    if (hasEnded()) throw new Error(`The server ended while starting; ${logFile} says why`)
    const isReady = await request(`http://127.0.0.1:${port}/health/ready`).then(
      async (answer) => {
        await answer.body.dump()
        return answer.statusCode === 200
      },
      () => false,
    )
    if (isReady) return
    await delay(50)
  }
  throw new Error('The server was not ready within a minute')
}
