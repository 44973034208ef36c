import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { TEST_SECRETS_KEY } from '#server/testing/database.ts'

/** The program of the service, as the launcher runs it. */
export const MAIN = new URL('../main.ts', import.meta.url).pathname

/** The least settings of production; on this machine its address may be http. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  TOKEN_SECRET: 't'.repeat(32),
  SESSION_SECRET: 's'.repeat(32),
  SECRETS_KEY: TEST_SECRETS_KEY,
  PUBLIC_URL: 'http://127.0.0.1:3000',
}

export type Started = {
  child: ChildProcess
  /** All that it has printed so far. */
  output(): string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
}

/** Starts Node with these arguments, and with nothing of this process's environment but what finds programs and keeps compiled code. */
export function startNode(args: readonly string[], environment: Record<string, string | undefined>): Started {
  const { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV } = process.env
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) }
}

/** Sends SIGTERM and resolves with the exit code, even if the process has already ended. */
export function stop({ child, ended }: Started): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  return ended
}

/** The status and the text of an answer; status 0 where there was none. */
export function get(port: number, address: string): Promise<{ status: number; text: string }> {
  return fetch(`http://127.0.0.1:${port}${address}`, { headers: { connection: 'close' } }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 0, text: '' }),
  )
}

/** True once the service on this port takes requests. */
export async function isReady(port: number): Promise<boolean> {
  return (await get(port, '/health/ready')).status === 200
}

/** Running processes with this in their command line, children of `parent` where one is named. */
export function pidsOf(fragment: string, parent?: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      // Empty for a process that has ended and was not waited for.
      if (!readProc(pid, 'cmdline').includes(fragment)) return false
      return parent === undefined || Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1]) === parent
    })
}

/** Empty when the process has ended. */
function readProc(pid: number, file: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

type Credentials = { apiKey: string; apiId: string; username: string; password: string }

/** Calls an operation of the partner API; one with a query is sent without a body. */
export type Call = (operation: string, overrides?: Record<string, string>) => Promise<{ status: number; transactionId: string }>

/** Signs a partner's program in at the service on this port; returns how it calls. */
export async function signInPartner(port: number, { apiKey, apiId, username, password }: Credentials): Promise<Call> {
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  const tokens = (await (await post('/public/access_token', {}, { username, password })).json()) as { access_token: string }
  const headers = { apiKey, apiId, authorization: `Bearer ${tokens.access_token}` }
  return async (operation, overrides = {}) => {
    const body = {
      transferMethod: 'MOMOCM',
      customerName: 'Clarisse Mbarga',
      externalId: crypto.randomUUID(),
      phoneNumber: '237677209341',
      amount: 100,
      webhookUrl: 'http://127.0.0.1:9/nobody',
      countryName: 'CAMEROON',
      ...overrides,
    }
    const response = await post(`/api/v1/transaction/${operation}`, headers, operation.includes('?') ? undefined : body)
    const answer = (await response.json()) as { transactionId?: string; id?: string }
    return { status: response.status, transactionId: answer.transactionId ?? answer.id ?? '' }
  }
}
