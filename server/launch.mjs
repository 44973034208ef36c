// `npm start`: plain JavaScript for the machine's own Node 20. It installs and builds what is missing, then hands over
// to the pinned Node, which runs server/main.ts, and stays only to pass signals on.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { endPreparation, PINNED_NODE, prepare, ROOT } from './prepare.mjs'

/** Measured under load: more room for the young generation costs less time, and the whole stays below 400 MB. */
const NODE_FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=32', '--disable-warning=ExperimentalWarning']
/** A Ctrl-C arrives twice, from the terminal and from npm: within this time it is one. */
const SAME_SIGNAL_MS = 500

let service
let lastSignalAt = 0

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal))
watchParent()

try {
  demandNode()
  await prepare((line) => console.log(line))
  service = start()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

function demandNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 20)) throw new Error(`Node ${process.versions.node} is too old: 20.20 or newer is needed.`)
}

function start() {
  // In a session of its own: a Ctrl-C in the terminal reaches this process alone, which passes it on once. The channel
  // tells the service when this process is killed, so that it never runs on as an orphan.
  const child = spawn(PINNED_NODE, [...NODE_FLAGS, `${ROOT}/server/main.ts`, ...process.argv.slice(2)], {
    cwd: process.cwd(),
    // What was compiled once, types stripped, is kept: more than a second less at each later start.
    env: { NODE_COMPILE_CACHE: `${ROOT}/node_modules/.cache/countersign`, ...process.env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  child.once('error', (error) => {
    console.error(`The pinned Node does not start (${error.code}).`)
    process.exit(1)
  })
  child.once('exit', (code) => process.exit(code ?? 1))
  return child
}

function end(signal) {
  const now = Date.now()
  if (now - lastSignalAt < SAME_SIGNAL_MS) return
  lastSignalAt = now
  if (service) return service.kill(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM')
  endPreparation()
  process.exit(130)
}

/** When npm is killed, nobody is left to stop this: the service ends too. */
function watchParent() {
  if (!process.env.npm_lifecycle_event || process.platform !== 'linux') return
  const shell = process.ppid
  const npm = parentOf(shell)
  const hasShellBetween = nameOf(npm).startsWith('npm')
  setInterval(() => {
    if (process.ppid !== shell || (hasShellBetween && parentOf(shell) !== npm)) end('SIGTERM')
  }, 250).unref()
}

function parentOf(pid) {
  return Number(/^PPid:\s+(\d+)/m.exec(readStatus(pid))?.[1] ?? 0)
}

function nameOf(pid) {
  return pid > 1 ? (/^Name:\s+(.*)/m.exec(readStatus(pid))?.[1] ?? '') : ''
}

function readStatus(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
