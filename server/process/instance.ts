import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { withJitterMs } from '#server/retry.ts'

/**
 * The state that a running instance reports to another one that wants the same data folder; any program of this machine may hold the name.
 */
const instanceStateSchema = z.object({ pid: z.int(), url: z.union([z.url(), z.literal('')]), isEnding: z.boolean() })
type InstanceState = z.infer<typeof instanceStateSchema>

type Instance = { update(state: Partial<InstanceState>): void; release(): void }

/**
 * How long a claim is repeated while the holder says that it is ending, while it says that it is running (it may be about to
 * end), and while it says nothing (it may be busy).
 */
type ClaimLimits = { endingMs: number; runningMs: number; silentMs: number }

const LIMITS: ClaimLimits = { endingMs: 20_000, runningMs: 1_500, silentMs: 4_000 }
const ANSWER_CHARACTERS_MAX = 4_096

/**
 * Claims a data folder for this process. Throws an Error with one sentence when another process works on it. The claim
 * is a socket name that the kernel frees with the process, however it ends: nothing is left behind by a SIGKILL.
 */
export async function claimDataDirectory(dataDirectory: string, limits: ClaimLimits = LIMITS): Promise<Instance> {
  makeDataFolder(dataDirectory)
  const state: InstanceState = { pid: process.pid, url: '', isEnding: false }
  const server = createServer((socket) => {
    // biome-ignore lint/plugin/no-silent-error: another start stopped listening. It reads the answer or tries again.
    socket.on('error', () => undefined)
    socket.end(JSON.stringify(state))
  })
  // Elsewhere such names do not exist; PostgreSQL's own lock on its folder remains.
  if (process.platform === 'linux') await bindOrExplain(server, dataDirectory, limits)
  return {
    update: (change) => void Object.assign(state, change),
    release: () => void server.close(),
  }
}

async function bindOrExplain(server: Server, dataDirectory: string, { endingMs, runningMs, silentMs }: ClaimLimits): Promise<void> {
  const name = `\0countersign-data-${digestOf(dataDirectory)}`
  const startedMs = performance.now()
  for (;;) {
    if (await bind(server, name)) return
    const other = await ask(name)
    const waitedMs = performance.now() - startedMs
    const limitMs = other ? (other.isEnding ? endingMs : runningMs) : silentMs
    if (waitedMs > limitMs) throw new Error(explainHolder(other, dataDirectory))
    await delay(withJitterMs(100))
  }
}

function explainHolder(other: InstanceState | undefined, dataDirectory: string): string {
  if (!other) return `Already running with the data in ${dataDirectory}; if nothing is, another program holds its name.`
  return `Already running${other.url ? ` on ${other.url}` : ''} (process ${other.pid}) with the data in ${dataDirectory}.`
}

function bind(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off('listening', onListening)
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    }
    const onListening = () => {
      server.off('error', onError)
      server.unref()
      resolve(true)
    }
    server.once('error', onError).once('listening', onListening).listen(name)
  })
}

/** Returns the state of the instance that holds a name; undefined when it is gone or its answer makes no sense. */
function ask(name: string): Promise<InstanceState | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(name).setEncoding('utf8')
    socket.setTimeout(1_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk
      if (text.length > ANSWER_CHARACTERS_MAX) socket.destroy()
    })
    // biome-ignore lint/plugin/no-silent-error: the holder is gone. `close` follows and resolves without an answer.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(parseState(text)))
  })
}

function parseState(text: string): InstanceState | undefined {
  try {
    return instanceStateSchema.safeParse(JSON.parse(text)).data
  } catch {
    // Half an answer of one that is dying, or another program.
    return undefined
  }
}

function digestOf(dataDirectory: string): string {
  return createHash('sha256').update(realpathSync(dataDirectory)).digest('hex').slice(0, 24)
}

/** Only its owner enters. */
const PRIVATE_FOLDER = 0o700

/** Writes a file that only its owner reads (0600). The file is complete or absent, whenever the process is killed. */
export function writePrivateFile(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}.new`
  writeFileSync(unfinished, content, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** Creates the data folder of a sandbox, which only its owner enters (0700), and tightens it and its folders if somebody made them with wider rights. */
export function makeDataFolder(dataDirectory: string): void {
  mkdirSync(dataDirectory, { recursive: true, mode: PRIVATE_FOLDER })
  chmodSync(dataDirectory, PRIVATE_FOLDER)
  for (const entry of readdirSync(dataDirectory, { withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(path.join(dataDirectory, entry.name), PRIVATE_FOLDER)
}
