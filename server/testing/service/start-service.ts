import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#server/database/embedded/embedded.ts'
import { ALLOCATOR_ENVIRONMENT, NODE_FLAGS } from '#server/process/node-settings.mjs'
import { TEST_SECRETS_KEY } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** The checkout that tests run in. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** The program of the service in its checkout, as the launcher runs it. */
const MAIN = path.relative(ROOT, fileURLToPath(new URL('../../main.ts', import.meta.url)))
/** Starts are slow on a busy machine, and several tests start a service at the same time. */
export const PATIENTLY = { limitMs: 240_000, pauseMs: 50 }
const STOP_LIMIT_MS = 60_000

/** The settings that production requires, and that all processes of one installation share. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  TOKEN_SECRET: 'token secret of the tests, long enough',
  SESSION_SECRET: 'session secret of the tests, long enough',
  SECRETS_KEY: TEST_SECRETS_KEY,
}

/** `api`: takes requests. `pages`: serves pages too. Or any other condition. */
export type Readiness = 'api' | 'pages' | (() => Promise<boolean>)

export type ServiceOptions = {
  /** Arguments of Node; the service in one process if left out. */
  program?: readonly string[]
  /** The checkout that it runs in, if not this one. */
  root?: string
  /** Added to the few variables that every start needs; `undefined` leaves one of those out. */
  environment?: Readonly<Record<string, string | undefined>>
  /** A free one if left out. */
  port?: number
  /** Receives everything that is printed, at its end. If left out, `output()` returns it. */
  logFile?: string
  onOutput?(text: string): void
}

/** A process that ended without being stopped. */
export type Exit = { atMs: number; pid: number; code: number | null; signal: string | null }

/** A running service: the real process, over which a test has control. */
export class Service {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly exits: Exit[] = []
  /** Called with the process id of each start after the first. */
  onStart: (pid: number) => void = () => undefined
  #options: ServiceOptions
  readonly #end = Promise.withResolvers<number | null>()
  #child: ChildProcess
  #output = ''
  #isStopping = false
  #isKeptRunning = false
  /** It was ready, and no test has sent it a signal since: it must not end. */
  #mustRun = false

  constructor(port: number, options: ServiceOptions) {
    this.port = port
    this.#options = options
    this.#child = this.#launch()
  }

  get baseUrl(): string {
    return `http://${this.host}:${this.port}`
  }

  /** The process that runs now; undefined while there is none. */
  get pid(): number | undefined {
    return this.hasEnded ? undefined : this.#child.pid
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Resolves with the exit code once it has ended for good; null if a signal ended it. */
  get ended(): Promise<number | null> {
    return this.#end.promise
  }

  /** Returns all that it has printed so far, unless that goes to a file. */
  output(): string {
    return this.#output
  }

  /** See `get`. */
  get(address: string): Promise<Answer> {
    return get(`${this.baseUrl}${address}`)
  }

  async isReady(readiness: Readiness = 'api'): Promise<boolean> {
    if (typeof readiness === 'function') return readiness()
    if ((await this.get('/health/ready')).status !== 200) return false
    return readiness === 'api' || (await this.get('/sign-in')).status === 200
  }

  /** Waits until it is ready. Throws with what it has printed if it ends instead, unless it is kept running. */
  async untilReady(readiness: Readiness = 'api'): Promise<void> {
    const look = () => {
      if (this.hasEnded && !this.#isKeptRunning) throw new Error(`The service ended while it started.\n${this.#said()}`)
      return this.isReady(readiness)
    }
    await waitUntil('the service is ready', look, PATIENTLY).catch((error: unknown) => {
      throw new Error(`The service did not become ready.\n${this.#said()}`, { cause: error })
    })
    this.#mustRun = true
  }

  /** From now on, restarts it each time it ends without having been stopped. */
  keepRunning(): void {
    this.#isKeptRunning = true
  }

  /** Sends a signal to the process that runs now; false if there is none. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): boolean {
    this.#mustRun = false
    return this.#child.kill(signal)
  }

  /** Ends it in order and starts that of another checkout in its place, at the same port. Resolves once that is ready. */
  async replace(root: string): Promise<void> {
    const before = this.#child
    this.#options = { ...this.#options, root }
    this.#isKeptRunning = true
    this.kill('SIGTERM')
    await waitUntil('the service was replaced', () => this.#child !== before, PATIENTLY)
    await this.untilReady()
  }

  /** Ends it in order, if it still runs, and by force after a minute. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.#isStopping = true
    this.kill('SIGTERM')
    const forced = setTimeout(() => this.kill(), STOP_LIMIT_MS)
    const code = await this.ended
    clearTimeout(forced)
    return code
  }

  #said(): string {
    return this.#options.logFile === undefined ? this.#output : `${this.#options.logFile} may say why.`
  }

  #launch(): ChildProcess {
    const { root = ROOT, program = [...NODE_FLAGS, path.join(root, MAIN)], environment, logFile, onOutput } = this.#options
    const log = logFile === undefined ? undefined : openSync(logFile, 'a')
    // The channel ends the service when this program is killed.
    const child: ChildProcess = spawn(process.execPath, program, {
      cwd: root,
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...ALLOCATOR_ENVIRONMENT,
        NODE_ENV: process.env['NODE_ENV'],
        LOG_LEVEL: 'error',
        HOST: this.host,
        PORT: String(this.port),
        PUBLIC_URL: this.baseUrl,
        ...environment,
      },
    })
    if (log !== undefined) closeSync(log)
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
        onOutput?.(text)
      })
    // After `close`, all output has arrived.
    child.once('close', (code, signal) => this.#onClose(child.pid ?? 0, code, signal))
    return child
  }

  #onClose(pid: number, code: number | null, signal: NodeJS.Signals | null): void {
    if (!this.#isStopping) this.exits.push({ atMs: Date.now(), pid, code, signal })
    if (!this.#isStopping && this.#isKeptRunning) {
      this.#child = this.#launch()
      this.onStart(this.#child.pid ?? 0)
      return
    }
    if (this.#mustRun) process.stderr.write(`The service ended (${signal ?? `exit code ${code}`}).\n${this.#said()}\n`)
    this.#end.resolve(code)
  }
}

type Answer = { status: number; text: string }

/** Returns the status and the text of the answer, on a connection of its own; status 0 if there was none. */
export function get(url: string): Promise<Answer> {
  return fetch(url, { headers: { connection: 'close' }, redirect: 'manual', signal: AbortSignal.timeout(10_000) }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 0, text: '' }),
  )
}

/** Starts the service and returns before it is ready: for starts that are to fail, and for what is seen while it starts. */
export async function launchService(options: ServiceOptions = {}): Promise<Service> {
  return new Service(options.port ?? (await freePort()), options)
}

/** Starts the service and resolves once it is ready. Throws, and leaves no process behind, if it ends or takes four minutes. */
export async function startService(options: ServiceOptions & { readiness?: Readiness } = {}): Promise<Service> {
  const service = await launchService(options)
  try {
    await service.untilReady(options.readiness)
    return service
  } catch (error) {
    await service.stop()
    throw error
  }
}
