import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '#server/database/embedded/embedded.ts'
import { ALLOCATOR_ENVIRONMENT, NODE_FLAGS } from '#server/process/node-settings.mjs'
import { TEST_SECRETS_KEY } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Long, because a busy machine starts several at once. */
const START_LIMIT_MS = 240_000
const END_LIMIT_MS = 60_000

export type ServiceProcess = {
  baseUrl: string
  /** Asks it to end in order; resolves with its exit code. */
  end(): Promise<number | null>
}

/** Secrets that all processes of one installation share. */
const SHARED_SECRETS = {
  TOKEN_SECRET: 'token secret of the process tests, long enough',
  SESSION_SECRET: 'session secret of the process tests, long enough',
  SECRETS_KEY: TEST_SECRETS_KEY,
}

/** Starts `server/main.ts` with these variables on a port of its own and waits until `isReady` says so. */
export async function startProcess(
  environment: Record<string, string>,
  isReady: (baseUrl: string) => Promise<boolean> = answersReady,
  /** Gets everything that the service writes, as it arrives. Without it, errors are shown and the rest is dropped. */
  onOutput?: (text: string) => void,
): Promise<ServiceProcess> {
  const port = environment['PORT'] ?? String(await freePort())
  const baseUrl = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [...NODE_FLAGS, 'server/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', onOutput ? 'pipe' : 'ignore', onOutput ? 'pipe' : 'inherit', 'ipc'],
    env: {
      ...ALLOCATOR_ENVIRONMENT,
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NODE_ENV: 'test',
      LOG_LEVEL: 'error',
      HOST: '127.0.0.1',
      PUBLIC_URL: baseUrl,
      ...SHARED_SECRETS,
      ...environment,
      PORT: port,
    },
  })
  if (onOutput) for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
  await untilReady(child, () => isReady(baseUrl))
  return { baseUrl, end: () => end(child) }
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const forced = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
  await exited
  clearTimeout(forced)
  return child.exitCode
}

/** True when this process takes requests. */
export async function answersReady(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/health/ready`).then(
    (response) => response.status === 200,
    () => false,
  )
}

async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The process ended while it started (exit code ${child.exitCode})`)
    return isReady()
  }
  await waitUntil('the process is ready', look, { limitMs: START_LIMIT_MS, pauseMs: 50 }).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
}
